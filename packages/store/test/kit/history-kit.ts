/**
 * Inserts runs directly into their tables, with any age and state, and returns their properties.
 */
import { finalStates, isFinal, RunIdSource, type RunState } from '@punctual/core/run'
import { systemRandom } from '@punctual/store'
import type { TestStore } from '@punctual/testkit'
import type pg from 'pg'

export interface MadeRun {
  readonly id: string
  readonly tenantId: number
  readonly state: RunState
  readonly queue: string
  readonly handler: string
  readonly jobId: string | null
  readonly key: string | null
  readonly user: string
  readonly dueMs: number
  readonly createdMs: number
  readonly startedMs: number
  readonly finishedMs: number | null
  readonly fingerprint: string | null
  readonly handled: boolean
}

export type RunWish = Partial<Omit<MadeRun, 'id'>>

const ids = new RunIdSource(systemRandom)

async function laneOf(sql: pg.Client, { tenantId, queue, handler }: MadeRun): Promise<number> {
  const { rows } = await sql.query(
    `insert into punctual.lanes (tenant_id, queue, handler, priority) values ($1, $2, $3, 5)
     on conflict (tenant_id, queue, handler, priority) do update set priority = 5 returning id`,
    [tenantId, queue, handler],
  )
  return Number(rows[0].id)
}

/** Inserts a run and its place. The id encodes the due time. */
export async function makeRun(t: TestStore, wish: RunWish = {}): Promise<MadeRun> {
  const { state = 'succeeded', dueMs = Date.now() - 1_000 } = wish
  const run: MadeRun = {
    id: ids.next(dueMs),
    ...{ tenantId: 1, state, queue: 'default', handler: 'test', jobId: null, key: null },
    ...{ user: 'ada', dueMs, createdMs: dueMs - 10, startedMs: dueMs + 5, handled: false },
    finishedMs: isFinal(state) ? dueMs + 20 : null,
    fingerprint: state === 'dead' ? 'print' : null,
    ...wish,
  }
  const lane = await laneOf(t.sql, run)
  await t.sql.query(
    `insert into punctual.runs (id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload, key,
       labels, job_id)
     values ($1, to_timestamp($2 / 1000.0), to_timestamp($3 / 1000.0), $4, $5, 1000, 3, 0, '{}', $6,
       jsonb_build_object('user', $7::text), $8)`,
    [run.id, run.dueMs, run.createdMs, run.tenantId, lane, run.key, run.user, run.jobId],
  )
  await placeRun(t, run, lane)
  return run
}

/** Ends a run that `makeRun` placed: deletes it from its place and writes its outcome. */
export async function endRun(t: TestStore, run: MadeRun, state: RunState): Promise<MadeRun> {
  for (const place of ['later', 'queue', 'parked', 'leases'])
    await t.sql.query(`delete from punctual.${place} where run_id = $1`, [run.id])
  const fingerprint = state === 'dead' ? 'print' : null
  const ended = { ...run, state, finishedMs: Date.now(), fingerprint }
  await placeRun(t, ended, await laneOf(t.sql, run))
  return ended
}

async function placeRun({ sql }: TestStore, run: MadeRun, lane: number): Promise<void> {
  const { id, tenantId, jobId, state } = run
  const columns = 'run_id, tenant_id, lane, attempt, crashes, traits, job_id'
  const values = [id, tenantId, lane, jobId]
  const common = '$1, $2, $3, 0, 0, 0, $4'
  const pos = (ms: number) => String(BigInt(ms) << 20n)
  if (state === 'waiting')
    await sql.query(
      `insert into punctual.parked (${columns}, parked_at) values (${common}, now())`,
      values,
    )
  else if (state === 'queued')
    await sql.query(`insert into punctual.queue (${columns}, pos) values (${common}, $5)`, [
      ...values,
      pos(run.dueMs),
    ])
  else if (state === 'scheduled')
    await sql.query(
      `insert into punctual.later (${columns}, due_at) values (${common}, now() + interval '1 hour')`,
      values,
    )
  else if (state === 'running' || state === 'cancelling')
    await sql.query(
      `insert into punctual.leases (${columns}, fence, session_id, claimed_at, cancel_reason)
       values (${common}, 1, 1, to_timestamp($5 / 1000.0), $6)`,
      [...values, run.startedMs, state === 'cancelling' ? 'asked' : null],
    )
  else await buryRun(sql, run, lane)
}

async function buryRun(sql: pg.Client, run: MadeRun, lane: number): Promise<void> {
  const code = finalStates[run.state as keyof typeof finalStates]
  await sql.query(
    `insert into punctual.outcomes (run_id, started_at, finished_at, tenant_id, lane, state, attempt, crashes)
     values ($1, to_timestamp($2 / 1000.0), to_timestamp($3 / 1000.0), $4, $5, $6, 1, 0)`,
    [run.id, run.startedMs, run.finishedMs, run.tenantId, lane, code],
  )
  if (run.state !== 'dead') return
  await sql.query(
    `insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, job_id, reason, fingerprint, handled_at)
     values ($1, to_timestamp($2 / 1000.0), $3, $4, $5, 'x', $6, case when $7 then now() end)`,
    [run.id, run.finishedMs, run.tenantId, lane, run.jobId, run.fingerprint, run.handled],
  )
}

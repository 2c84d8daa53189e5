/** Planners that a test drives by hand, and checks that the ledger is complete. */
import type { Clock } from '@punctual/core/clock'
import { decodeRules, nextSlotOf } from '@punctual/core/job'
import type { PlanStore } from '@punctual/core/ports'
import { TimingCache } from '@punctual/core/schedule'
import { Planner, type PlannerOptions } from '@punctual/engine'
import { type PostgresStore, systemClock, systemRandom } from '@punctual/store'
import type { TestStore } from '@punctual/testkit'

/** The clock of a machine that is wrong by `byMs`. */
export function skewedClock(byMs: number): Clock {
  return {
    wallMs: () => systemClock.wallMs() + byMs,
    monotonicMs: () => systemClock.monotonicMs() + byMs + 86_400_000,
    after: (ms, call) => systemClock.after(ms, call),
    // waits: only as long as the real clock does, when the store retries
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  }
}

export interface PlannerSettings extends Partial<Omit<PlannerOptions, 'store'>> {
  readonly store: PostgresStore
  /** Behaves as the only planner: it races with the others on all shards. */
  readonly alone?: boolean
  /** Replaces the database's clock. */
  readonly nowMs?: () => number
  /** Offset of the planner's own clock. */
  readonly skewMs?: number
}

export function plannerOf(settings: PlannerSettings): Planner {
  const { store, alone = false, nowMs, skewMs = 0, ...options } = settings
  const plan = store.schedules.plan
  const clock = options.clock ?? systemClock
  // Both clocks move: a jump of the database's clock alone is another test.
  const wallMs = nowMs && (() => nowMs() + skewMs)
  const moved = wallMs && { ...clock, wallMs, monotonicMs: wallMs }
  const observed = Object.create(plan, {
    announcePlanner: {
      value: async (id: string, ttlMs: number) => {
        const view = await plan.announcePlanner(id, ttlMs)
        return {
          ...view,
          ...(alone && { planners: [id] }),
          ...(nowMs && { nowMs: nowMs() }),
        }
      },
    },
  }) as PlanStore
  return new Planner({
    ...{ store: bound(plan, observed), clock: systemClock, id: systemRandom.token() },
    ...{ aheadMs: 20_000, ttlMs: 8_000, hintsArrive: () => false },
    ...options,
    ...(moved && { clock: moved }),
  })
}

/** Calls the methods on the store itself: a class with private fields requires it as `this`. */
export function bound(plan: PlanStore, observed: PlanStore): PlanStore {
  return {
    announcePlanner: (id, ttlMs) => observed.announcePlanner(id, ttlMs),
    retirePlanner: (id) => plan.retirePlanner(id),
    dueJobs: (request) => plan.dueJobs(request),
    rules: (timings) => plan.rules(timings),
    calendars: (tenantIds) => plan.calendars(tenantIds),
    askedSkips: (jobIds) => plan.askedSkips(jobIds),
    plan: (jobs, onRefused) => plan.plan(jobs, onRefused),
    pauseFailing: (jobIds) => plan.pauseFailing(jobIds),
    setAside: (job, reason) => plan.setAside(job, reason),
  }
}

/** Ticks until a tick has nothing more to do. */
export async function planAll(planner: Planner): Promise<void> {
  while ((await planner.tick()) === 0);
}

export interface LedgerRow {
  readonly slotMs: number
  readonly fromMs: number
  readonly slots: number
  readonly decision: 'run' | 'skip'
  readonly reason: number
  readonly runId: string | null
}

export async function ledgerOf(t: TestStore, jobId: string): Promise<LedgerRow[]> {
  const { rows } = await t.sql.query(
    `select (extract(epoch from slot_at) * 1000)::float8 as slot_ms, slots, decision, reason, run_id,
       (extract(epoch from coalesce(from_at, slot_at)) * 1000)::float8 as from_ms
     from punctual.slots where job_id = $1 order by slot_at`,
    [jobId],
  )
  return rows.map((row) => ({
    ...{ slotMs: row.slot_ms, fromMs: row.from_ms, slots: row.slots, reason: row.reason },
    ...{ decision: row.decision === 1 ? 'run' : 'skip', runId: row.run_id },
  }))
}

/**
 * Faults in the ledger of a job that was never edited, from its first slot up to its cursor: slots
 * without a decision, slots with two, decisions without a slot, decisions that contradict the runs.
 */
export async function faultsOf(t: TestStore, jobId: string, firstMs: number): Promise<string[]> {
  const { rows } = await t.sql.query(
    `select t.spec, (extract(epoch from c.anchor_at) * 1000)::float8 as anchor_ms,
       (extract(epoch from c.cursor_at) * 1000)::float8 as cursor_ms
     from punctual.cursors c join punctual.timings t on t.id = c.timing where c.job_id = $1`,
    [jobId],
  )
  const { spec, anchor_ms: anchorMs, cursor_ms: cursorMs } = rows[0]
  const next = nextSlotOf({ id: jobId, anchorMs }, decodeRules(spec), new TimingCache())
  const faults: string[] = []
  let expectedMs: number | null = firstMs
  for (const row of await ledgerOf(t, jobId)) {
    if (row.fromMs !== expectedMs)
      faults.push(`${iso(row.fromMs)} follows where ${expectedMs && iso(expectedMs)} should`)
    expectedMs = next(row.slotMs)
    if (next(row.slotMs - 1) !== row.slotMs) faults.push(`${iso(row.slotMs)} is no slot`)
    if ((row.decision === 'run') !== (row.runId !== null)) faults.push(`${iso(row.slotMs)}: run?`)
  }
  if (expectedMs !== null && expectedMs <= cursorMs) faults.push(`${iso(expectedMs)} is missing`)
  const made = await t.sql.query(
    `select r.id from punctual.runs r
     where r.job_id = $1 and r.slot_at is not null
       and not exists (select from punctual.slots s where s.job_id = $1 and s.run_id = r.id)
       and not exists (select from punctual.outcomes o where o.run_id = r.id and o.reason = 'superseded')
     union all
     select s.run_id from punctual.slots s
     where s.job_id = $1 and s.run_id is not null
       and not exists (select from punctual.runs r where r.id = s.run_id)`,
    [jobId],
  )
  return [...faults, ...made.rows.map(({ id }) => `run ${id} and the ledger do not agree`)]
}

const iso = (ms: number) => new Date(ms).toISOString()

/** The cursor of a job, with the next slot to decide. */
export async function cursorOf(t: TestStore, jobId: string) {
  const { rows } = await t.sql.query(
    `select (extract(epoch from next_at) * 1000)::float8 as next_ms, runs_left, failures, paused,
       (extract(epoch from cursor_at) * 1000)::float8 as cursor_ms
     from punctual.cursors where job_id = $1`,
    [jobId],
  )
  const row = rows[0]
  return {
    ...{ nextMs: row.next_ms as number | null, cursorMs: row.cursor_ms as number },
    ...{ runsLeft: row.runs_left as number | null, failures: row.failures, paused: row.paused },
  }
}

/** Terminates one of Punctual's connections, whether idle or in the middle of a statement. */
export async function killConnection(t: TestStore): Promise<void> {
  await t.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'punctual%' and backend_type = 'client backend'
     order by random() limit 1`,
  )
}

/** Slots without a decision, by the rules valid at each slot, up to the job's cursor. */
export async function holesOf(t: TestStore, jobId: string): Promise<string[]> {
  const { jobs, slots } = t.store.schedules
  const job = await jobs.find(jobId, 1)
  if (!job) return ['the job is gone']
  const fromMs = job.createdAt.getTime()
  const found = await slots.slots(job, fromMs, job.cursorAt.getTime(), 100_000)
  return found.filter(({ slot }) => slot === null).map(({ slotMs }) => iso(slotMs))
}

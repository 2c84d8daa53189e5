/** What users and planners do to jobs, on both stores. */
import { compileJob, type DueJob, type JobOptions, type PlannedJob } from '@punctual/core/job'
import { type PostgresStore, systemClock } from '@punctual/store'
import { expect } from 'vitest'
import { plannerOf, planAll as tickAll } from '../kit/planning-kit.ts'
import { HOUR_MS, type Twins } from './twins.ts'

/** Declares a job again, or for the first time after it was deleted. */
export async function declare(twins: Twins, options: JobOptions): Promise<void> {
  const job = compileJob(options, { timezone: 'UTC', jitterMs: 0 })
  const [theirs] = await twins.t.store.schedules.jobs.upsert([job], 1)
  const { rows } = await twins.t.sql.query('select id, spec from punctual.timings')
  const { db, client } = twins.memory
  db.transact(() => {
    for (const { id, spec } of rows) db.timings.set(String(id), spec)
  })
  await twins.learnSlots()
  expect(await client.jobs.upsert(job, theirs?.id)).toEqual(theirs)
  if (theirs?.change === 'created') twins.jobs.push(theirs.id)
}

export async function steer(
  twins: Twins,
  pick: number,
  how: 'pause' | 'resume' | 'delete',
): Promise<void> {
  const id = twins.jobs[pick % Math.max(1, twins.jobs.length)]
  if (!id) return
  const { steering } = twins.t.store.schedules
  const theirs = await (how === 'pause' ? steering.pause(id, null, 1) : steering[how](id, 1))
  await twins.learnSlots()
  expect(await twins.memory.client.jobs[how](id)).toBe(theirs)
  if (how === 'delete') twins.jobs.splice(twins.jobs.indexOf(id), 1)
}

export async function trigger(twins: Twins, job: number): Promise<void> {
  const jobId = twins.jobs[job % Math.max(1, twins.jobs.length)]
  if (!jobId) return
  const id = await twins.t.store.schedules.steering.trigger(jobId, null, 1)
  await twins.memory.client.jobs.trigger(jobId, id)
  twins.runs.push(id)
}

/** Decides the next slot of a job that exists in both stores, and records the plan. */
export async function plan(
  twins: Twins,
  pick: number,
  how: 'run' | 'late' | 'skip' | 'again',
): Promise<void> {
  const request = { shards: allShards, fromMs: 0, untilMs: FAR_MS, limit: 1_000 }
  const theirs = await twins.t.store.schedules.plan.dueJobs(request)
  const ours = await twins.memory.plan.dueJobs(request)
  const byId = (jobs: readonly DueJob[]) => jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(byId(ours)).toEqual(byId(theirs))
  const job = byId(theirs)[pick % Math.max(1, theirs.length)]
  const old = twins.planned[pick % Math.max(1, twins.planned.length)]
  const plan = how === 'again' ? old : job && planOf(job, how)
  if (!plan) return
  const refused = async () => expect.unreachable('none of these plans is refused')
  const accepted = await twins.t.store.schedules.plan.plan([plan], refused)
  await twins.learnSlots()
  expect(await twins.memory.plan.plan([plan])).toBe(accepted)
  twins.planned.push(plan)
}

const SURELY_PAST_MS = 20

/** Lets a planner of each store decide all slots up to the same time, which moves ahead. */
export async function planAll(twins: Twins, byMs: number): Promise<void> {
  // The slots of new jobs, which are due at once, are due for both stores.
  await twins.pass(SURELY_PAST_MS)
  const nowMs = passed(twins, byMs)
  await tickAll(plannerOf({ store: twins.t.store, alone: true, nowMs: () => nowMs }))
  await twins.learnSlots()
  await planInMemory(twins, nowMs)
}

export function passed(twins: Twins, byMs: number): number {
  twins.aheadMs += byMs
  return systemClock.wallMs() + twins.aheadMs
}

/** Jobs with slots at the same time are planned in any order: the memory takes that of PostgreSQL. */
export async function planInMemory({ t, memory }: Twins, nowMs: number): Promise<void> {
  const store = { schedules: { plan: memory.plan } } as unknown as PostgresStore
  await tickAll(plannerOf({ store, alone: true, nowMs: () => nowMs }))
  const { rows } = await t.sql.query(
    'select run_id, (pos >> 20)::float8 as ms, (pos & 1048575)::integer as seq from punctual.queue',
  )
  const { queue } = memory.db
  memory.db.transact(() => {
    for (const { run_id: id, ms: posMs, seq } of rows) {
      const row = queue.get(id)
      if (row) queue.set(id, { ...row, posMs, seq })
    }
  })
}

const FAR_MS = Date.UTC(2100, 0, 1)
const allShards = Array.from({ length: 256 }, (_, shard) => shard)

function planOf(job: DueJob, how: 'run' | 'late' | 'skip'): PlannedJob {
  const { nextMs, runsLeft, anchorMs } = job
  const slot = { slotMs: nextMs, fromMs: nextMs, slots: 1 }
  const decision =
    how === 'skip'
      ? ({ ...slot, decision: 'skip', reason: 'misfire' } as const)
      : ({
          ...slot,
          decision: 'run',
          reason: how === 'late' ? 'late' : 'on-time',
          dueMs: 1,
        } as const)
  const afterEnd = anchorMs === null || anchorMs === nextMs
  return {
    ...{ job, decisions: [decision], runsLeft, computed: !afterEnd },
    ...(afterEnd ? { nextMs: null, anchorMs: null } : { nextMs: nextMs + HOUR_MS, anchorMs }),
  }
}

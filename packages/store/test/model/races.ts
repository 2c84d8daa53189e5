/**
 * Two statements that race for the same row. Where that is cheap, both wait at the row before
 * either may continue, so that they meet every time. The answers and the rows must be those of one
 * order.
 */
import type { ClaimedRun } from '@punctual/core/ports'
import { cancelled, eventually, type ModelRun, parked, settled } from '@punctual/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { planAll } from '../kit/planning-kit.ts'
import { plannerIn, plans, steers } from './jobs.ts'
import { holderOf, newRun, submissionOf, submitted } from './steering.ts'
import {
  CRASHES_UNTIL_QUARANTINE,
  comeBack,
  countsOf,
  fence,
  type How,
  holds,
  settlementOf,
  took,
  workerOf,
} from './working.ts'
import { change, command, type Model, pick, type Real } from './world.ts'

/** How many sessions wait for this one, directly or behind another waiting session. */
const WAITING = `
  with waiting as materialized (select pid, pg_blocking_pids(pid) as behind from pg_locks where not granted),
  first as (select pid from waiting where pg_backend_pid() = any (behind))
  select count(distinct pid)::int as waiting
  from waiting
  where pg_backend_pid() = any (behind) or behind && array(select pid from first)`

/** Locks the lease of a run until both statements wait for it. */
async function atLease<A, B>(
  { t }: Real,
  runId: string,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  await t.sql.query('begin')
  await t.sql.query('select from punctual.leases where run_id = $1 for update', [runId])
  const both = Promise.all([first(), second()])
  try {
    await eventually(
      'both wait for the lease',
      async () => {
        const { rows } = await t.sql.query(WAITING)
        return rows[0].waiting >= 2
      },
      5_000,
    )
  } finally {
    await t.sql.query('commit')
  }
  return both
}

/** A run that this worker believes to hold, and that it does hold. */
function heldBy(model: Model, by: number): ClaimedRun | undefined {
  const worker = workerOf(model, by)
  return worker.gone ? undefined : worker.held.find(({ id, fence }) => holds(model, id, fence))
}

const forget = (model: Model, by: number, run: ClaimedRun) => {
  const worker = workerOf(model, by)
  worker.held = worker.held.filter((held) => held !== run)
}

const how = fc.constantFrom<How>('ok', 'fail', 'interrupt')

const settleAgainstReaper = fc.record({ by: fc.nat(2), how }).map(({ by, how }) =>
  command(
    `settle(${by}, ${how}) against the reaper`,
    (model) => heldBy(model, by) !== undefined,
    async (model, real) => {
      const { t, rival } = real
      const worker = workerOf(model, by)
      const run = heldBy(model, by) as ClaimedRun
      const [settlement, ending] = settlementOf(run, how, 'now')
      await t.expire(worker.session)
      const [refused, reaped] = await Promise.all([
        t.store.work.settle(worker.session, [settlement]),
        rival.upkeep.reap([worker.session], CRASHES_UNTIL_QUARANTINE),
      ])
      if (refused.length === 0) change(model, run.id, (before) => settled(before, ending))
      // The reaper skips a lease that is being settled, and its session stays until the next pass.
      const skipped = refused.length === 0 && reaped.sessions === 0
      const lost = fence(model, worker)
      worker.gone = !skipped
      expect(reaped, 'the reaper takes the runs that are not settled').toEqual(
        countsOf(skipped ? 0 : 1, lost),
      )
      forget(model, by, run)
    },
  ),
)

const settleAgainstCancel = fc.record({ by: fc.nat(2), how }).map(({ by, how }) =>
  command(
    `settle(${by}, ${how}) against a cancel`,
    (model) => {
      const run = heldBy(model, by)
      return run !== undefined && !model.runs.get(run.id)?.lease?.cancelling
    },
    async (model, real) => {
      const { t, rival } = real
      const run = heldBy(model, by) as ClaimedRun
      const [settlement, ending] = settlementOf(run, how, 'now')
      const [refused] = await atLease(
        real,
        run.id,
        () => t.store.work.settle(workerOf(model, by).session, [settlement]),
        () => rival.steering.cancel([run.id], 'asked'),
      )
      expect(refused).toEqual([])
      // In both orders: a final settlement stays, and a retry is cancelled.
      change(model, run.id, (before) => {
        const after = settled(before, ending)
        return after.final === null ? cancelled(after) : after
      })
      forget(model, by, run)
    },
  ),
)

const claimAgainstClaim = fc.integer({ min: 1, max: 3 }).map((limit) =>
  command(
    `claim(${limit}) against claim(${limit})`,
    (model) => workerOf(model, 0).alive && workerOf(model, 1).alive,
    async (model, { t, rival }) => {
      const workers = [workerOf(model, 0), workerOf(model, 1)] as const
      const results = await Promise.all([
        t.claim(workers[0].session, limit),
        t.claim(workers[1].session, limit, rival),
      ])
      for (const [i, { runs, parked: waiting }] of results.entries()) {
        expect(runs.length).toBeLessThanOrEqual(limit)
        took(model, workers[i as 0 | 1], runs)
        for (const id of waiting) change(model, id, parked)
      }
    },
  ),
)

const claimAgainstCancel = fc.record({ by: fc.nat(2), n: fc.nat() }).map(({ by, n }) =>
  command(
    `claim(${by}) against cancel(${n})`,
    (model) => workerOf(model, by).alive && dueRun(model, n) !== undefined,
    async (model, real) => {
      const { t, rival } = real
      const worker = workerOf(model, by)
      await comeBack(worker, real)
      const { id } = dueRun(model, n) as ModelRun
      const [result, answers] = await Promise.all([
        t.claim(worker.session, 2),
        rival.steering.cancel([id], 'asked'),
      ])
      took(model, worker, result.runs)
      for (const parkedId of result.parked) change(model, parkedId, parked)
      const isHeld = model.runs.get(id)?.lease !== null
      expect(answers.get(id), 'the cancel finds the run, queued or claimed').toBe(
        isHeld ? 'cancelling' : 'cancelled',
      )
      change(model, id, cancelled)
    },
  ),
)

const dueRun = (model: Model, n: number) =>
  pick(
    [...model.runs.values()].filter(({ place, due }) => place === 'queue' && due),
    n,
  )

const submitAgainstSubmit = submitted.map((given) =>
  command(
    `submit(c, ${given.distance}) against submit(c)`,
    () => true,
    async (model, { t, rival }) => {
      const keyed = { ...given, key: 'c' }
      const holder = holderOf(model, 'c')
      const submission = submissionOf(keyed)
      const both = await Promise.all([t.store.submit([submission]), rival.submit([submission])])
      const [id, other] = both.map(([accepted]) => accepted?.id as string)
      const created = both.filter(([accepted]) => accepted?.created)
      expect(created.length, 'one of them creates the run, unless it exists').toBe(holder ? 0 : 1)
      expect([id, other]).toEqual(holder ? [holder.id, holder.id] : [id, id])
      if (!holder) model.runs.set(id as string, newRun(id as string, keyed))
    },
  ),
)

const planAgainstPause = fc.nat().map((n) =>
  command(
    `plan() against pause(${n})`,
    (model) => model.jobs.size > 0,
    async (model, { t, rival }) => {
      const job = pick(model.jobs.values(), n) as { id: string; paused: boolean }
      const [, done] = await Promise.all([
        planAll(plannerIn(model, t.store)),
        rival.schedules.steering.pause(job.id, null, 1),
      ])
      expect(done).toBe(!job.paused)
      job.paused = true
      const { moves } = steers(job.id)
      // The pause may already have cancelled planned runs.
      const makes = (run: ModelRun) =>
        plans(model).makes?.(run) === true || (run.jobId === job.id && run.final === 'cancelled')
      return { makes, ...(moves && { moves }) }
    },
  ),
)

const renewAgainstReaper = fc.nat(2).map((by) =>
  command(
    `renew(${by}) against the reaper`,
    (model) => !workerOf(model, by).gone,
    async (model, { t, rival }) => {
      const worker = workerOf(model, by)
      await t.expire(worker.session)
      const [renewed, reaped] = await Promise.all([
        t.store.work.renewSession(worker.session),
        rival.upkeep.reap([worker.session], CRASHES_UNTIL_QUARANTINE),
      ])
      worker.alive = renewed !== null
      const lost = renewed ? [] : fence(model, worker)
      expect(reaped, 'exactly one of the two wins').toEqual(countsOf(renewed ? 0 : 1, lost))
    },
  ),
)

export const raceCommands = [
  { weight: 2, arbitrary: settleAgainstReaper },
  { weight: 2, arbitrary: settleAgainstCancel },
  { weight: 2, arbitrary: claimAgainstClaim },
  { weight: 2, arbitrary: claimAgainstCancel },
  { weight: 1, arbitrary: submitAgainstSubmit },
  { weight: 1, arbitrary: planAgainstPause },
  { weight: 1, arbitrary: renewAgainstReaper },
]

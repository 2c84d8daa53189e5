/** Commands of workers and of the reaper: claim, mark, settle, give back, die, renew, reap. */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { decideAfterFailure, defaultRetryPolicy } from '@punctual/core/run'
import {
  claimed,
  type Distance,
  dead,
  type Ending,
  givenBack,
  isHeldBy,
  type ModelRun,
  marked,
  parked,
  reaped,
  retry,
  settled,
  succeeded,
} from '@punctual/testkit'
import fc from 'fast-check'
import { expect } from 'vitest'
import { change, command, type Leeway, type Model, type ModelWorker, type Real } from './world.ts'

export const CRASHES_UNTIL_QUARANTINE = 3
const DELAYS: Record<Distance, number> = { now: 0, near: 30_000, far: 3_600_000 }

export const workerOf = (model: Model, n: number) => model.workers[n] as ModelWorker

/**
 * A process that finds its session gone opens another; the runs it believes to hold stay in memory.
 */
export async function comeBack(worker: ModelWorker, { t }: Real): Promise<void> {
  if (!worker.gone) return
  worker.session = await t.session(600_000)
  worker.gone = false
  worker.alive = true
}

/** Moves claimed runs in the model; each must have been queued and due. */
export function took(model: Model, worker: ModelWorker, runs: readonly ClaimedRun[]): void {
  for (const run of runs) {
    const before = model.runs.get(run.id) as ModelRun
    expect(before.place, `run ${run.id} waits`).toBe('queue')
    expect(before.due || run.dueMs <= Date.now() + 5, `run ${run.id} is due`).toBe(true)
    expect([run.attempt, run.crashes]).toEqual([before.attempt, before.crashes])
    change(model, run.id, (queued) => claimed(queued, run.fence.toString(), worker.session))
    worker.held.push(run)
  }
}

/** The changes that resolving parked runs may make. */
export const resolves: Leeway = {
  moves: (before, now) =>
    now.overlap !== 'allow' &&
    (now.final === 'skipped' || now.final === 'cancelled' || now.lease?.cancelling === true) &&
    before.final === null,
}

const claim = fc
  .record({ by: fc.nat(2), limit: fc.integer({ min: 1, max: 4 }), resolve: fc.boolean() })
  .map(({ by, limit, resolve }) =>
    command(
      `claim(${by}, ${limit}, ${resolve})`,
      () => true,
      async (model, real) => {
        const worker = workerOf(model, by)
        await comeBack(worker, real)
        const result = await real.t.claim(worker.session, limit)
        expect(result.sessionAlive).toBe(worker.alive)
        if (!worker.alive) expect(result.runs).toEqual([])
        expect(result.runs.length + result.parked.length).toBeLessThanOrEqual(limit)
        took(model, worker, result.runs)
        for (const id of result.parked) change(model, id, parked)
        if (!resolve || result.parked.length === 0) return
        await real.t.store.work.resolveParked(result.parked)
        return resolves
      },
    ),
  )

const mark = fc
  .record({ by: fc.nat(2), many: fc.integer({ min: 1, max: 3 }) })
  .map(({ by, many }) =>
    command(
      `mark(${by}, ${many})`,
      (model) => workerOf(model, by).held.length > 0,
      async (model, { t }) => {
        const runs = workerOf(model, by).held.slice(0, many)
        const ours = runs.filter(({ id, fence }) => holds(model, id, fence)).map(({ id }) => id)
        expect([...(await t.store.work.markStarted(runs))].sort()).toEqual(ours.sort())
        for (const id of ours) change(model, id, marked)
      },
    ),
  )

export const holds = (model: Model, id: string, fence: bigint) =>
  isHeldBy(model.runs.get(id) as ModelRun, fence.toString())

export type How = 'ok' | 'fail' | 'interrupt' | 'dead' | 'cancelled'

/** The settlement that a worker would send, and its effect in the model. */
export function settlementOf(run: ClaimedRun, how: How, distance: Distance): [Settlement, Ending] {
  if (how === 'ok') return [succeeded(run), { kind: 'succeeded' }]
  if (how === 'cancelled') {
    const base = { run, startedAgoMs: 1, failure: null, reason: 'asked' }
    return [{ kind: 'cancelled', ...base }, { kind: 'cancelled' }]
  }
  const failures = run.attempt + 1 - run.crashes
  const failed = { outcome: 'failed', nonRetryable: false, retryAfterMs: null, codes: [] } as const
  const { maxAttempts } = run
  const next = decideAfterFailure({ ...failed, failures, maxAttempts }, defaultRetryPolicy, 0)
  // An at-most-once run is not retried after it has started.
  const onceMore = (run.traits & 2) === 0 && (next.kind === 'retry' || how === 'interrupt')
  if (how === 'dead' || !onceMore) return [dead(run), { kind: 'dead' }]
  const again = retry(run, DELAYS[distance]) as Extract<Settlement, { kind: 'retry' }>
  const settlement = how === 'interrupt' ? { ...again, outcome: 'cancelled' as const } : again
  return [settlement, { kind: 'retry', distance }]
}

/** Some of the runs that a worker believes to hold; a run that it held twice counts once. */
function takeHeld(worker: ModelWorker, from: number, many: number): ClaimedRun[] {
  const at = from % worker.held.length
  const runs = worker.held.slice(at, at + many)
  const first = runs.filter((run, i) => runs.findIndex(({ id }) => id === run.id) === i)
  worker.held = worker.held.filter((run) => !first.includes(run))
  return first
}

const how = fc.constantFrom<How>('ok', 'ok', 'fail', 'interrupt', 'dead', 'cancelled')
const distance = fc.constantFrom<Distance>('now', 'near', 'far')

const settle = fc
  .record({
    by: fc.nat(2),
    from: fc.nat(),
    hows: fc.array(how, { minLength: 1, maxLength: 3 }),
    distance,
    twice: fc.boolean(),
  })
  .map(({ by, from, hows, distance, twice }) =>
    command(
      `settle(${by}, ${from}, ${hows}, ${distance}${twice ? ', twice' : ''})`,
      (model) => workerOf(model, by).held.length > 0,
      async (model, { t }) => {
        const worker = workerOf(model, by)
        const runs = takeHeld(worker, from, hows.length)
        const both = runs.map((run, i) => settlementOf(run, hows[i] as How, distance))
        const settlements = both.map(([settlement]) => settlement)
        const stale = runs.filter(({ id, fence }) => !holds(model, id, fence)).map(({ id }) => id)
        const refused = await t.store.work.settle(worker.session, settlements)
        expect([...refused].sort(), 'exactly the runs that are not held are refused').toEqual(
          stale.sort(),
        )
        for (const [i, { id }] of runs.entries())
          if (!stale.includes(id))
            change(model, id, (run) => settled(run, (both[i] as [unknown, Ending])[1]))
        if (!twice) return
        const again = await t.store.work.settle(worker.session, settlements)
        expect([...again].sort(), 'settling twice gives the first answer').toEqual(stale)
      },
    ),
  )

const giveBack = fc
  .record({ by: fc.nat(2), many: fc.integer({ min: 1, max: 3 }) })
  .map(({ by, many }) =>
    command(
      `giveBack(${by}, ${many})`,
      (model) => workerOf(model, by).held.length > 0,
      async (model, { t }) => {
        const runs = workerOf(model, by).held.splice(0, many)
        await t.store.work.giveBack(runs)
        for (const { id, fence } of runs) if (holds(model, id, fence)) change(model, id, givenBack)
      },
    ),
  )

/** The process sends no heartbeat: its lease expires without its knowledge. */
const crash = fc.nat(2).map((by) =>
  command(
    `crash(${by})`,
    (model) => workerOf(model, by).alive,
    async (model, { t }) => {
      const worker = workerOf(model, by)
      await t.expire(worker.session)
      worker.alive = false
    },
  ),
)

const renew = fc.nat(2).map((by) =>
  command(
    `renew(${by})`,
    () => true,
    async (model, { t }) => {
      const worker = workerOf(model, by)
      const renewed = await t.store.work.renewSession(worker.session)
      expect(renewed !== null).toBe(!worker.gone)
      if (!worker.gone) worker.alive = true
    },
  ),
)

/** Fences a worker in the model and reaps its runs. Returns those runs in their new states. */
export function fence(model: Model, worker: ModelWorker): ModelRun[] {
  worker.gone = true
  worker.alive = false
  const lost = [...model.runs.values()].filter((run) => run.lease?.session === worker.session)
  for (const { id } of lost) change(model, id, (run) => reaped(run, CRASHES_UNTIL_QUARANTINE))
  return lost.map(({ id }) => model.runs.get(id) as ModelRun)
}

export function countsOf(sessions: number, lost: readonly ModelRun[]) {
  const ended = (state: string) => lost.filter(({ final }) => final === state).length
  return {
    ...{ sessions, returned: lost.filter(({ final }) => final === null).length },
    ...{ dead: ended('dead'), unknown: ended('unknown'), cancelled: ended('cancelled') },
  }
}

/** Also names live sessions, which the reaper must skip. */
const reap = fc.constant(
  command(
    'reap()',
    () => true,
    async (model, { t }) => {
      const sessions = model.workers.map(({ session }) => session)
      const dying = model.workers.filter(({ alive, gone }) => !alive && !gone)
      const result = await t.reap(sessions, CRASHES_UNTIL_QUARANTINE)
      const lost = dying.flatMap((worker) => fence(model, worker))
      expect(result).toEqual(countsOf(dying.length, lost))
    },
  ),
)

/** A worker that has started some of its runs dies and is reaped. */
const die = fc
  .record({ by: fc.nat(2), begun: fc.integer({ min: 0, max: 3 }) })
  .map(({ by, begun }) =>
    command(
      `die(${by}, ${begun})`,
      (model) => workerOf(model, by).alive && workerOf(model, by).held.length > 0,
      async (model, { t }) => {
        const worker = workerOf(model, by)
        const runs = worker.held.slice(0, begun)
        if (begun > 0) await t.store.work.markStarted(runs)
        for (const { id, fence } of runs) if (holds(model, id, fence)) change(model, id, marked)
        await t.expire(worker.session)
        const result = await t.reap([worker.session], CRASHES_UNTIL_QUARANTINE)
        expect(result).toEqual(countsOf(1, fence(model, worker)))
      },
    ),
  )

/** A live worker is reaped, another one claims its runs, and the first one tries to settle them. */
const haunt = fc.record({ by: fc.nat(2), how, distance }).map(({ by, how, distance }) =>
  command(
    `haunt(${by}, ${how}, ${distance})`,
    (model) => workerOf(model, by).alive && workerOf(model, by).held.length > 0,
    async (model, real) => {
      const { t } = real
      const zombie = workerOf(model, by)
      await t.expire(zombie.session)
      const result = await t.reap([zombie.session], CRASHES_UNTIL_QUARANTINE)
      expect(result).toEqual(countsOf(1, fence(model, zombie)))
      const heir = workerOf(model, (by + 1) % model.workers.length)
      await comeBack(heir, real)
      const { runs, parked: waiting } = await t.claim(heir.session, 10)
      took(model, heir, runs)
      for (const id of waiting) change(model, id, parked)
      for (const run of zombie.held.splice(0)) {
        const [settlement] = settlementOf(run, how, distance)
        expect(await t.store.work.settle(zombie.session, [settlement])).toEqual([run.id])
      }
    },
  ),
)

export const workCommands = [
  { weight: 14, arbitrary: claim },
  { weight: 5, arbitrary: mark },
  { weight: 14, arbitrary: settle },
  { weight: 4, arbitrary: giveBack },
  { weight: 2, arbitrary: crash },
  { weight: 2, arbitrary: renew },
  { weight: 3, arbitrary: reap },
  { weight: 6, arbitrary: die },
  { weight: 6, arbitrary: haunt },
]

/** The steps of random histories on both stores. */
import type { JobOptions } from '@punctual/core/job'
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { decideAfterFailure, defaultRetryPolicy, traits } from '@punctual/core/run'
import type { SubmitOptions } from '@punctual/core/submit'
import { awaiting, dead, retry, succeeded } from '@punctual/testkit'
import fc from 'fast-check'
import * as flow from './twin-flow.ts'
import * as jobs from './twin-jobs.ts'
import * as runs from './twin-runs.ts'
import { OVERLAPS, type Twins } from './twins.ts'

const HALF_HOUR_MS = 1_800_000

const worker = fc.nat(2)
const pick = fc.nat(1_000)
const hows = [
  ...(['ok', 'dead', 'cancelled', 'fail', 'interrupt', 'await', 'doubt'] as const),
  // What no worker does: it decides by the policy of the run.
  ...(['retry', 'far', 'twice', 'other'] as const),
] as const

/** Every kind of step, with its random input. */
export const kinds = {
  submit: fc.record({
    key: fc.option(fc.constantFrom('a', 'b')),
    far: fc.boolean(),
    priority: fc.constantFrom(5, 9),
    delivery: fc.constantFrom('at-least-once', 'at-least-once', 'at-most-once' as const),
    crashes: fc.boolean(),
    gate: fc.option(fc.record({ key: fc.constantFrom('a', 'b'), limit: fc.constantFrom(1, 2) })),
    rate: fc.option(fc.record({ key: fc.constantFrom('a', 'b'), burst: fc.constantFrom(1, 2) })),
  }),
  trigger: fc.record({ pick }),
  declare: fc.record({
    name: fc.constantFrom(...OVERLAPS, 'after end'),
    overlap: fc.constantFrom(...OVERLAPS),
    hours: fc.constantFrom(1, 2),
    maxRuns: fc.option(fc.constantFrom(1, 3)),
  }),
  steer: fc.record({ pick, how: fc.constantFrom('pause', 'resume', 'resume', 'delete' as const) }),
  claim: fc.record({ worker, limit: fc.integer({ min: 1, max: 4 }) }),
  settle: fc.record({ worker, pick, how: fc.constantFrom(...hows), batch: fc.boolean() }),
  report: fc.record({ pick, fails: fc.boolean() }),
  mark: fc.record({ worker, pick }),
  giveBack: fc.record({ worker, pick }),
  checkpoint: fc.record({ worker, pick }),
  die: fc.record({ worker }),
  cancel: fc.record({ pick }),
  reschedule: fc.record({ pick, far: fc.boolean() }),
  hasten: fc.record({ pick }),
  reprioritise: fc.record({ pick, priority: fc.constantFrom(5, 9) }),
  edit: fc.record({ pick, value: pick }),
  replay: fc.record({ pick, payload: fc.option(fc.constant('"again"')), kept: fc.boolean() }),
  discard: fc.record({ pick }),
  promote: fc.record({ limit: fc.constantFrom(1, 100) }),
  resolve: fc.record({}),
  plan: fc.record({ pick, how: fc.constantFrom('run', 'run', 'late', 'skip', 'again' as const) }),
  planAll: fc.record({ halfHours: fc.nat(4) }),
  ask: fc.record({ worker, pick }),
  audit: fc.record({}),
  pause: fc.record({ all: fc.boolean(), on: fc.boolean() }),
  limit: fc.record({
    all: fc.boolean(),
    concurrency: fc.option(fc.integer({ min: 1, max: 3 })),
    burst: fc.option(fc.integer({ min: 1, max: 3 })),
  }),
  wait: fc.record({ halfHours: fc.integer({ min: 1, max: 4 }) }),
  bookAhead: fc.record({}),
  closeGaps: fc.record({}),
  drain: fc.record({ worker, on: fc.boolean() }),
}

type Kinds = typeof kinds
export type Step = {
  [K in keyof Kinds]: { kind: K; input: Kinds[K] extends fc.Arbitrary<infer T> ? T : never }
}[keyof Kinds]

const weights: Partial<Record<keyof Kinds, number>> = {
  submit: 5,
  trigger: 5,
  claim: 7,
  settle: 7,
  plan: 4,
  declare: 2,
  steer: 2,
  replay: 3,
}

/** Random steps of these kinds. */
export const stepOf = (chosen: Partial<Record<keyof Kinds, fc.Arbitrary<unknown>>>) =>
  fc.oneof(
    ...Object.entries(chosen).map(([kind, arbitrary]) => ({
      weight: weights[kind as keyof Kinds] ?? 1,
      arbitrary: arbitrary.map((value) => ({ kind, input: value }) as Step),
    })),
  )

const settlementOf = (run: ClaimedRun, how: (typeof hows)[number]): Settlement => {
  if (how === 'retry') return retry(run)
  if (how === 'far') return retry(run, 3_600_000)
  if (how === 'dead') return dead(run)
  if (how === 'fail' || how === 'interrupt') return byPolicy(run, how)
  const reason = 'asked'
  if (how === 'await') return awaiting(run)
  if (how === 'doubt') {
    const failure = { name: 'UnclearOutcomeError', message: 'unclear' }
    return { kind: 'unknown', run, startedAgoMs: 1, outcome: 'failed', failure, reason }
  }
  if (how === 'cancelled') return { kind: 'cancelled', run, startedAgoMs: 1, failure: null, reason }
  return succeeded(run, '"done"')
}

/** What a worker decides; an at-most-once run is not retried after it has started. */
export function byPolicy(run: ClaimedRun, how: 'fail' | 'interrupt'): Settlement {
  const failures = run.attempt + 1 - run.crashes
  const failed = { outcome: 'failed', nonRetryable: false, retryAfterMs: null, codes: [] } as const
  const { maxAttempts } = run
  const next = decideAfterFailure({ ...failed, failures, maxAttempts }, defaultRetryPolicy, 0)
  const again = (run.traits & traits.atMostOnce) === 0
  if (!again || (next.kind !== 'retry' && how === 'fail')) return dead(run)
  const settlement = retry(run)
  return how === 'interrupt' ? ({ ...settlement, outcome: 'cancelled' } as Settlement) : settlement
}

function submitOptions(input: Extract<Step, { kind: 'submit' }>['input']): SubmitOptions {
  return {
    ...(input.key && { key: input.key }),
    ...(input.far && { delayMs: 3_600_000 }),
    ...{ priority: input.priority, delivery: input.delivery },
    ...(!input.crashes && { retry: { retryOn: ['failed'] } }),
    ...(input.gate && { concurrency: input.gate }),
    ...(input.rate && { rate: { ...input.rate, limit: 1, per: 'hour' } }),
  }
}

function jobOptions(input: Extract<Step, { kind: 'declare' }>['input']): JobOptions {
  const { name, overlap, hours, maxRuns } = input
  const when = name === 'after end' ? { everyAfterEnd: `${hours}h` } : { every: `${hours}h` }
  return { name, handler: 'test', overlap, ...when, ...(maxRuns && { maxRuns }) }
}

export async function perform(twins: Twins, { kind, input }: Step): Promise<void> {
  const heldOf = (by: number) => twins.held[by] as ClaimedRun[]
  switch (kind) {
    case 'submit':
      return runs.submit(twins, submitOptions(input))
    case 'trigger':
      return jobs.trigger(twins, input.pick)
    case 'declare':
      return jobs.declare(twins, jobOptions(input))
    case 'steer':
      return jobs.steer(twins, input.pick, input.how)
    case 'claim':
      return runs.claim(twins, input.worker, input.limit)
    case 'settle':
      return settle(twins, input)
    case 'report':
      return runs.report(twins, input.pick, input.fails)
    case 'mark':
    case 'checkpoint': {
      const run = heldOf(input.worker)[input.pick % Math.max(1, heldOf(input.worker).length)]
      if (!run) return
      if (kind === 'mark') await twins.both(({ work }) => work.markStarted([run]))
      else await twins.both(({ work }) => work.saveCheckpoint(run, '1'))
      return
    }
    case 'giveBack': {
      const [run] = heldOf(input.worker).splice(
        input.pick % Math.max(1, heldOf(input.worker).length),
        1,
      )
      if (run) await twins.both(({ work }) => work.giveBack([run]))
      return
    }
    case 'die':
      return runs.die(twins, input.worker)
    case 'cancel':
      return runs.cancel(twins, input.pick)
    case 'reschedule':
      return runs.reschedule(twins, input.pick, input.far)
    case 'hasten':
      return runs.hasten(twins, input.pick)
    case 'reprioritise':
      return runs.reprioritise(twins, input.pick, input.priority)
    case 'edit':
      return runs.edit(twins, input.pick, String(input.value))
    case 'replay':
      return runs.replay(twins, input.pick, input.payload, input.kept)
    case 'discard':
      return runs.discard(twins, input.pick)
    case 'promote':
      return flow.promote(twins, input.limit)
    case 'resolve':
      await twins.both(({ upkeep }) => upkeep.resolveParked(0))
      return
    case 'plan':
      return jobs.plan(twins, input.pick, input.how)
    case 'planAll':
      return jobs.planAll(twins, input.halfHours * HALF_HOUR_MS)
    case 'ask':
      return ask(twins, input)
    case 'audit':
      return audit(twins)
    case 'pause':
      return flow.pause(twins, input.all ? null : 'default', input.on)
    case 'limit':
      return flow.limit(twins, input.all ? null : 'default', input.concurrency, input.burst)
    case 'wait':
      return flow.wait(twins, input.halfHours * HALF_HOUR_MS)
    case 'bookAhead':
      return flow.bookAhead(twins)
    case 'closeGaps':
      return flow.closeGaps(twins)
    case 'drain':
      return flow.drain(twins, input.worker, input.on)
  }
}

/**
 * Settles one run that a worker holds, dead or alive, or two together of which one may be stale.
 */
async function settle(
  twins: Twins,
  input: Extract<Step, { kind: 'settle' }>['input'],
): Promise<void> {
  const held = twins.held[input.worker] as ClaimedRun[]
  const taken = held.splice(input.pick % Math.max(1, held.length), input.batch ? 2 : 1)
  if (new Set(taken.map(({ id }) => id)).size < taken.length) taken.pop()
  if (taken.length === 0) return
  const settlements = taken.map((run) => settlementOf(run, input.how))
  await runs.settle(twins, input.worker, settlements)
  if (input.how === 'await') twins.awaiting.push(...taken)
  if (input.how === 'twice') await runs.settle(twins, input.worker, settlements)
  if (input.how === 'other')
    await runs.settle(
      twins,
      input.worker,
      taken.map((run) => retry(run)),
    )
}

async function ask(twins: Twins, input: { worker: number; pick: number }): Promise<void> {
  const held = twins.held[input.worker] as ClaimedRun[]
  const known = held.slice(input.pick % 2).map(({ fence }) => fence)
  const session = twins.sessions[input.worker] as string
  await twins.both(({ work }) => work.strayLeases(session, known))
  if (held.length > 0) await twins.both(({ work }) => work.cancelRequests(held))
  const ids = twins.runs.slice(0, 5)
  if (ids.length > 0) await twins.both(({ work }) => work.checkpoints(ids))
}

async function audit(twins: Twins): Promise<void> {
  await twins.both(({ upkeep }) => upkeep.orphanSessions())
  await twins.both(async (store) => (await store.audit.freeHolds(null, 100)).runs)
  await twins.both(async (store) => (await store.audit.unplannedRuns(null, 1_000)).runs)
  await twins.both((store) => store.audit.freeParked(0))
}

/**
 * The store in memory is a model of the one on PostgreSQL, and this is what holds it to it: random histories are
 * played on both, every answer and everything in every table is compared after each step.
 */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { SubmitOptions } from '@punctual/core/submit'
import { dead, postgresMajors, retry, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Twins } from './twins.ts'

const HISTORIES = 15

const worker = fc.nat(2)
const pick = fc.nat(1_000)
const hows = ['ok', 'retry', 'far', 'dead', 'cancelled', 'twice', 'other'] as const

const kinds = {
  submit: fc.record({
    key: fc.option(fc.constantFrom('a', 'b')),
    far: fc.boolean(),
    priority: fc.constantFrom(5, 9),
    delivery: fc.constantFrom('at-least-once', 'at-least-once', 'at-most-once' as const),
    crashes: fc.boolean(),
  }),
  trigger: fc.record({ pick }),
  claim: fc.record({ worker, limit: fc.integer({ min: 1, max: 4 }) }),
  settle: fc.record({ worker, pick, how: fc.constantFrom(...hows), batch: fc.boolean() }),
  mark: fc.record({ worker, pick }),
  giveBack: fc.record({ worker, pick }),
  checkpoint: fc.record({ worker, pick }),
  die: fc.record({ worker }),
  cancel: fc.record({ pick }),
  reschedule: fc.record({ pick, far: fc.boolean() }),
  promote: fc.record({ limit: fc.constantFrom(1, 100) }),
  resolve: fc.record({}),
  plan: fc.record({ pick, how: fc.constantFrom('run', 'run', 'late', 'skip', 'again' as const) }),
  ask: fc.record({ worker, pick }),
  audit: fc.record({}),
  pause: fc.record({ all: fc.boolean(), on: fc.boolean() }),
  drain: fc.record({ worker, on: fc.boolean() }),
}

type Kinds = typeof kinds
type Step = {
  [K in keyof Kinds]: { kind: K; of: Kinds[K] extends fc.Arbitrary<infer T> ? T : never }
}[keyof Kinds]

const weights: Partial<Record<keyof Kinds, number>> = {
  submit: 5,
  trigger: 5,
  claim: 7,
  settle: 7,
  plan: 4,
}

const step = fc.oneof(
  ...Object.entries(kinds).map(([kind, of]) => ({
    weight: weights[kind as keyof Kinds] ?? 1,
    arbitrary: (of as fc.Arbitrary<unknown>).map((value) => ({ kind, of: value }) as Step),
  })),
)

const settlementOf = (run: ClaimedRun, how: (typeof hows)[number]): Settlement => {
  if (how === 'retry') return retry(run)
  if (how === 'far') return retry(run, 3_600_000)
  if (how === 'dead') return dead(run)
  const reason = 'asked'
  if (how === 'cancelled') return { kind: 'cancelled', run, startedAgoMs: 1, failure: null, reason }
  return succeeded(run, '"done"')
}

function submitOptions(of: Extract<Step, { kind: 'submit' }>['of']): SubmitOptions {
  return {
    ...(of.key && { key: of.key }),
    ...(of.far && { delayMs: 3_600_000 }),
    ...{ priority: of.priority, delivery: of.delivery },
    ...(!of.crashes && { retry: { retryOn: ['failed'] } }),
  }
}

async function perform(twins: Twins, { kind, of }: Step): Promise<void> {
  const heldOf = (by: number) => twins.held[by] as ClaimedRun[]
  switch (kind) {
    case 'submit':
      return twins.submit(submitOptions(of))
    case 'trigger':
      return twins.trigger(of.pick)
    case 'claim':
      return twins.claim(of.worker, of.limit)
    case 'settle':
      return settle(twins, of)
    case 'mark':
    case 'checkpoint': {
      const run = heldOf(of.worker)[of.pick % Math.max(1, heldOf(of.worker).length)]
      if (!run) return
      if (kind === 'mark') await twins.both(({ work }) => work.markStarted([run]))
      else await twins.both(({ work }) => work.saveCheckpoint(run, '1'))
      return
    }
    case 'giveBack': {
      const [run] = heldOf(of.worker).splice(of.pick % Math.max(1, heldOf(of.worker).length), 1)
      if (run) await twins.both(({ work }) => work.giveBack([run]))
      return
    }
    case 'die':
      return twins.die(of.worker)
    case 'cancel':
      return twins.cancel(of.pick)
    case 'reschedule':
      return twins.reschedule(of.pick, of.far)
    case 'promote':
      return twins.promote(of.limit)
    case 'resolve':
      await twins.both(({ upkeep }) => upkeep.resolveParked(0))
      return
    case 'plan':
      return twins.plan(of.pick, of.how)
    case 'ask':
      return ask(twins, of)
    case 'audit':
      return audit(twins)
    case 'pause':
      return twins.pause(of.all ? null : 'default', of.on)
    case 'drain':
      return twins.drain(of.worker, of.on)
  }
}

/** Of what a worker holds, dead or alive: one, or two together of which one may be stale. */
async function settle(twins: Twins, of: Extract<Step, { kind: 'settle' }>['of']): Promise<void> {
  const held = twins.held[of.worker] as ClaimedRun[]
  const runs = held.splice(of.pick % Math.max(1, held.length), of.batch ? 2 : 1)
  if (new Set(runs.map(({ id }) => id)).size < runs.length) runs.pop()
  if (runs.length === 0) return
  const settlements = runs.map((run) => settlementOf(run, of.how))
  await twins.settle(of.worker, settlements)
  if (of.how === 'twice') await twins.settle(of.worker, settlements)
  if (of.how === 'other')
    await twins.settle(
      of.worker,
      runs.map((run) => retry(run)),
    )
}

async function ask(twins: Twins, of: { worker: number; pick: number }): Promise<void> {
  const held = twins.held[of.worker] as ClaimedRun[]
  const known = held.slice(of.pick % 2).map(({ fence }) => fence)
  const session = twins.sessions[of.worker] as string
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

describe.each(postgresMajors)('compared with PostgreSQL %s', (major) => {
  let t: TestStore
  beforeAll(async () => {
    t = await TestStore.open({ major })
  })
  afterAll(() => t.close())

  it('a random history has the same answers and leaves the same rows in memory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const twins = await Twins.open(t)
        for (const one of steps) {
          await twins.pass()
          await perform(twins, one)
          await twins.compare()
        }
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    )
  })

  it('a store in memory that does something else is noticed', async () => {
    const twins = await Twins.open(t, new Set(['key-not-freed']))
    await twins.submit({ key: 'a' })
    await twins.claim(0, 1)
    const [run] = twins.held[0] as [ClaimedRun]
    await twins.settle(0, [succeeded(run)])
    await expect(twins.compare()).rejects.toThrow()
  })
})

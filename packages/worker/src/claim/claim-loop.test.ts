import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Capacity } from '../run/capacity.ts'
import { ClaimLoop } from './claim-loop.ts'
import { LaneList } from './lane-list.ts'

const lane: Lane = {
  ...{ id: 1, tenantId: 1, queue: 'q', handler: 'h', priority: 5, paused: false },
}
const nothing: ClaimResult = {
  ...{ sessionAlive: true, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}
const many = (count: number): ClaimResult => ({
  ...nothing,
  more: true,
  runs: Array.from({ length: count }, (_, i) => ({ id: String(i) }) as ClaimedRun),
})

function make(concurrency: number, ...others: readonly Lane[]) {
  const clock = new ManualClock()
  const sent: { limit: number; lanes: number[]; answer: (result: ClaimResult | Error) => void }[] =
    []
  const capacity = new Capacity({ concurrency, queueConcurrency: {} })
  const lanes = new LaneList(
    { lanes: async () => [lane, ...others], lanesWithRuns: async () => [] },
    clock,
    () => ['h'],
    [],
  )
  const claimer = new ClaimLoop({
    ...{ clock, lanes, capacity, hintsArrive: () => true, backlog: () => 0 },
    random: { fraction: () => 0.5, token: () => '1', fill: () => undefined },
    store: {
      claim: ({ limit, lanes }) =>
        new Promise((resolve, reject) =>
          sent.push({
            limit,
            lanes: lanes.map(({ id }) => id),
            answer: (result) => (result instanceof Error ? reject(result) : resolve(result)),
          }),
        ),
    },
    sessionId: () => '1',
    onSessionLost: async () => undefined,
    onClaimed: async () => undefined,
    onParked: () => undefined,
  })
  /** Lets every promise that can continue, continue. */
  const settle = () => clock.advance(0)
  return { claimer, sent, settle, clock }
}

it('the first claim is small; when it yields all, two are sent at the same time', async () => {
  const { claimer, sent, settle } = make(4_000)
  const first = claimer.tick(false)
  await settle()
  expect(sent.map(({ limit }) => limit)).toEqual([400])
  sent[0]?.answer(many(400))
  expect(await first).toBe(0)
  const second = claimer.tick(false)
  await settle()
  expect(sent.length).toBe(3)
  expect(claimer.underWay).toBe(true)
  sent[1]?.answer(nothing)
  await second
  const third = claimer.tick(false)
  sent[2]?.answer(nothing)
  await third
  expect(sent.length, 'the claim in progress is the next').toBe(3)
  expect(claimer.underWay).toBe(false)
})

it('two claims together request no more runs than can start', async () => {
  const { claimer, sent, settle } = make(2_000)
  const first = claimer.tick(false)
  await settle()
  sent[0]?.answer(many(400))
  await first
  void claimer.tick(false)
  await settle()
  expect(sent.slice(1).map(({ limit }) => limit)).toEqual([1_500, 500])
})

it('a turn that must be alone sends no second claim, whose leases would look like strays', async () => {
  const { claimer, sent, settle } = make(4_000)
  const first = claimer.tick(false)
  await settle()
  sent[0]?.answer(many(400))
  await first
  const second = claimer.tick(true)
  await settle()
  expect(sent.length).toBe(2)
  sent[1]?.answer(nothing)
  await second
  expect(claimer.underWay).toBe(false)
})

it('the error of a claim that failed alongside another one is thrown in the next turn', async () => {
  const { claimer, sent, settle } = make(4_000)
  const first = claimer.tick(false)
  await settle()
  sent[0]?.answer(many(400))
  await first
  const second = claimer.tick(false)
  await settle()
  sent[2]?.answer(new Error('away'))
  sent[1]?.answer(nothing)
  await second
  await expect(claimer.tick(false)).rejects.toThrow('away')
})

/** Claims until one lane is known to have much and the others little; claims are in progress. */
async function makeBusy(...others: readonly Lane[]) {
  const lab = make(4_000, ...others)
  const { claimer, sent, settle } = lab
  const first = claimer.tick(false)
  await settle()
  const gave = [
    { lane: lane.id, runs: 398, full: true },
    ...others.map(({ id }) => ({ lane: id, runs: 1, full: false })),
  ]
  sent[0]?.answer({ ...many(400), gave })
  await first
  void claimer.tick(false)
  await settle()
  return lab
}

const other = (id: number, priority: number): Lane => ({ ...lane, id, priority })

it('a lane with little is claimed separately as soon as a hint names it, alongside large claims', async () => {
  const { claimer, sent, settle } = await makeBusy(other(2, 5))
  expect(sent.slice(1).map(({ lanes }) => lanes)).toEqual([[2], [1], [1]])
  sent[1]?.answer(nothing)
  await settle()
  expect(sent[4]?.lanes, 'once more, for the second of the large ones').toEqual([2])
  sent[4]?.answer(nothing)
  await settle()
  claimer.hinted([1])
  await settle()
  expect(sent.length, 'a hint of the busy lane changes nothing').toBe(5)
  claimer.hinted([2])
  await settle()
  expect(sent[5]).toMatchObject({ lanes: [2], limit: 4 })
})

it('large claims are sent one after the other for a second after a rare run was found', async () => {
  const { claimer, sent, settle, clock } = await makeBusy(other(2, 5))
  const large = () => sent.filter(({ lanes }) => lanes.includes(1))
  const full = { ...many(400), gave: [{ lane: 1, runs: 400, full: true }] }
  const run = { id: 'rare', lane: 2 } as ClaimedRun
  const next = async () => {
    const ticked = claimer.tick(false)
    await settle()
    return { ticked, made: large().length }
  }
  expect(large().length, 'the first, and then two at once').toBe(3)
  sent[1]?.answer({ ...nothing, runs: [run], gave: [{ lane: 2, runs: 1, full: false }] })
  large()[1]?.answer(full)
  await settle()
  const second = await next()
  expect(second.made, 'the claim in progress is awaited').toBe(3)
  large()[2]?.answer(full)
  await second.ticked
  const third = await next()
  expect(third.made, 'and one claim follows it').toBe(4)
  large()[3]?.answer(full)
  await third.ticked
  await clock.advance(1_000)
  expect((await next()).made, 'two at once again').toBe(6)
})

it('a lane with little waits its turn behind a busy lane of a higher priority', async () => {
  const { claimer, sent, settle } = await makeBusy(other(2, 4))
  expect(sent.slice(1).map(({ lanes }) => lanes)).toEqual([
    [1, 2],
    [1, 2],
  ])
  claimer.hinted([2])
  await settle()
  expect(sent.length).toBe(3)
})

it('no small claim is sent during a search for strays', async () => {
  const { claimer, sent, settle } = await makeBusy(other(2, 5))
  let looked = false
  await claimer.between(async () => {
    looked = true
  })
  expect(looked, 'while claims are in progress').toBe(false)
  for (const { answer } of sent.slice(1)) answer(many(400))
  await settle()
  const alone = claimer.tick(true)
  for (const { answer } of sent.slice(1)) answer(many(400))
  await alone
  await settle()
  await claimer.between(async () => {
    claimer.hinted([2])
    await settle()
    looked = !claimer.underWay
  })
  expect(looked).toBe(true)
})

it('the error of a small claim is thrown in the next turn: it may have succeeded all the same', async () => {
  const { claimer, sent, settle } = await makeBusy(other(2, 5))
  sent[1]?.answer(new Error('cut off'))
  sent[2]?.answer(nothing)
  await settle()
  await expect(claimer.tick(false)).rejects.toThrow('cut off')
})

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
  const asked: { limit: number; lanes: number[]; answer: (result: ClaimResult | Error) => void }[] =
    []
  const capacity = new Capacity({ concurrency, queueConcurrency: {} })
  const lanes = new LaneList({ lanes: async () => [lane, ...others] }, clock, () => ['h'], [])
  const claimer = new ClaimLoop({
    ...{ clock, lanes, capacity, hintsArrive: () => true, backlog: () => 0 },
    random: { fraction: () => 0.5, token: () => '1', fill: () => undefined },
    store: {
      claim: ({ limit, lanes }) =>
        new Promise((resolve, reject) =>
          asked.push({
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
  /** Lets every promise that can go on, go on. */
  const settle = () => clock.advance(0)
  return { claimer, asked, settle, clock }
}

it('asks for a few first, and makes a second claim beside the next one when they came', async () => {
  const { claimer, asked, settle } = make(4_000)
  const first = claimer.tick(false)
  await settle()
  expect(asked.map(({ limit }) => limit)).toEqual([400])
  asked[0]?.answer(many(400))
  expect(await first).toBe(0)
  const second = claimer.tick(false)
  await settle()
  expect(asked.length).toBe(3)
  expect(claimer.underWay).toBe(true)
  asked[1]?.answer(nothing)
  await second
  const third = claimer.tick(false)
  asked[2]?.answer(nothing)
  await third
  expect(asked.length, 'the one that was under way is the next').toBe(3)
  expect(claimer.underWay).toBe(false)
})

it('asks for no more than can start, both claims together', async () => {
  const { claimer, asked, settle } = make(2_000)
  const first = claimer.tick(false)
  await settle()
  asked[0]?.answer(many(400))
  await first
  void claimer.tick(false)
  await settle()
  expect(asked.slice(1).map(({ limit }) => limit)).toEqual([1_500, 500])
})

it('has no claim under way when it is asked to be alone: leases that are not known yet look like strays', async () => {
  const { claimer, asked, settle } = make(4_000)
  const first = claimer.tick(false)
  await settle()
  asked[0]?.answer(many(400))
  await first
  const second = claimer.tick(true)
  await settle()
  expect(asked.length).toBe(2)
  asked[1]?.answer(nothing)
  await second
  expect(claimer.underWay).toBe(false)
})

it('tells of a claim that failed beside another one', async () => {
  const { claimer, asked, settle } = make(4_000)
  const first = claimer.tick(false)
  await settle()
  asked[0]?.answer(many(400))
  await first
  const second = claimer.tick(false)
  await settle()
  asked[2]?.answer(new Error('away'))
  asked[1]?.answer(nothing)
  await second
  await expect(claimer.tick(false)).rejects.toThrow('away')
})

/** Claims until the lane is known to have much, and the others to have little; the last claims are under way. */
async function makeBusy(...others: readonly Lane[]) {
  const lab = make(4_000, ...others)
  const { claimer, asked, settle } = lab
  const first = claimer.tick(false)
  await settle()
  const gave = [
    { lane: lane.id, runs: 398, full: true },
    ...others.map(({ id }) => ({ lane: id, runs: 1, full: false })),
  ]
  asked[0]?.answer({ ...many(400), gave })
  await first
  void claimer.tick(false)
  await settle()
  return lab
}

const other = (id: number, priority: number): Lane => ({ ...lane, id, priority })

it('a lane with little to do is claimed from by itself as soon as a hint names it, beside the claims from one with much', async () => {
  const { claimer, asked, settle } = await makeBusy(other(2, 5))
  expect(asked.slice(1).map(({ lanes }) => lanes)).toEqual([[2], [1], [1]])
  asked[1]?.answer(nothing)
  await settle()
  expect(asked[4]?.lanes, 'once more, for the second of the large ones').toEqual([2])
  asked[4]?.answer(nothing)
  await settle()
  claimer.hinted([1])
  await settle()
  expect(asked.length, 'a hint of the busy lane changes nothing').toBe(5)
  claimer.hinted([2])
  await settle()
  expect(asked[5]).toMatchObject({ lanes: [2], limit: 4 })
})

it('large claims are made one after the other for a second after lanes that rarely have something had it', async () => {
  const { claimer, asked, settle, clock } = await makeBusy(other(2, 5))
  const large = () => asked.filter(({ lanes }) => lanes.includes(1))
  const full = { ...many(400), gave: [{ lane: 1, runs: 400, full: true }] }
  const run = { id: 'rare', lane: 2 } as ClaimedRun
  const next = async () => {
    const ticked = claimer.tick(false)
    await settle()
    return { ticked, made: large().length }
  }
  expect(large().length, 'the first, and then two at once').toBe(3)
  asked[1]?.answer({ ...nothing, runs: [run], gave: [{ lane: 2, runs: 1, full: false }] })
  large()[1]?.answer(full)
  await settle()
  const second = await next()
  expect(second.made, 'the one that was under way is waited for').toBe(3)
  large()[2]?.answer(full)
  await second.ticked
  const third = await next()
  expect(third.made, 'and one follows it').toBe(4)
  large()[3]?.answer(full)
  await third.ticked
  await clock.advance(1_000)
  expect((await next()).made, 'two at once again').toBe(6)
})

it('a lane with little to do waits its turn behind a busy one of a higher priority', async () => {
  const { claimer, asked, settle } = await makeBusy(other(2, 4))
  expect(asked.slice(1).map(({ lanes }) => lanes)).toEqual([
    [1, 2],
    [1, 2],
  ])
  claimer.hinted([2])
  await settle()
  expect(asked.length).toBe(3)
})

it('nothing is claimed beside while leases are looked for that nobody knows of', async () => {
  const { claimer, asked, settle } = await makeBusy(other(2, 5))
  let looked = false
  await claimer.between(async () => {
    looked = true
  })
  expect(looked, 'while claims are under way').toBe(false)
  for (const { answer } of asked.slice(1)) answer(many(400))
  await settle()
  const alone = claimer.tick(true)
  for (const { answer } of asked.slice(1)) answer(many(400))
  await alone
  await settle()
  await claimer.between(async () => {
    claimer.hinted([2])
    await settle()
    looked = !claimer.underWay
  })
  expect(looked).toBe(true)
})

it('tells of a small claim that failed beside the large ones: its answer may be lost, and not the claim', async () => {
  const { claimer, asked, settle } = await makeBusy(other(2, 5))
  asked[1]?.answer(new Error('cut off'))
  asked[2]?.answer(nothing)
  await settle()
  await expect(claimer.tick(false)).rejects.toThrow('cut off')
})

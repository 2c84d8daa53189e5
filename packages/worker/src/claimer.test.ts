import type { ClaimedRun, ClaimResult, Lane } from '@punctual/core'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Claimer } from './claimer.ts'
import { LaneList } from './lane-list.ts'
import { Slots } from './slots.ts'

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

function make(concurrency: number) {
  const clock = new ManualClock()
  const asked: { limit: number; answer: (result: ClaimResult | Error) => void }[] = []
  const slots = new Slots({ concurrency, queueConcurrency: {} })
  const lanes = new LaneList({ lanes: async () => [lane] }, clock, () => ['h'], [])
  const claimer = new Claimer({
    ...{ clock, lanes, slots, hintsArrive: () => true, backlog: () => 0 },
    random: { fraction: () => 0.5, token: () => '1', fill: () => undefined },
    store: {
      claim: ({ limit }) =>
        new Promise((resolve, reject) =>
          asked.push({
            limit,
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

import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult, LaneWithRuns } from '@punctual/core/ports'
import { gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { DueLanes } from './due-lanes.ts'

const lanes = [1, 2, 3, 4].map((id) => ({ id }) as Lane)
const NOTHING: ClaimResult = {
  ...{ sessionAlive: true, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}

function make(found: readonly LaneWithRuns[], few = 0) {
  const clock = new ManualClock()
  const state = { found, searches: 0, answer: Promise.resolve() }
  const search = async () => {
    state.searches++
    await state.answer
    return state.found
  }
  const due = new DueLanes({ lanesWithRuns: search }, clock, few)
  const chosen = async () => (await due.of(lanes, true)).map(({ id }) => id)
  const learn = (ids: number[], answer: Partial<ClaimResult>, sentAtMs = clock.monotonicMs()) =>
    due.learn(
      ids.map((id) => ({ id }) as Lane),
      { limit: 10, sentAtMs },
      { ...NOTHING, ...answer },
    )
  return { clock, state, due, chosen, learn }
}

it('few lanes are claimed from without a search', async () => {
  const { chosen, state, due } = make([], 4)
  expect(await chosen()).toEqual([1, 2, 3, 4])
  expect([state.searches, due.nextInMs(lanes)]).toEqual([0, null])
})

it('of many lanes those with a due run are chosen, and the others when their time comes', async () => {
  const { clock, chosen, due } = make([
    { lane: 2, dueInMs: -5 },
    { lane: 3, dueInMs: 40 },
  ])
  expect(await chosen()).toEqual([2])
  expect(due.nextInMs(lanes)).toBe(40)
  await clock.advance(40)
  expect(await chosen()).toEqual([2, 3])
})

it('a hint adds its lanes at once, without a search', async () => {
  const { chosen, due, state } = make([])
  await chosen()
  due.hinted([4])
  expect(await chosen()).toEqual([4])
  expect(state.searches).toBe(1)
})

it('a hint that names no lane causes a search', async () => {
  const { chosen, due, state } = make([])
  await chosen()
  state.found = [{ lane: 1, dueInMs: 0 }]
  due.hinted(null)
  expect(await chosen()).toEqual([1])
})

it('a hint that arrives during a search is not lost with the answer', async () => {
  const { chosen, due, state } = make([])
  const answer = gate<void>()
  state.answer = answer.opened
  const choosing = chosen()
  due.hinted([3])
  answer.open()
  expect(await choosing).toEqual([3])
})

it('searches take at most a tenth of the time, and the next one is announced', async () => {
  const { clock, chosen, due, state } = make([])
  const answer = gate<void>()
  state.answer = answer.opened
  const choosing = chosen()
  await clock.advance(20)
  answer.open()
  await choosing
  due.hinted(null)
  await chosen()
  expect([state.searches, due.nextInMs(lanes)]).toEqual([1, 180])
  await clock.advance(180)
  await chosen()
  expect(state.searches).toBe(2)
})

it('without hints the lanes are searched every five seconds: a hint may be lost', async () => {
  const { clock, chosen, state } = make([])
  await chosen()
  state.found = [{ lane: 1, dueInMs: 0 }]
  await clock.advance(4_999)
  expect(await chosen()).toEqual([])
  await clock.advance(1)
  expect(await chosen()).toEqual([1])
})

it('a poll searches at once', async () => {
  const { chosen, due, state } = make([])
  await chosen()
  state.found = [{ lane: 2, dueInMs: 0 }]
  due.searchNow()
  expect(await chosen()).toEqual([2])
})

it('a lane that gave runs stays; one that gave none waits for the next due run of the claim', async () => {
  const { clock, chosen, learn } = make([1, 2, 3].map((lane) => ({ lane, dueInMs: 0 })))
  await chosen()
  const gave = [{ lane: 1, runs: 2, full: false }]
  learn([1, 2, 3], { gave, nextDueInMs: 30 })
  expect(await chosen()).toEqual([1])
  await clock.advance(30)
  expect(await chosen()).toEqual([1, 2, 3])
})

it('a lane in which nothing waits leaves until a hint', async () => {
  const { clock, chosen, learn, due } = make([{ lane: 1, dueInMs: 0 }])
  await chosen()
  learn([1], {})
  await clock.advance(1_000)
  expect(await chosen()).toEqual([])
  due.hinted([1])
  expect(await chosen()).toEqual([1])
})

it('a hint that arrives while a claim is in progress outlives its answer', async () => {
  const { clock, chosen, learn, due } = make([{ lane: 1, dueInMs: 0 }])
  await chosen()
  const sentAtMs = clock.monotonicMs()
  await clock.advance(1)
  due.hinted([1])
  learn([1], {}, sentAtMs)
  expect(await chosen()).toEqual([1])
})

it('a full claim tells nothing about the lanes that it did not reach', async () => {
  const { chosen, learn } = make([1, 2].map((lane) => ({ lane, dueInMs: 0 })))
  await chosen()
  const runs = Array.from({ length: 10 }, () => ({}) as ClaimedRun)
  learn([1, 2], { runs, gave: [{ lane: 1, runs: 10, full: true }] })
  expect(await chosen()).toEqual([1, 2])
})

it('a failed search is repeated with the next claim', async () => {
  const { chosen, state } = make([{ lane: 1, dueInMs: 0 }])
  state.answer = Promise.reject(new Error('the database is unreachable'))
  await expect(chosen()).rejects.toThrow('unreachable')
  state.answer = Promise.resolve()
  expect(await chosen()).toEqual([1])
})

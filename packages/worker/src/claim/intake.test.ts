import type { Lane } from '@punctual/core/flow'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { claimSize, Demand, Pace, Yielding } from './intake.ts'
import { Wake } from './wake.ts'

it('a claim requests the free capacity when handlers are slow', () => {
  const pace = new Pace(0)
  pace.note()
  expect(pace.ahead(10_000, 0)).toBe(0)
  expect(claimSize(5, 0, 0)).toBe(5)
  expect(claimSize(0, 0, 0)).toBe(0)
})

it('a claim requests what will start within 100 ms when handlers are quick, in large batches', () => {
  const pace = new Pace(0)
  for (let i = 0; i < 1_000; i++) pace.note()
  const ahead = pace.ahead(100, 0)
  expect(ahead).toBe(1_000)
  expect(claimSize(50, ahead, 800), 'most of it is still held: wait').toBe(0)
  expect(claimSize(50, ahead, 400)).toBe(650)
  expect(claimSize(5_000, ahead, 0), 'bounded').toBe(1_500)
})

it('nothing is held ahead when handlers take longer than 100 ms, however many of them return', () => {
  const pace = new Pace(0)
  for (let i = 0; i < 100; i++) pace.note()
  // A hundred return in 100 ms: of a hundred each takes 100 ms, of a thousand each takes a second.
  expect(pace.ahead(100, 50)).toBe(100)
  expect(pace.ahead(100, 1_000)).toBe(0)
})

it('the pace follows a burst at once, and forgets it gradually', () => {
  const pace = new Pace(0)
  const after = (ms: number, returned: number) => {
    for (let i = 0; i < returned; i++) pace.note()
    return pace.ahead(ms, 0)
  }
  expect([after(100, 100), after(200, 2_000), after(300, 0), after(400, 0)]).toEqual([
    ...[100, 2_000, 1_000, 500],
  ])
})

it('the pace is forgotten when nothing returns', () => {
  const pace = new Pace(0)
  for (let i = 0; i < 1_000; i++) pace.note()
  expect(pace.ahead(100, 0)).toBeGreaterThan(0)
  expect(pace.ahead(10_000, 0)).toBe(0)
})

it('hints are followed at once while they yield runs, and ever later while other workers are first', () => {
  const yielding = new Yielding()
  yielding.won()
  expect(yielding.delayMs(1)).toBe(0)
  yielding.lost()
  expect(yielding.delayMs(0.5)).toBe(1)
  for (let i = 0; i < 100; i++) yielding.lost()
  expect(yielding.delayMs(1), 'bounded').toBe(250)
  for (let i = 0; i < 4; i++) yielding.won()
  expect(yielding.delayMs(1)).toBe(0)
})

it('a wake just before the sleep cuts it short', async () => {
  const clock = new ManualClock()
  const wake = new Wake(clock)
  wake.wake()
  await wake.sleep(1_000_000) // waits: on a manual clock
  let awake = false
  // waits: on a manual clock
  const sleeping = wake.sleep(1_000).then(() => {
    awake = true
  })
  await clock.advance(500)
  expect(awake).toBe(false)
  wake.wake()
  wake.wake()
  await sleeping
})

it('lanes that yielded all that was requested weigh alike, and a lane with little weighs little', () => {
  const demand = new Demand()
  const lanes = [1, 2, 3].map((id) => ({ id }) as Lane)
  expect(new Set(demand.weights(lanes)).size, 'nothing is known yet').toBe(1)
  const gave = [
    { lane: 1, runs: 500, full: true },
    { lane: 2, runs: 3, full: false },
  ]
  demand.note(lanes, 1_000, gave)
  expect(demand.weights(lanes)).toEqual([1_500, 10, 4])
  demand.note(lanes, 13, [{ lane: 2, runs: 13, full: true }])
  expect(
    demand.weights(lanes),
    'a full claim says nothing about the lanes that it did not reach',
  ).toEqual([1_500, 40, 4])
  for (const runs of [40, 160]) demand.note(lanes, runs, [{ lane: 2, runs, full: true }])
  expect(demand.weights(lanes), 'a lane that repeatedly yields all').toEqual([750, 750, 4])
})

it('a large full claim shows that lanes of its priority which yielded nothing have little', () => {
  const lane = (id: number, priority: number) => ({ id, tenantId: 1, priority }) as Lane
  const lanes = [lane(1, 5), lane(2, 5), lane(3, 4)]
  const expected = (limit: number) => {
    const demand = new Demand()
    demand.note(lanes, limit, [{ lane: 1, runs: limit, full: true }])
    return lanes.map(({ id }) => demand.expected(id))
  }
  expect(expected(400), 'lanes of lower priorities are unknown').toEqual([null, 4, null])
  expect(expected(10), 'a small claim shows nothing').toEqual([null, null, null])
})

it('a lane that yielded many, and as many as requested, is busy from then on', () => {
  const demand = new Demand()
  const lanes = [{ id: 1 } as Lane]
  demand.note(lanes, 400, [])
  expect(demand.expected(1), 'nothing was due').toBe(4)
  demand.note(lanes, 400, [{ lane: 1, runs: 117, full: true }])
  expect(demand.expected(1)).toBe(null)
})

it('tenants share by their weights, whatever the number of their lanes', () => {
  const demand = new Demand()
  const lane = (id: number, tenantId: number, weight: number) => ({ id, tenantId, weight }) as Lane
  const weights = demand.weights([lane(1, 1, 1), lane(2, 2, 3), lane(3, 2, 3), lane(4, 3, 1)])
  expect(weights).toEqual([1_500, 2_250, 2_250, 1_500])
})

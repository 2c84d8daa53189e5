import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Promoter } from './promoter.ts'
import { RoleLoop } from './role.ts'

const HORIZON_MS = 60_000

/**
 * A table `later` with runs due at these times by the clock, and a list of the runs that were
 * moved.
 */
function aTable(clock: ManualClock, dueMs: number[]) {
  const queued: number[] = []
  const calls: { horizonMs: number; limit: number }[] = []
  const promote = async (horizonMs: number, limit: number) => {
    calls.push({ horizonMs, limit })
    dueMs.sort((a, b) => a - b)
    const untilMs = clock.monotonicMs() + horizonMs
    const count = Math.min(limit, dueMs.filter((ms) => ms <= untilMs).length)
    queued.push(...dueMs.splice(0, count))
    const [next] = dueMs
    return { promoted: count, nextInMs: next === undefined ? null : next - untilMs }
  }
  return { store: { promote }, queued, calls }
}

it('promotes up to 1,000 runs a tick within its horizon by default', async () => {
  const { store, calls } = aTable(new ManualClock(), [])
  await new Promoter({ store, horizonMs: HORIZON_MS }).tick()
  await new Promoter({ store, horizonMs: HORIZON_MS, batch: 7 }).tick()
  expect(calls).toEqual([
    { horizonMs: HORIZON_MS, limit: 1_000 },
    { horizonMs: HORIZON_MS, limit: 7 },
  ])
})

it('continues at once after a full batch and otherwise rests within its horizon', async () => {
  const answers = [
    { promoted: 1_000, nextInMs: 5 },
    { promoted: 3, nextInMs: null },
    { promoted: 0, nextInMs: 7_000 },
  ]
  const promoted: number[] = []
  const promoter = new Promoter({
    horizonMs: HORIZON_MS,
    store: { promote: async () => answers.shift() as (typeof answers)[0] },
    onPromoted: (count) => promoted.push(count),
  })
  expect(await promoter.tick()).toBe(0)
  expect(await promoter.tick()).toBe(30_000)
  expect(await promoter.tick()).toBe(7_000)
  expect(promoted).toEqual([1_000, 3])
})

it('moves runs that enter one by one in groups, instead of waking up for each', async () => {
  const promoter = new Promoter({
    horizonMs: HORIZON_MS,
    store: { promote: async () => ({ promoted: 1, nextInMs: 3 }) },
  })
  expect(await promoter.tick()).toBe(1_500)
})

it('has every run in the queue before the run is due', async () => {
  const clock = new ManualClock()
  const dueMs = Array.from({ length: 500 }, (_, i) => HORIZON_MS + i * 1_777)
  const { store, queued } = aTable(clock, [...dueMs])
  const loop = new RoleLoop(new Promoter({ store, horizonMs: HORIZON_MS }), clock)
  loop.start()
  for (const ms of dueMs) {
    await clock.advance(ms - clock.monotonicMs())
    expect(queued).toContain(ms)
  }
  await loop.stop()
})

it('promotes each run once when two promoters compete', async () => {
  const clock = new ManualClock()
  const dueMs = Array.from({ length: 2_500 }, (_, i) => i * 100)
  const { store, queued } = aTable(clock, [...dueMs])
  const loops = [1, 2].map(
    () => new RoleLoop(new Promoter({ store, horizonMs: HORIZON_MS, batch: 100 }), clock),
  )
  for (const loop of loops) loop.start()
  await clock.advance(300_000)
  await Promise.all(loops.map((loop) => loop.stop()))
  expect(queued.sort((a, b) => a - b)).toEqual(dueMs)
})

it('can be started and stopped repeatedly, and leaves no timer and no call behind', async () => {
  const clock = new ManualClock()
  const { store, calls } = aTable(clock, [])
  for (let round = 0; round < 50; round++) {
    const loop = new RoleLoop(new Promoter({ store, horizonMs: HORIZON_MS }), clock)
    loop.start()
    loop.start()
    if (round % 2 === 1) await clock.advance(round * 1_000)
    await Promise.all([loop.stop(), loop.stop()])
  }
  const before = calls.length
  await clock.advance(3_600_000)
  expect(calls).toHaveLength(before)
  expect(clock.sleeping).toBe(0)
})

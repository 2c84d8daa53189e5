import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { WakeLimit } from './wake-limit.ts'

it('a flood of hints wakes once a second, and the last one is not lost', async () => {
  const clock = new ManualClock()
  const wokenMs: number[] = []
  const limit = new WakeLimit(clock, 1_000, () => wokenMs.push(clock.monotonicMs()))
  for (let ms = 0; ms < 2_500; ms += 10) {
    limit.hint()
    await clock.advance(10)
  }
  await clock.advance(60_000)
  expect(wokenMs).toEqual([0, 1_000, 2_000, 3_000])
})

it('a hint after a rest wakes at once', async () => {
  const clock = new ManualClock()
  const wokenMs: number[] = []
  const limit = new WakeLimit(clock, 1_000, () => wokenMs.push(clock.monotonicMs()))
  limit.hint()
  await clock.advance(5_000)
  limit.hint()
  expect(wokenMs).toEqual([0, 5_000])
})

import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { StepDetector } from './step-detector.ts'

const HOUR_MS = 3_600_000

it('notices a database clock that jumps an hour ahead, until it is corrected (case 36)', async () => {
  const clock = new ManualClock()
  const detector = new StepDetector(clock)
  expect(detector.aheadMs(clock.wallMs())).toBe(0)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs() + HOUR_MS)).toBe(HOUR_MS)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs() + HOUR_MS), 'it is still wrong').toBe(HOUR_MS)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs())).toBe(0)
})

it('accepts a jump that corrects the database clock: this machine agrees with it', async () => {
  const clock = new ManualClock()
  const detector = new StepDetector(clock)
  expect(detector.aheadMs(clock.wallMs() - HOUR_MS)).toBe(0)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs())).toBe(0)
})

it('tolerates a machine whose own clock is wrong, because the database did not jump', async () => {
  const clock = new ManualClock()
  const detector = new StepDetector(clock)
  for (let i = 0; i < 3; i++) {
    expect(detector.aheadMs(clock.wallMs() + HOUR_MS)).toBe(0)
    await clock.advance(3_000)
  }
})

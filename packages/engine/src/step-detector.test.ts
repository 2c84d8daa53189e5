import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { StepDetector } from './step-detector.ts'

const HOUR_MS = 3_600_000

it('notices a database whose clock jumps an hour ahead, until it is put right (case 36)', async () => {
  const clock = new ManualClock()
  const detector = new StepDetector(clock)
  expect(detector.aheadMs(clock.wallMs())).toBe(0)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs() + HOUR_MS)).toBe(HOUR_MS)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs() + HOUR_MS), 'it stays wrong').toBe(HOUR_MS)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs())).toBe(0)
})

it('believes a database that is put right: this machine agrees with it', async () => {
  const clock = new ManualClock()
  const detector = new StepDetector(clock)
  expect(detector.aheadMs(clock.wallMs() - HOUR_MS)).toBe(0)
  await clock.advance(3_000)
  expect(detector.aheadMs(clock.wallMs())).toBe(0)
})

it('does not mind a machine whose own clock is wrong: the database did not jump', async () => {
  const clock = new ManualClock()
  const detector = new StepDetector(clock)
  for (let i = 0; i < 3; i++) {
    expect(detector.aheadMs(clock.wallMs() + HOUR_MS)).toBe(0)
    await clock.advance(3_000)
  }
})

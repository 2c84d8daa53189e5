import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { claimSize, Pace } from './intake.ts'
import { Wake } from './wake.ts'

it('asks for what is free when handlers are slow', () => {
  const pace = new Pace(0)
  pace.note()
  expect(pace.ahead(10_000)).toBe(0)
  expect(claimSize(5, 0, 0)).toBe(5)
  expect(claimSize(0, 0, 0)).toBe(0)
})

it('asks for what will start within 100 ms when handlers are quick, in large batches', () => {
  const pace = new Pace(0)
  for (let i = 0; i < 1_000; i++) pace.note()
  const ahead = pace.ahead(100)
  expect(ahead).toBe(500)
  expect(claimSize(50, ahead, 400), 'most is still held: wait').toBe(0)
  expect(claimSize(50, ahead, 200)).toBe(350)
  expect(claimSize(5_000, ahead, 0), 'bounded').toBe(2_000)
})

it('forgets its pace when nothing returns', () => {
  const pace = new Pace(0)
  for (let i = 0; i < 1_000; i++) pace.note()
  expect(pace.ahead(100)).toBeGreaterThan(0)
  expect(pace.ahead(10_000)).toBe(0)
})

it('a wake that comes before the sleep cuts it short', async () => {
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

import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { RoleLoop } from './role.ts'

it('ticks, rests as long as each tick returns, and ends when it is stopped', async () => {
  const clock = new ManualClock()
  let ticks = 0
  const loop = new RoleLoop({ name: 'test', tick: async () => (++ticks < 3 ? 0 : 1_000) }, clock)
  loop.start()
  loop.start()
  await clock.advance(500)
  expect(ticks).toBe(3)
  await clock.advance(2_000)
  expect(ticks).toBe(5)
  await loop.stop()
  await loop.stop()
  await clock.advance(5_000)
  expect(ticks).toBe(5)
  expect(clock.sleeping).toBe(0)
})

it('backs off after a fault, up to a bound, and reports it', async () => {
  const clock = new ManualClock()
  const faults: unknown[] = []
  let ticks = 0
  const role = {
    name: 'test',
    tick: () => {
      ticks++
      return Promise.reject(new Error('unreachable'))
    },
  }
  const loop = new RoleLoop(role, clock, { onError: (_, error) => faults.push(error) })
  loop.start()
  await clock.advance(3_600_000)
  await loop.stop()
  expect(faults.length).toBe(ticks)
  expect(ticks).toBeGreaterThan(700)
  expect(ticks).toBeLessThan(740)
})

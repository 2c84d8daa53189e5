import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Janitor } from './janitor.ts'
import { Promoter } from './promoter.ts'
import { RoleLoop } from './role.ts'

it('ticks, rests as long as the tick says, and ends when it is stopped', async () => {
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

it('backs off from a fault, up to a bound, and reports it', async () => {
  const clock = new ManualClock()
  const faults: unknown[] = []
  let ticks = 0
  const role = {
    name: 'test',
    tick: () => {
      ticks++
      return Promise.reject(new Error('away'))
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

it('the promoter goes on at once after a full batch and rests within its horizon otherwise', async () => {
  const answers = [
    { promoted: 1_000, nextInMs: 5 },
    { promoted: 3, nextInMs: null },
    { promoted: 0, nextInMs: 7_000 },
  ]
  const promoted: number[] = []
  const promoter = new Promoter({
    horizonMs: 60_000,
    store: { promote: async () => answers.shift() as (typeof answers)[0] },
    onPromoted: (count) => promoted.push(count),
  })
  expect(await promoter.tick()).toBe(0)
  expect(await promoter.tick()).toBe(30_000)
  expect(await promoter.tick()).toBe(7_000)
  expect(promoted).toEqual([1_000, 3])
})

it('the janitor keeps days every hour, sweeps every five minutes, and goes on after a fault', async () => {
  const clock = new ManualClock()
  const calls: string[] = []
  let away = true
  const note = (what: string) => async () => {
    calls.push(what)
    return [] as string[]
  }
  const janitor = new Janitor({
    clock,
    retentionDays: 90,
    daysAhead: 14,
    store: {
      ensurePartitions: () => (away ? Promise.reject(new Error('away')) : note('ensure')()),
      dropOldDays: note('drop'),
      sweep: async () => {
        calls.push('sweep')
        return 0
      },
      vacuumHotTables: note('vacuum'),
    },
  })
  const loop = new RoleLoop(janitor, clock)
  loop.start()
  await clock.advance(1_000)
  away = false
  await clock.advance(2 * 3_600_000)
  await loop.stop()
  const count = (what: string) => calls.filter((call) => call === what).length
  expect(count('drop')).toBeGreaterThanOrEqual(2)
  expect(count('drop')).toBeLessThanOrEqual(3)
  expect(count('sweep')).toBeGreaterThanOrEqual(22)
  expect(count('vacuum')).toBeGreaterThan(100)
})

import { ManualClock } from '@punctual/testkit'
import { beforeEach, expect, it } from 'vitest'
import { Reaper } from './reaper.ts'

const LEASE_MS = 30_000

let clock: ManualClock
let expired: string[]
let incarnation: string
let reaped: string[][]
let reaper: Reaper
let away: boolean
let gapLooks: number

beforeEach(() => {
  clock = new ManualClock()
  away = false
  gapLooks = 0
  expired = []
  incarnation = 'server 1'
  reaped = []
  reaper = new Reaper({
    clock,
    leaseMs: LEASE_MS,
    crashesUntilQuarantine: 3,
    store: {
      expiredSessions: async () => {
        if (away) throw new Error('the database is away')
        return {
          incarnation,
          sessionIds: expired,
          leaseMs: LEASE_MS,
          shortestLeaseMs: LEASE_MS,
          nextInMs: null,
          parked: false,
        }
      },
      orphanSessions: async () => [],
      resolveParked: async () => 0,
      closeRateGaps: async () => ++gapLooks,
      reap: async (ids) => {
        reaped.push([...ids])
        expired = []
        return { sessions: ids.length, returned: 0, dead: 0, unknown: 0, cancelled: 0 }
      },
    },
  })
})

/** Ticks as the loop would, resting as long as the reaper asks for. */
async function watch(ms: number): Promise<void> {
  const endMs = clock.monotonicMs() + ms
  while (clock.monotonicMs() < endMs)
    await clock.advance(Math.min(await reaper.tick(), endMs - clock.monotonicMs()))
}

it('grants everybody a full lease after its own start', async () => {
  expired = ['1']
  await watch(LEASE_MS - 1_000)
  expect(reaped).toEqual([])
  await watch(2_000)
  expect(reaped).toEqual([['1']])
})

it('fences at once what expires while it is watching', async () => {
  await watch(LEASE_MS + 1)
  expired = ['1', '2']
  await reaper.tick()
  expect(reaped).toEqual([['1', '2']])
})

it('grants a full lease again after a restart or a fail-over of the database (case 26)', async () => {
  await watch(LEASE_MS + 1)
  incarnation = 'server 2'
  expired = ['1']
  await watch(LEASE_MS - 1_000)
  expect(reaped).toEqual([])
  await watch(2_000)
  expect(reaped).toEqual([['1']])
})

it('grants a full lease again after a gap in its own ticks (cases 26, 30)', async () => {
  await watch(LEASE_MS + 1)
  await clock.advance(60_000)
  expired = ['1']
  await reaper.tick()
  expect(reaped).toEqual([])
})

it('grants a full lease again after it could not look, however soon the same server is back', async () => {
  await watch(LEASE_MS + 1)
  away = true
  await expect(reaper.tick()).rejects.toThrow('away')
  away = false
  expired = ['1']
  await watch(LEASE_MS - 1_000)
  expect(reaped).toEqual([])
  await watch(2_000)
  expect(reaped).toEqual([['1']])
})

it('takes a look that was answered late for a gap: nobody could renew meanwhile', async () => {
  await watch(LEASE_MS + 1)
  await clock.advance(LEASE_MS)
  expired = ['1']
  await reaper.tick()
  expect(reaped).toEqual([])
})

it('looks as often as workers renew, so that no outage that costs a lease goes unseen', async () => {
  await watch(LEASE_MS + 1)
  expect(await reaper.tick()).toBeLessThanOrEqual(LEASE_MS / 3)
})

it('rests no longer than until the next lease runs out', async () => {
  const rests: number[] = []
  for (let i = 0; i < 10; i++) {
    const restMs = await reaper.tick()
    rests.push(restMs)
    await clock.advance(restMs)
  }
  expect(Math.max(...rests)).toBeLessThanOrEqual(15_000)
  expect(Math.min(...rests)).toBeGreaterThan(0)
})

it('looks for moments of rates that nobody uses at every look, also while it waits for leases to show themselves', async () => {
  await reaper.tick()
  expect(gapLooks).toBe(1)
  await watch(LEASE_MS * 2)
  expect(gapLooks).toBeGreaterThanOrEqual(6)
})

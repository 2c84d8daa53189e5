import { ManualClock } from '@punctual/testkit'
import { beforeEach, expect, it } from 'vitest'
import { Reaper } from './reaper.ts'

const LEASE_MS = 30_000

let clock: ManualClock
let expired: string[]
/** The leases of sessions, living or expired, that differ from the usual one. */
let leases: Map<string, number>
let incarnation: string
let reaped: string[][]
let reaper: Reaper
let away: boolean
let stubborn: string | null
let hints: boolean

beforeEach(() => {
  clock = new ManualClock()
  away = false
  stubborn = null
  hints = true
  expired = []
  leases = new Map()
  incarnation = 'server 1'
  reaped = []
  reaper = new Reaper({
    clock,
    leaseMs: LEASE_MS,
    crashesUntilQuarantine: 3,
    hintsArrive: () => hints,
    store: {
      expiredSessions: async () => {
        if (away) throw new Error('the database is unreachable')
        return {
          incarnation,
          sessionIds: expired,
          leasesMs: expired.map((id) => leases.get(id) ?? LEASE_MS),
          shortestLeaseMs: Math.min(LEASE_MS, ...leases.values()),
          nextInMs: null,
          parked: false,
        }
      },
      orphanSessions: async () => [],
      resolveParked: async () => 0,
      reap: async (ids) => {
        if (stubborn && ids.includes(stubborn)) throw new Error('a fault of one session')
        reaped.push([...ids])
        expired = expired.filter((id) => !ids.includes(id))
        return { sessions: ids.length, returned: 0, dead: 0, unknown: 0, cancelled: 0 }
      },
    },
  })
})

/** Ticks like the loop, resting as long as the reaper asks for. */
async function watch(ms: number): Promise<void> {
  const endMs = clock.monotonicMs() + ms
  while (clock.monotonicMs() < endMs)
    await clock.advance(Math.min(await reaper.tick(), endMs - clock.monotonicMs()))
}

it('grants every session a full lease after its own start', async () => {
  expired = ['1']
  await watch(LEASE_MS - 1_000)
  expect(reaped).toEqual([])
  await watch(2_000)
  expect(reaped).toEqual([['1']])
})

it('fences a session at once when it expires while the reaper is watching', async () => {
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

it('grants a full lease again after a failed query, however soon the same server is back', async () => {
  await watch(LEASE_MS + 1)
  away = true
  await expect(reaper.tick()).rejects.toThrow('unreachable')
  away = false
  expired = ['1']
  await watch(LEASE_MS - 1_000)
  expect(reaped).toEqual([])
  await watch(2_000)
  expect(reaped).toEqual([['1']])
})

it('treats a late answer as a gap, because workers could not renew meanwhile', async () => {
  await watch(LEASE_MS + 1)
  await clock.advance(LEASE_MS)
  expired = ['1']
  await reaper.tick()
  expect(reaped).toEqual([])
})

it('checks as often as workers renew, so that it notices every outage that costs a lease', async () => {
  await watch(LEASE_MS + 1)
  expect(await reaper.tick()).toBeLessThanOrEqual(LEASE_MS / 3)
})

it('rests no longer than until the next lease expires', async () => {
  const rests: number[] = []
  for (let i = 0; i < 10; i++) {
    const restMs = await reaper.tick()
    rests.push(restMs)
    await clock.advance(restMs)
  }
  expect(Math.max(...rests)).toBeLessThanOrEqual(15_000)
  expect(Math.min(...rests)).toBeGreaterThan(0)
})

it('reaps the other sessions when one fails, and keeps reporting the failure', async () => {
  await watch(LEASE_MS + 1_000)
  stubborn = '2'
  expired = ['1', '2', '3', '4']
  for (let tick = 0; tick < 4; tick++) await expect(reaper.tick()).rejects.toThrow('one session')
  expect(reaped.flat().sort()).toEqual(['1', '3', '4'])
  stubborn = null
  await reaper.tick()
  expect(expired).toEqual([])
})

it('fences a session by its own lease, whatever leases other sessions have', async () => {
  leases = new Map([
    ['short', 3_000],
    ['of another tenant, short', 1_000],
    ['of another tenant, long', 3_600_000],
  ])
  await watch(10_000)
  expired = ['short']
  await watch(2_000)
  expect(reaped).toEqual([['short']])
})

it('fences a short lease in time although a session with a shorter one has just opened', async () => {
  await watch(LEASE_MS + 1_000)
  leases = new Map([['short', 3_000]])
  expired = ['short']
  await watch(LEASE_MS / 3 + 1)
  leases.set('shortest', 1_000)
  expect(reaped).toEqual([['short']])
  expired = ['shortest']
  await watch(1_500)
  expect(reaped).toEqual([['short'], ['shortest']])
})

/** A session with a lease of three seconds opens right after a check and dies; when is it fenced? */
async function fencedAfterMs(wakes: boolean): Promise<number> {
  await watch(LEASE_MS + 1_000)
  let restMs = await reaper.tick()
  const openedMs = clock.monotonicMs()
  const passedMs = () => clock.monotonicMs() - openedMs
  leases = new Map([['short', 3_000]])
  if (wakes) restMs = await reaper.tick()
  while (reaped.length === 0 && passedMs() < 60_000) {
    await clock.advance(restMs)
    if (passedMs() >= 3_000) expired = ['short']
    restMs = await reaper.tick()
  }
  expect(reaped).toEqual([['short']])
  return passedMs()
}

it('fences a short lease within five seconds of its end, when a hint announces the session', async () => {
  expect(await fencedAfterMs(true)).toBeLessThanOrEqual(3_000 + 5_000)
})

it('fences a short lease within five seconds of its end without hints, too', async () => {
  hints = false
  expect(await fencedAfterMs(false)).toBeLessThanOrEqual(3_000 + 5_000)
})

it('is not woken for nothing: with hints it rests as long as the usual lease allows', async () => {
  await watch(LEASE_MS + 1_000)
  expect(await reaper.tick()).toBe(LEASE_MS / 3)
})

it('checks no more often than four times a second, whatever leases a tenant has', async () => {
  leases = new Map([['tiny', 1]])
  for (let i = 0; i < 10; i++) {
    const restMs = await reaper.tick()
    expect(restMs).toBeGreaterThanOrEqual(250)
    await clock.advance(restMs)
  }
})

it('grants only those leases again that a late check could have cost', async () => {
  leases = new Map([['short', 3_000]])
  await watch(LEASE_MS + 1_000)
  const restMs = await reaper.tick()
  await clock.advance(restMs + 2_000)
  expired = ['short', 'usual']
  await reaper.tick()
  expect(reaped).toEqual([['usual']])
  await watch(3_500)
  expect(reaped).toEqual([['usual'], ['short']])
})

it('fences the sessions of a large fleet a few at a time', async () => {
  await watch(LEASE_MS + 1_000)
  expired = Array.from({ length: 201 }, (_, n) => String(n))
  expect(await reaper.tick()).toBeLessThan(1_000)
  expect(reaped.map((ids) => ids.length)).toEqual([200])
  await reaper.tick()
  expect(expired).toEqual([])
})

it('any number of long leases that still have to be watched hide no short one', async () => {
  expired = Array.from({ length: 1_000 }, (_, n) => String(n))
  leases = new Map(expired.map((id) => [id, 600_000]))
  leases.set('short', 3_000)
  expired.push('short')
  await watch(5_000)
  expect(reaped).toEqual([['short']])
})

/** Calendars and the planners that ask them: a change holds for every slot that is not planned yet. */
import type { PlanStore } from '@punctual/core/ports'
import type { PostgresStore } from '@punctual/store'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bound, cursorOf, holesOf, ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

const AHEAD = 20_000
const DAY = 86_400_000
const OPEN = { exclude: ['2001-01-01'] }
const dates = [-1, 0, 1, 2].map((n) => new Date(Date.now() + n * DAY).toISOString().slice(0, 10))
const CLOSED = { exclude: dates }

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(() =>
  t.sql.query(
    'truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.slots, punctual.calendars',
  ),
)

const set = (name: string, calendar: object) => t.store.schedules.calendars.set(name, calendar, 1)
const decided = async (id: string) => [
  ...new Set((await ledgerOf(t, id)).map(({ decision }) => decision)),
]

/** A planner, with time that passes when it is told to. */
function planning(around: (plan: PlanStore) => Partial<PlanStore> = () => ({})) {
  const time = { nowMs: Date.now() }
  const plan = bound(t.store.schedules.plan, t.store.schedules.plan)
  const store = { schedules: { plan: { ...plan, ...around(plan) } } } as unknown as PostgresStore
  const planner = plannerOf({ store, alone: true, aheadMs: AHEAD, nowMs: () => time.nowMs })
  const later = (ms: number) => {
    time.nowMs += ms
  }
  return { planner, later }
}

describe('a calendar', () => {
  it('that is made after a planner has asked for those of its tenant is known to that planner', async () => {
    const { planner } = planning()
    await set('first', OPEN)
    await t.job({ name: 'first', calendars: ['first'] })
    await planAll(planner)
    await set('fresh', OPEN)
    const id = await t.job({ name: 'fresh', calendars: ['fresh'] })
    await planAll(planner)
    expect(await t.store.schedules.jobs.find(id, 1)).toMatchObject({ planningError: null })
    expect(await decided(id)).toEqual(['run'])
  })

  it('that changes holds for every slot that is not planned yet, and for none that is', async () => {
    const { planner, later } = planning()
    await set('days', OPEN)
    const id = await t.job({ calendars: ['days'] })
    await planAll(planner)
    const { cursorMs } = await cursorOf(t, id)
    await set('days', CLOSED)
    later(5_000)
    await planAll(planner)
    const ledger = await ledgerOf(t, id)
    const of = (planned: boolean) => [
      ...new Set(ledger.filter((it) => it.slotMs <= cursorMs === planned).map((it) => it.decision)),
    ]
    expect(of(true)).toEqual(['run'])
    expect(of(false)).toEqual(['skip'])
    expect(await holesOf(t, id)).toEqual([])
  })

  it('that changes while slots are being planned by it is asked again before they are', async () => {
    let planned = 0
    const { planner } = planning((plan) => ({
      plan: async (...args) => {
        if (planned++ === 0) await set('days', CLOSED)
        return plan.plan(...args)
      },
    }))
    await set('days', OPEN)
    const id = await t.job({ name: 'by days', calendars: ['days'] })
    const other = await t.job({ name: 'other' })
    await planner.tick()
    expect(await ledgerOf(t, id)).toEqual([])
    expect(await decided(other)).toEqual(['run'])
    await planAll(planner)
    expect(await decided(id)).toEqual(['skip'])
  })

  it('that somebody is changing is not waited for: its jobs are planned afterwards, the others now', async () => {
    const { planner } = planning()
    await set('days', OPEN)
    const id = await t.job({ name: 'by days', calendars: ['days'] })
    const other = await t.job({ name: 'other' })
    await t.sql.query('begin')
    try {
      await t.sql.query(`update punctual.calendars set version = version + 1`)
      await planAll(planner)
    } finally {
      await t.sql.query('rollback')
    }
    expect(await ledgerOf(t, id)).toEqual([])
    expect(await decided(other)).toEqual(['run'])
    await planAll(planner)
    expect(await decided(id)).toEqual(['run'])
  })

  it('is not changed while slots that it was asked about are written', async () => {
    await set('days', OPEN)
    const id = await t.job({ calendars: ['days'] })
    await t.sql.query('begin')
    // Whoever writes slots waits for this lock, having asked the calendar.
    await t.sql.query('lock table punctual.slots in exclusive mode')
    const planned = planning().planner.tick()
    await waiting(1)
    const changed = set('days', CLOSED)
    await waiting(2)
    await t.sql.query('rollback')
    await Promise.all([planned, changed])
    expect(await decided(id)).toEqual(['run'])
  })
})

/** So many others wait for a lock. */
function waiting(count: number): Promise<unknown> {
  return eventually(`${count} wait for a lock`, async () => {
    const { rows } = await t.sql.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].n >= count
  })
}

describe('a job that was set aside', () => {
  const lost = async (options: object) => {
    await set('days', OPEN)
    const id = await t.job({ calendars: ['days'], ...options })
    await t.sql.query('delete from punctual.calendars')
    await planAll(planning().planner)
    expect((await t.store.schedules.jobs.find(id, 1))?.planningError).toContain('days')
    await set('days', OPEN)
    return id
  }

  it('is planned again when it is declared as it was', async () => {
    const id = await lost({})
    await t.job({ calendars: ['days'] })
    await planAll(planning().planner)
    const job = await t.store.schedules.jobs.find(id, 1)
    expect(job).toMatchObject({ planningError: null, nextAt: expect.any(Date) })
    expect(await decided(id)).toContain('run')
    expect(await holesOf(t, id)).toEqual([])
  })

  it('and runs once has its run when it is declared as it was, in time', async () => {
    const at = new Date(Date.now() + AHEAD - 5_000)
    const id = await lost({ at })
    await t.job({ at, calendars: ['days'] })
    await planAll(planning().planner)
    expect(await ledgerOf(t, id)).toMatchObject([{ slotMs: at.getTime(), decision: 'run' }])
  })
})

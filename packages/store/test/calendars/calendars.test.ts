/** Calendars and planners: a change applies to every slot that is not planned yet. */
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

/** A planner, and a function that advances its time. */
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

describe('changing a calendar', () => {
  it('a planner that has cached the calendars of a tenant finds a new one', async () => {
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

  it('a changed calendar applies to unplanned slots and not to planned ones', async () => {
    const { planner, later } = planning()
    await set('days', OPEN)
    const id = await t.job({ calendars: ['days'] })
    await planAll(planner)
    const { cursorMs } = await cursorOf(t, id)
    await set('days', CLOSED)
    later(5_000)
    await planAll(planner)
    const ledger = await ledgerOf(t, id)
    const decisionsOf = (planned: boolean) => [
      ...new Set(
        ledger
          .filter(({ slotMs }) => slotMs <= cursorMs === planned)
          .map(({ decision }) => decision),
      ),
    ]
    expect(decisionsOf(true)).toEqual(['run'])
    expect(decisionsOf(false)).toEqual(['skip'])
    expect(await holesOf(t, id)).toEqual([])
  })

  it('a calendar that changes during planning is read again before its slots are planned', async () => {
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

  it('a calendar locked by an editor delays only the jobs that use it', async () => {
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

  it('changing a calendar waits for planners that are writing slots by it', async () => {
    await set('days', OPEN)
    const id = await t.job({ calendars: ['days'] })
    await t.sql.query('begin')
    // The planner has read the calendar and waits for this lock to write its slots.
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

/** Waits until `count` other sessions wait for a lock. */
function waiting(count: number): Promise<unknown> {
  return eventually(`${count} sessions wait for a lock`, async () => {
    const { rows } = await t.sql.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].n >= count
  })
}

describe('declaring a job that was set aside', () => {
  const setAside = async (options: object) => {
    await set('days', OPEN)
    const id = await t.job({ calendars: ['days'], ...options })
    await t.sql.query('delete from punctual.calendars')
    await planAll(planning().planner)
    expect((await t.store.schedules.jobs.find(id, 1))?.planningError).toContain('days')
    await set('days', OPEN)
    return id
  }

  it('a job that was set aside is planned again when it is declared unchanged', async () => {
    const id = await setAside({})
    await t.job({ calendars: ['days'] })
    await planAll(planning().planner)
    const job = await t.store.schedules.jobs.find(id, 1)
    expect(job).toMatchObject({ planningError: null, nextAt: expect.any(Date) })
    expect(await decided(id)).toContain('run')
    expect(await holesOf(t, id)).toEqual([])
  })

  it('a one-off job that was set aside runs when it is declared unchanged in time', async () => {
    const at = new Date(Date.now() + AHEAD - 5_000)
    const id = await setAside({ at })
    await t.job({ at, calendars: ['days'] })
    await planAll(planning().planner)
    expect(await ledgerOf(t, id)).toMatchObject([{ slotMs: at.getTime(), decision: 'run' }])
  })
})

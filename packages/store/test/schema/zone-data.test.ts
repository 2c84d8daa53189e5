/** Nodes whose time zone data differ (case 100): who plans, and what becomes of slots that older data computed. */
import { ownedShards, SHARDS } from '@punctual/engine'
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { cursorOf, faultsOf, ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

const MINUTE = 60_000

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query('truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.planners')
})

it('a planner with older data leaves every shard to those with newer data, and says so once', async () => {
  const id = await t.job({ cron: '* * * * * *', timezone: 'Europe/Berlin' })
  const older = t.another(undefined, '2024a')
  const newer = t.another(undefined, '2025b')
  const told: string[] = []
  const planner = plannerOf({ store: older, id: '1', onOutdated: (of) => told.push(of) })
  await newer.schedules.plan.announcePlanner('2', MINUTE)
  await planAll(planner)
  await planAll(planner)
  expect(told).toEqual(['2025b'])
  expect(await ledgerOf(t, id)).toEqual([])

  const view = await newer.schedules.plan.announcePlanner('2', MINUTE)
  expect(view).toMatchObject({ planners: ['2'], newerZoneData: null })
  expect(ownedShards('2', view.planners)).toHaveLength(SHARDS)
})

it('when those with newer data are gone it plans again: older data is better than nobody', async () => {
  const id = await t.job({ cron: '* * * * * *', timezone: 'Europe/Berlin' })
  const newer = t.another(undefined, '2025b').schedules.plan
  const planner = plannerOf({ store: t.another(undefined, '2024a'), id: '1' })
  await newer.announcePlanner('2', MINUTE)
  await planAll(planner)
  expect(await ledgerOf(t, id)).toEqual([])
  await newer.retirePlanner('2')
  await planAll(planner)
  expect(await ledgerOf(t, id)).not.toEqual([])
})

it('planners with the same data divide the shards', async () => {
  const [a, b] = [t.another(undefined, '2025b'), t.another(undefined, '2025b')]
  await a.schedules.plan.announcePlanner('1', MINUTE)
  const { planners } = await b.schedules.plan.announcePlanner('2', MINUTE)
  expect([...planners].sort()).toEqual(['1', '2'])
})

it.each([
  ['an hour late', 60 * MINUTE],
  ['half an hour early', -30 * MINUTE],
])('a slot that older data computed %s is not fired; the right one is, once', async (_, byMs) => {
  const id = await t.job({ cron: '7 * * * *', timezone: 'Europe/Berlin', misfire: 'all' })
  const { nextMs } = await cursorOf(t, id)
  const rightMs = nextMs as number
  // What was decided ends an hour before, and the next slot is where no rule of today puts one.
  const wrongMs = rightMs + byMs + 11 * MINUTE
  await t.sql.query(
    `update punctual.cursors set next_at = to_timestamp($2 / 1000.0), cursor_at = to_timestamp($3 / 1000.0)
     where job_id = $1`,
    [id, wrongMs, rightMs - 60 * MINUTE],
  )
  const planner = plannerOf({ store: t.store, alone: true, nowMs: () => wrongMs })
  await planAll(planner)
  await planAll(planner)
  const fired = (await ledgerOf(t, id)).map(({ slotMs }) => slotMs)
  const expected = byMs > 0 ? [rightMs, rightMs + 60 * MINUTE] : []
  expect(fired).toEqual(expected)
  expect(await faultsOf(t, id, rightMs)).toEqual([])
})

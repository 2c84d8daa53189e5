/**
 * Nodes with different time zone data (case 100): which node plans, and what happens to slots that
 * older data computed.
 */
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

it('a planner with older zone data leaves every shard to newer ones, and reports it once', async () => {
  const id = await t.job({ cron: '* * * * * *', timezone: 'Europe/Berlin' })
  const older = t.another(undefined, '2024a')
  const newer = t.another(undefined, '2025b')
  const reported: string[] = []
  const planner = plannerOf({
    store: older,
    id: '1',
    onOutdated: (version) => reported.push(version),
  })
  await newer.schedules.plan.announcePlanner('2', MINUTE)
  await planAll(planner)
  await planAll(planner)
  expect(reported).toEqual(['2025b'])
  expect(await ledgerOf(t, id)).toEqual([])

  const view = await newer.schedules.plan.announcePlanner('2', MINUTE)
  expect(view).toMatchObject({ planners: ['2'], newerZoneData: null })
  expect(ownedShards('2', view.planners)).toHaveLength(SHARDS)
})

it('a planner with older zone data plans again once no planner with newer data is left', async () => {
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

it('planners with the same zone data divide the shards', async () => {
  const [a, b] = [t.another(undefined, '2025b'), t.another(undefined, '2025b')]
  await a.schedules.plan.announcePlanner('1', MINUTE)
  const { planners } = await b.schedules.plan.announcePlanner('2', MINUTE)
  expect([...planners].sort()).toEqual(['1', '2'])
})

it.each([
  ['an hour late', 60 * MINUTE],
  ['half an hour early', -30 * MINUTE],
])(
  'a slot that older zone data computed %s does not fire; the correct slot fires once',
  async (_, byMs) => {
    const id = await t.job({ cron: '7 * * * *', timezone: 'Europe/Berlin', misfire: 'all' })
    const { nextMs } = await cursorOf(t, id)
    const rightMs = nextMs as number
    // The cursor is an hour back, and the next slot is where today's rules have none.
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
  },
)

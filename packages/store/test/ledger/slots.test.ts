/**
 * Reading the ledger: every expected slot with its decision, also where one row covers many slots.
 */
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { SlotReader } from '../../src/ledger/slot-reader.ts'
import { holesOf, ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

const HOUR = 3_600_000

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query(
    'truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.leases, punctual.parked, punctual.job_holds',
  )
})

const plan = () => planAll(plannerOf({ store: t.store, alone: true }))
async function find(id: string) {
  const job = await t.store.schedules.jobs.find(id, 1)
  if (!job) throw new Error(`job ${id} does not exist`)
  return job
}
const steering = () => t.store.schedules.steering

describe('reading the slots of a job', () => {
  it('all slots of a job are listed with their decisions, and a missing one as undecided', async () => {
    const id = await t.job({ every: '1s' })
    await plan()
    expect(await holesOf(t, id)).toEqual([])
    const { rows } = await t.sql.query(
      `delete from punctual.slots where (slot_at, job_id) = (
         select slot_at, job_id from punctual.slots where job_id = $1 order by slot_at offset 3 limit 1)
       returning slot_at`,
      [id],
    )
    expect(await holesOf(t, id)).toEqual([rows[0].slot_at.toISOString()])
  })

  it('slots that share a row get its decision, also when the row lies beyond the page', async () => {
    const id = await t.job({ cron: '* * * * *', misfire: 'none' })
    await t.age(id, 48 * HOUR)
    await plan()
    expect(await holesOf(t, id)).toEqual([])
    const job = await find(id)
    const fromMs = job.createdAt.getTime()
    const page = await t.store.schedules.slots.slots(job, fromMs, Date.now(), 10)
    expect(page).toHaveLength(10)
    for (const { slot } of page) expect(slot).toMatchObject({ decision: 'skip', reason: 'misfire' })
  })

  it('a page searches a bounded number of slots, and the next pages continue the search', async () => {
    const id = await t.job({ cron: '* * * * * *', misfire: 'none' })
    await t.age(id, 12 * HOUR)
    await plan()
    const job = await find(id)
    const start = { fromMs: job.createdAt.getTime(), aheadMs: 0 }
    const first = await t.store.schedules.slots.page(job, start, Date.now(), 5)
    expect(first.slots).toEqual([])
    expect(first.next?.fromMs).toBeLessThan(start.fromMs + 1_001)
    expect(first.next?.aheadMs).toBeLessThan(start.fromMs + 10_100_000)
    let page = first
    let pages = 1
    for (; page.slots.length === 0 && page.next; pages++)
      page = await t.store.schedules.slots.page(job, page.next, Date.now(), 5)
    expect(pages).toBe(5)
    expect(page.slots).toHaveLength(5)
    for (const { slot } of page.slots) expect(slot).toMatchObject({ reason: 'misfire' })
    // The decision that was found is not searched for again.
    const { slots, next } = page
    const second = next && (await t.store.schedules.slots.page(job, next, Date.now(), 5))
    expect(second?.slots[0]?.slot?.slotAt).toEqual(slots[0]?.slot?.slotAt)
  })

  it('the slots of a job lie between its start and its end', async () => {
    const startAt = new Date(Date.now() + 5_000)
    const endAt = new Date(Date.now() + 9_500)
    const id = await t.job({ cron: '* * * * * *', startAt, endAt })
    await plan()
    const found = await t.store.schedules.slots.slots(await find(id), 0, Date.now() + HOUR, 100)
    expect(found.length).toBeGreaterThanOrEqual(4)
    for (const { slotMs, slot } of found) {
      expect(slotMs).toBeGreaterThanOrEqual(startAt.getTime())
      expect(slotMs).toBeLessThan(endAt.getTime())
      expect(slot?.decision).toBe('run')
    }
  })

  it('past slots follow the rules and the start that were valid at their time', async () => {
    const id = await t.job({ cron: '*/2 * * * * *', startAt: '2100-01-01' })
    await t.age(id, HOUR)
    await t.sql.query(
      `update punctual.cursors set anchor_at = '2100-01-01', next_at = '2100-01-01' where job_id = $1`,
      [id],
    )
    // Without a start the job fires from now on, and has missed nothing before.
    await t.job({ cron: '* * * * * *' })
    await plan()
    expect(await holesOf(t, id)).toEqual([])
    const [first] = await ledgerOf(t, id)
    expect(first?.slotMs).toBeGreaterThan(Date.now() - 60_000)
  })

  it('the slots of a job end with its last allowed run, and continue when maxRuns is raised', async () => {
    const id = await t.job({ every: '1m', maxRuns: 3 })
    await t.age(id, HOUR)
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(3)
    expect(await holesOf(t, id)).toEqual([])
    await t.job({ every: '1m', maxRuns: 5 })
    await plan()
    expect(await holesOf(t, id)).toEqual([])
  })

  it('a job whose only time is in the past has one slot, at its creation', async () => {
    const id = await t.job({ at: '2020-01-01T00:00:00Z' })
    await plan()
    const job = await find(id)
    const found = await t.store.schedules.slots.slots(job, 0, Date.now(), 10)
    expect(found).toHaveLength(1)
    expect(found[0]?.slot).toMatchObject({ decision: 'run' })
    expect(found[0]?.slotMs).toBe(job.createdAt.getTime())
  })

  it('a job recreated under its name does not inherit slots of the deleted job (case 107)', async () => {
    const old = await t.job({ every: '1s' })
    await plan()
    await steering().delete(old, 1)
    const id = await t.job({ every: '1s' })
    expect(id).not.toBe(old)
    expect(await ledgerOf(t, id)).toEqual([])
    await plan()
    expect(await holesOf(t, id)).toEqual([])
  })

  it('changing the time zone keeps the decisions made before it (case 107)', async () => {
    const id = await t.job({ cron: '0 * * * * *', timezone: 'UTC' })
    await t.age(id, HOUR)
    await plan()
    const before = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs <= Date.now())
    await t.job({ cron: '0 * * * * *', timezone: 'Asia/Kolkata' })
    await plan()
    const after = await ledgerOf(t, id)
    expect(after.slice(0, before.length)).toEqual(before)
    expect(await holesOf(t, id)).toEqual([])
  })

  it('the last slot before an instant is found across a gap of months', async () => {
    const id = await t.job({ cron: '0 0 1 1 *' })
    await t.age(id, 400 * 24 * HOUR)
    await plan()
    const { slots } = t.store.schedules
    const job = await find(id)
    const found = await slots.lastBefore(job, Date.now(), 366 * 24 * HOUR)
    const newYear = Date.UTC(new Date().getUTCFullYear(), 0, 1)
    expect(found).toMatchObject({ slotMs: newYear, slot: { decision: 'run' } })
    expect(await slots.lastBefore(job, Date.now(), HOUR)).toBeNull()
  })

  it('the last slot before an instant gets the decision of a distant row that covers it', async () => {
    const { slots } = t.store.schedules
    // No slot has passed at the pause: a decided slot would not age with the job.
    const id = await t.job({ every: '1s', startAt: new Date(Date.now() + 5_000) })
    await steering().pause(id, null, 1)
    await t.age(id, 40 * HOUR)
    await steering().resume(id, 1)
    const job = await find(id)
    for (const agoMs of [39 * HOUR, 9 * HOUR, 60_000])
      expect(await slots.lastBefore(job, Date.now() - agoMs, HOUR)).toMatchObject({
        slot: { decision: 'skip', reason: 'paused' },
      })
  })

  it('explaining one slot among a million computes a few thousand', async () => {
    const { slots } = t.store.schedules
    const id = await t.job({ every: '1s', startAt: new Date(Date.now() + 5_000) })
    await steering().pause(id, null, 1)
    await t.age(id, 400 * HOUR)
    await steering().resume(id, 1)
    const job = await find(id)
    const computed: number[] = []
    const { expected } = SlotReader.prototype
    vi.spyOn(SlotReader.prototype, 'expected').mockImplementation(async function (
      this: SlotReader,
      ...range: Parameters<SlotReader['expected']>
    ) {
      const found = await expected.apply(this, range)
      computed.push(found.length)
      return found
    })
    for (const agoMs of [399 * HOUR, 60_000]) {
      computed.length = 0
      const found = await slots.lastBefore(job, Date.now() - agoMs, 366 * 24 * HOUR)
      expect(found).toMatchObject({ slot: { decision: 'skip', reason: 'paused' } })
      expect(computed.reduce((sum, some) => sum + some, 0)).toBeLessThan(20_000)
    }
    vi.restoreAllMocks()
  })
})

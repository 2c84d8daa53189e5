/** Backfills: each past slot runs once, even if it was decided or backfilled before. */
import { Planner } from '@punctual/engine'
import { systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type JobOptions, Punctual } from '../../src/index.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

let t: TestStore
let punctual: Punctual
beforeAll(async () => {
  t = await TestStore.open()
  punctual = await Punctual.start({ databaseUrl: t.url, roles: [] })
})
afterAll(async () => {
  await punctual.stop()
  await t.close()
})
afterEach(async () => {
  await t.sql.query('truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.slots')
})

/** A job created this long ago that has not been planned since. */
async function aged(ms: number, options: Partial<JobOptions>): Promise<string> {
  const id = await t.job(options)
  await t.age(id, ms)
  return id
}

/** Starts a planner again. */
async function plan(): Promise<void> {
  const planner = new Planner({
    ...{ store: t.store.schedules.plan, clock: systemClock, id: systemRandom.token() },
    ...{ aheadMs: 1_000, ttlMs: 8_000, hintsArrive: () => false },
  })
  while ((await planner.tick()) === 0);
  await t.sql.query('delete from punctual.planners')
}

/** The number of runs of each past slot. */
async function runsOf(jobId: string): Promise<Map<number, number>> {
  const { rows } = await t.sql.query(
    `select (extract(epoch from slot_at) * 1000)::float8 as ms, count(*)::int as n
     from punctual.runs where job_id = $1 and slot_at <= now() group by slot_at order by slot_at`,
    [jobId],
  )
  return new Map(rows.map(({ ms, n }) => [ms, n]))
}

const last = (ms: number) => ({ from: new Date(Date.now() - ms), to: new Date() })

describe('a backfill of slots that nobody has decided yet', () => {
  it('a backfill leaves undecided slots to the misfire rules, and a planner runs none again', async () => {
    const id = await aged(5 * MINUTE, { cron: '* * * * *', misfire: 'all' })
    const { runs, already } = await punctual.jobs.backfill(id, last(4.5 * MINUTE))
    expect(runs).toBe(0)
    expect(already).toBeGreaterThanOrEqual(4)
    await plan()
    const made = await runsOf(id)
    expect(made.size).toBeGreaterThanOrEqual(5)
    expect(new Set(made.values())).toEqual(new Set([1]))
  })

  it('a backfill runs slots that the misfire rules skip', async () => {
    const id = await aged(10 * MINUTE, { cron: '* * * * *', misfire: 'none' })
    const { runs } = await punctual.jobs.backfill(id, last(9 * MINUTE))
    expect(runs).toBeGreaterThanOrEqual(7)
    await plan()
    expect(new Set((await runsOf(id)).values())).toEqual(new Set([1]))
  })

  it('a backfill runs the slots of a pause, which a resume then skips', async () => {
    const id = await t.job({ cron: '* * * * *' })
    await punctual.jobs.pause(id)
    await t.age(id, 10 * MINUTE)
    const { runs } = await punctual.jobs.backfill(id, last(9 * MINUTE))
    expect(runs).toBeGreaterThanOrEqual(8)
    await punctual.jobs.resume(id)
    await plan()
    expect(new Set((await runsOf(id)).values())).toEqual(new Set([1]))
  })

  it('a backfill counts the runs that it decides', async () => {
    const id = await aged(5 * MINUTE, { cron: '* * * * *', maxRuns: 10 })
    await punctual.jobs.backfill(id, last(MINUTE))
    const made = (await runsOf(id)).size
    expect(made).toBeGreaterThanOrEqual(5)
    expect(await punctual.jobs.get(id)).toMatchObject({ runsLeft: 10 - made })
  })
})

describe('a backfill of slots covered by one run', () => {
  it('a covered slot does not run again, also when the backfill has only a part of the range', async () => {
    const id = await aged(3 * HOUR, { cron: '* * * * *', misfire: 'latest' })
    await plan()
    const nowMs = Date.now()
    const part = { from: new Date(nowMs - 2.5 * HOUR), to: new Date(nowMs - 2 * HOUR) }
    expect(await punctual.jobs.backfill(id, part)).toEqual({ runs: 0, already: 30 })
  })

  it('no slot runs again when one run covers more than a hundred thousand slots', async () => {
    const id = await aged(30 * HOUR, { cron: '* * * * * *', misfire: 'latest' })
    await plan()
    const nowMs = Date.now()
    const part = { from: new Date(nowMs - 29 * HOUR), to: new Date(nowMs - 29 * HOUR + 5_000) }
    expect(await punctual.jobs.backfill(id, part)).toEqual({ runs: 0, already: 5 })
  })

  it('no covered slot runs again after an edit to rules with other slots', async () => {
    const job = { name: 'edited', handler: 'test', misfire: 'latest' } as const
    const id = await aged(3 * HOUR, { ...job, cron: '7 * * * * *' })
    await plan()
    await punctual.jobs.upsert({ ...job, cron: '*/10 * * * *' })
    const nowMs = Date.now()
    const part = { from: new Date(nowMs - 2.5 * HOUR), to: new Date(nowMs - 2 * HOUR) }
    expect(await punctual.jobs.backfill(id, part)).toEqual({ runs: 0, already: 3 })
    // Slots before the creation of the job do not belong to it.
    const before = { from: new Date(nowMs - 4.5 * HOUR), to: new Date(nowMs - 4 * HOUR) }
    expect(await punctual.jobs.backfill(id, before)).toEqual({ runs: 3, already: 0 })
  })
})

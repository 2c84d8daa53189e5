/** The auditor repairs damaged cursors and leaves intact jobs unchanged. */
import { ManualClock, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auditorOf, emptySchedules, plannedJobOf, planOf, shown } from '../kit/auditing-kit.ts'
import { cursorOf, ledgerOf } from '../kit/planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(() => emptySchedules(t))

const anAuditor = (settings = {}) => auditorOf(t, settings)
const aPlannedJob = (ageMs?: number, options = {}) => plannedJobOf(t, ageMs, options)
const plan = () => planOf(t)
const sql = (text: string, values: unknown[] = []) => t.sql.query(text, values)

describe('auditing an intact system', () => {
  const kinds: Record<string, () => Parameters<TestStore['job']>[0]> = {
    'fires every second': () => ({}),
    'fires at a fixed rate': () => ({ every: '3s', misfire: 'latest' }),
    'has a time zone': () => ({ cron: '*/5 * * * * *', timezone: 'Europe/Berlin' }),
    'starts in the future': () => ({ startAt: new Date(Date.now() + 3_600_000) }),
    'has an end': () => ({ endAt: new Date(Date.now() + 5_000) }),
    'has few runs left': () => ({ maxRuns: 3 }),
    'fires after its run': () => ({ everyAfterEnd: '1s' }),
    'fires once, later': () => ({ delayMs: 3_600_000 }),
    'fires once, soon': () => ({ delayMs: 1 }),
    'fired once, long ago': () => ({ at: '2020-01-01T00:00:00Z' }),
    'repeats a fixed number of times': () => ({
      every: `R2/${new Date(Date.now() + 2_000).toISOString()}/PT1S`,
    }),
  }

  it.each(Object.entries(kinds))(
    'the auditor leaves an intact job unchanged: %s',
    async (_, options) => {
      const id = await t.job(options())
      const round = anAuditor()
      expect(shown(await round())).toEqual([])
      await plan()
      const before = await cursorOf(t, id)
      expect(shown([...(await round()), ...(await round())])).toEqual([])
      expect(await cursorOf(t, id)).toEqual(before)
    },
  )

  it('the auditor finds nothing after an outage, with any misfire policy', async () => {
    const rules = ['all', 'latest', 'none', { policy: 'all', maxCount: 3 }] as const
    for (const [i, misfire] of rules.entries()) {
      const id = await t.job({ name: `job ${i}`, misfire })
      await t.age(id, 600_000)
    }
    expect(shown(await anAuditor()())).toEqual([])
    await plan()
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('the auditor finds nothing while jobs are edited, paused, resumed and skipped', async () => {
    const id = await aPlannedJob()
    const { steering } = t.store.schedules
    const round = anAuditor()
    const steps = [
      () => t.job({ payload: 2 }),
      () => steering.pause('job', null, 1),
      () => t.job({ cron: '*/2 * * * * *' }),
      () => steering.resume('job', 1),
      () => plan(),
      async () => steering.skip('job', (await cursorOf(t, id)).nextMs as number, null, 1),
      () => t.job({ every: '3s' }),
      () => plan(),
      () => steering.trigger('job', null, 1),
      () => t.job({ startAt: new Date(Date.now() + 60_000) }),
      () => steering.pause('job', null, 1),
      () => steering.resume('job', 1),
      () => t.job({ cron: '* * * * * *', maxRuns: 1_000 }),
      () => plan(),
    ]
    for (const step of steps) {
      await step()
      expect(shown(await round())).toEqual([])
    }
  })
})

describe('auditing edited jobs', () => {
  it('an everyAfterEnd job that becomes a cron job with a past start begins now', async () => {
    const id = await t.job({ everyAfterEnd: '1h' })
    await t.age(id, 600_000)
    await t.job({ cron: '*/2 * * * * *', startAt: new Date(Date.now() - 60_000) })
    const before = await cursorOf(t, id)
    expect(before.nextMs).toBeGreaterThan(Date.now() - 5_000)
    expect(shown(await anAuditor()())).toEqual([])
    expect(await cursorOf(t, id)).toEqual(before)
  })

  it('editing an unplanned job that fires once does not run it twice', async () => {
    const id = await t.job({ at: '2020-01-01T00:00:00Z' })
    await t.job({ at: '2020-01-01T00:00:00Z', payload: 2 })
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(1)
    expect(shown(await anAuditor()())).toEqual([])
  })
})

describe('auditing cursors', () => {
  it('the auditor restores a cursor without a next slot', async () => {
    const id = await aPlannedJob()
    const before = await cursorOf(t, id)
    await sql('update punctual.cursors set next_at = null')
    expect(shown(await anAuditor()())).toEqual(['cursor-lost, repaired'])
    expect(await cursorOf(t, id)).toEqual(before)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('the auditor accepts a cursor without a next slot if the job is paused, set aside or done', async () => {
    await aPlannedJob(0, { name: 'paused' })
    await t.store.schedules.steering.pause('paused', null, 1)
    await aPlannedJob(0, { name: 'aside' })
    await sql(`update punctual.jobs set planning_error = 'x' where name = 'aside'`)
    await sql(`update punctual.cursors set next_at = null
      where job_id = (select id from punctual.jobs where name = 'aside')`)
    await aPlannedJob(0, { name: 'done', maxRuns: 1 })
    expect(shown(await anAuditor()())).toEqual([])
  })

  it.each([
    ['between two slots', 300],
    ['a day ahead', 86_400_000],
    ['at a decided slot', -5_000],
  ])('the auditor repairs a cursor that points %s', async (_, byMs) => {
    const id = await aPlannedJob()
    const before = await cursorOf(t, id)
    await sql(`update punctual.cursors set next_at = next_at + $1 * interval '1 ms'`, [byMs])
    expect(shown(await anAuditor()())).toEqual(['cursor-stray, repaired'])
    expect(await cursorOf(t, id)).toEqual(before)
  })

  it('a wrong cursor is only reported while a planner has newer zone data, else repaired (case 100)', async () => {
    const id = await aPlannedJob(0, { timezone: 'Europe/Berlin' })
    const right = await cursorOf(t, id)
    await sql(`update punctual.cursors set next_at = next_at + interval '300 ms'`)
    const wrong = await cursorOf(t, id)
    const newer = t.another(undefined, '9999z').schedules.plan
    await newer.announcePlanner('77', 60_000)
    expect(shown(await anAuditor()())).toEqual(['cursor-stray'])
    expect(await cursorOf(t, id)).toEqual(wrong)
    await newer.retirePlanner('77')
    expect(shown(await anAuditor()())).toEqual(['cursor-stray, repaired'])
    expect(await cursorOf(t, id)).toEqual(right)
  })

  it('the auditor reports a cursor that is far behind once planners had time to catch up', async () => {
    const id = await t.job()
    await t.age(id, 600_000)
    const clock = new ManualClock()
    const round = anAuditor({ clock })
    await clock.advance(120_000)
    expect(shown(await round())).toEqual([])
    await sql(`insert into punctual.planners values (1, now() + interval '1 hour', '2025b')`)
    expect(shown(await round())).toEqual([])
    await clock.advance(120_000)
    expect(shown(await round())).toEqual(['planning-behind'])
  })

  it('the auditor deletes a cursor without a job, and reports a job without a cursor', async () => {
    const [gone, left] = [await t.job({ name: 'gone' }), await t.job({ name: 'left' })]
    await sql('delete from punctual.jobs where id = $1', [gone])
    await sql('delete from punctual.cursors where job_id = $1', [left])
    expect(shown(await anAuditor()())).toEqual(['cursor-missing', 'job-missing, repaired'])
    expect(await t.count('cursors')).toBe(0)
    expect(shown(await anAuditor()())).toEqual(['cursor-missing'])
  })
})

describe('auditing everyAfterEnd jobs', () => {
  async function claimItsRun() {
    await t.job({ everyAfterEnd: '1s' })
    await plan()
    const session = await t.session()
    const { runs } = await t.claim(session)
    expect(runs).toHaveLength(1)
    return { session, runs }
  }

  it('the auditor finds nothing while the run of an everyAfterEnd job waits, runs or has ended', async () => {
    const round = anAuditor()
    const { session, runs } = await claimItsRun()
    expect(shown(await round())).toEqual([])
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    expect(shown(await round())).toEqual([])
  })

  it('the auditor rearms an everyAfterEnd job whose ended run did not', async () => {
    const { session, runs } = await claimItsRun()
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    await sql('update punctual.cursors set next_at = null, anchor_at = null')
    const rounds = await Promise.all([anAuditor()(), anAuditor({ store: t.another() })()])
    expect(shown(rounds.flat())).toEqual(['rearm-lost, repaired'])
    await plan()
    expect(await t.count('slots')).toBe(2)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it.each([
    ['once', { at: '2020-01-01T00:00:00Z' }],
    ['at a fixed rate', { every: '1h' }],
  ])('an everyAfterEnd job edited to fire %s is not rearmed by its last run', async (_, rules) => {
    const { session, runs } = await claimItsRun()
    const id = await t.job(rules)
    await plan()
    const before = await t.sql.query('select anchor_at, next_at from punctual.cursors')
    const settled = runs.map((run) => succeeded(run))
    await t.store.work.settle(session, settled)
    expect((await t.sql.query('select anchor_at, next_at from punctual.cursors')).rows).toEqual(
      before.rows,
    )
    await plan()
    expect((await ledgerOf(t, id)).length).toBe(2)
    expect(shown(await anAuditor()())).toEqual([])
  })

  it('the auditor rearms an everyAfterEnd job whose run is lost', async () => {
    await claimItsRun()
    await sql('delete from punctual.leases')
    await sql('delete from punctual.job_holds')
    expect(shown(await anAuditor()())).toEqual(['rearm-lost, repaired'])
  })
})

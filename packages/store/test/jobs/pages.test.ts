/** Pages of jobs: each status, the filters, totals and numbered pages. */
import { limits } from '@punctual/core/errors'
import {
  compileJobPageFilter,
  type JobPageFilter,
  type JobStatus,
  jobStatuses,
} from '@punctual/core/job'
import type { RunState } from '@punctual/core/run'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeRun } from '../kit/history-kit.ts'

let t: TestStore
const HOUR_MS = 3_600_000
const expected = new Map<string, JobStatus>()

/** A job whose only slot has passed and been decided. */
async function over(name: string) {
  const id = await t.job({ name, at: new Date(Date.now() + HOUR_MS), labels: { team: 'once' } })
  await t.sql.query('update punctual.cursors set next_at = null where job_id = $1', [id])
  return id
}

async function expectStatus(name: string, status: JobStatus, id: string) {
  expected.set(name, status)
  return id
}

beforeAll(async () => {
  t = await TestStore.open()
  await t.sql.query(`insert into punctual.tenants (id, name) values (2, 'other')`)
  const cron = '0 0 1 1 *'
  await expectStatus('a-quiet', 'scheduled', await t.job({ name: 'a-quiet', cron }))
  const recurring = {
    ...{ 'b-queued': 'queued', 'b-running': 'running', 'b-waiting': 'waiting' },
    ...{ 'b-cancelling': 'cancelling', 'b-failed-before': 'dead', 'b-retries': 'scheduled' },
  } as const
  const shown: Partial<Record<string, JobStatus>> = {
    ...{ queued: 'queued', running: 'running', cancelling: 'cancelling' },
    waiting: 'waiting_dependencies',
  }
  for (const [name, state] of Object.entries(recurring) as [string, RunState][]) {
    const jobId = await t.job({ name, cron, queue: 'mail', handler: 'other' })
    await makeRun(t, { jobId, state: 'succeeded', dueMs: Date.now() - HOUR_MS })
    await makeRun(t, { jobId, state })
    await expectStatus(name, shown[state] ?? 'scheduled', jobId)
  }
  const ends = {
    ...{ succeeded: 'completed', dead: 'dead_letter', unknown: 'failed' },
    ...{ cancelled: 'cancelled', skipped: 'cancelled', scheduled: 'scheduled' },
  } as const
  for (const [state, status] of Object.entries(ends) as [RunState, JobStatus][]) {
    const jobId = await expectStatus(`c-${state}`, status, await over(`c-${state}`))
    await makeRun(t, { jobId, state })
  }
  const handled = await expectStatus('c-handled', 'failed', await over('c-handled'))
  await makeRun(t, { jobId: handled, state: 'dead', handled: true })
  await expectStatus('c-none', 'completed', await over('c-none'))
  const broken = await expectStatus('d-broken', 'failed', await over('d-broken'))
  await t.sql.query(`update punctual.jobs set planning_error = 'x' where id = $1`, [broken])
  await expectStatus('d-paused', 'paused', await t.job({ name: 'd-paused', cron }))
  await t.store.schedules.steering.pause('d-paused', 'why', 1)
})
afterAll(() => t.close())

const pages = () => t.store.schedules.jobPages
async function namesOf(options: JobPageFilter, limit = 4) {
  const filter = compileJobPageFilter(options)
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = await pages().page(filter, { limit, cursor, skip: 0 }, 1)
    names.push(...page.jobs.map(({ name }) => name))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return names
}
const expectedNames = (wanted: (name: string, status: JobStatus) => boolean) =>
  [...expected]
    .filter(([name, status]) => wanted(name, status))
    .map(([name]) => name)
    .sort()

describe('pages of jobs', () => {
  it('a page of jobs is sorted by name and shows the status of each job', async () => {
    const { jobs } = await pages().page({}, { limit: 100, cursor: undefined, skip: 0 }, 1)
    expect(jobs.map(({ name, status }) => [name, status])).toEqual([...expected].sort())
  })

  it.each(jobStatuses)(
    'filtering jobs by status %s finds and counts exactly those',
    async (status) => {
      const names = expectedNames((_, found) => found === status)
      expect(await namesOf({ statuses: [status] })).toEqual(names)
      const filter = compileJobPageFilter({ statuses: [status] })
      expect(await pages().total(filter, 1)).toEqual({ total: names.length, totalExact: true })
    },
  )

  it.each([
    ['a name prefix', { namePrefix: 'b-' }, (name: string) => name.startsWith('b-')],
    ['a queue', { queue: 'mail' }, (name: string) => name.startsWith('b-')],
    ['a handler', { handler: 'other' }, (name: string) => name.startsWith('b-')],
    ['a label', { labels: { team: 'once' } }, (name: string) => /^c-|d-broken/.test(name)],
    [
      'two statuses',
      { statuses: ['paused', 'running'] },
      (name: string) => /paused|b-running/.test(name),
    ],
  ] as const)('filtering jobs by %s finds and counts exactly those', async (_, options, wanted) => {
    expect(await namesOf(options)).toEqual(expectedNames(wanted))
    const filter = compileJobPageFilter(options)
    expect((await pages().total(filter, 1)).total).toBe(expectedNames(wanted).length)
  })

  it('a filter finds jobs by the range of their next slot', async () => {
    await t.job({ name: 'a-soon', at: new Date(Date.now() + HOUR_MS) })
    const next = { from: new Date(), to: new Date(Date.now() + 2 * HOUR_MS) }
    expect(await namesOf({ next })).toEqual(['a-soon'])
    expect(await namesOf({ next: { to: next.to }, namePrefix: 'a-' })).toEqual(['a-soon'])
    await t.store.schedules.steering.delete('a-soon', 1)
  })

  it('a page of jobs can be requested by its number', async () => {
    const all = [...expected.keys()].sort()
    const second = await pages().page({}, { limit: 5, cursor: undefined, skip: 5 }, 1)
    expect(second.jobs.map(({ name }) => name)).toEqual(all.slice(5, 10))
    const cursor = second.nextCursor as string
    const third = await pages().page({}, { limit: 5, cursor, skip: 0 }, 1)
    expect(third.jobs.map(({ name }) => name)).toEqual(all.slice(10, 15))
    const beyond = await pages().page({}, { limit: 5, cursor: undefined, skip: 100 }, 1)
    expect(beyond).toMatchObject({ jobs: [], nextCursor: null })
  })

  it('the cursor of a job page is refused with another filter or tenant', async () => {
    const { nextCursor } = await pages().page({}, { limit: 1, cursor: undefined, skip: 0 }, 1)
    const cursor = nextCursor as string
    const refused = { code: 'invalid_cursor' }
    await expect(
      pages().page({ queue: 'mail' }, { limit: 1, cursor, skip: 0 }, 1),
    ).rejects.toMatchObject(refused)
    await expect(pages().page({}, { limit: 1, cursor, skip: 0 }, 2)).rejects.toMatchObject(refused)
  })

  it('a job on a page shows the state of its latest run', async () => {
    const [job] = await pages().find(
      [(await t.store.schedules.jobs.find('c-dead', 1))?.id as string],
      1,
    )
    expect(job?.latestRun).toMatchObject({ state: 'dead', attempt: 1, executionMs: 15 })
    const [none] = await pages().find(
      [(await t.store.schedules.jobs.find('c-none', 1))?.id as string],
      1,
    )
    expect(none?.latestRun).toBeNull()
  })

  it('totals of jobs are exact up to 10,000', async () => {
    await t.sql.query(
      `insert into punctual.jobs (id, created_at, updated_at, tenant_id, lane, timing, version, timeout_ms, max_attempts,
         traits, name, payload)
       select gen_random_uuid(), now(), now(), 2, lane, timing, 1, 1000, 3, 0, 'many-' || i, 'null'
       from generate_series(0, $1::integer) i, punctual.jobs where name = 'a-quiet'`,
      [limits.numberedJobs],
    )
    await t.sql.query(
      `insert into punctual.cursors (job_id, next_at, cursor_at, tenant_id, timing, version, shard)
       select id, now(), now(), 2, timing, 1, 1 from punctual.jobs where tenant_id = 2`,
    )
    const { total, totalExact } = await pages().total({}, 2)
    expect(totalExact).toBe(false)
    expect(total).toBeLessThanOrEqual(limits.numberedJobs)
    expect(total).toBeGreaterThan(0)
    const filter = compileJobPageFilter({ namePrefix: 'many-99' })
    expect(await pages().total(filter, 2)).toEqual({ total: 111, totalExact: true })
  })
})

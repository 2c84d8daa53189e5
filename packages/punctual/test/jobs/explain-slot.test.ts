/**
 * The answers of `jobs.explain` and `verify` about slots without a decision and decisions without a
 * run.
 */
import type { JobOptions } from '@punctual/core/job'
import { Planner } from '@punctual/engine'
import { systemClock, systemRandom } from '@punctual/store'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const HOUR_MS = 3_600_000
let database: TestDatabase
let punctual: Punctual
let sql: pg.Client

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await punctual.stop()
  await database.drop()
})

const upsert = (job: Partial<JobOptions> & { name: string }) =>
  punctual.jobs.upsert({ handler: 'work', cron: '*/10 * * * * *', ...job } as JobOptions)

/** As if it had been created and last planned nine hours ago: nothing was decided since. */
async function age(id: string): Promise<void> {
  await sql.query('delete from punctual.slots where job_id = $1', [id])
  await sql.query(
    `update punctual.cursors set next_at = next_at - interval '9 hours', cursor_at = cursor_at - interval '9 hours',
       anchor_at = anchor_at - interval '9 hours' where job_id = $1`,
    [id],
  )
  await sql.query(
    `update punctual.jobs set created_at = created_at - interval '9 hours' where id = $1`,
    [id],
  )
}

async function plan(): Promise<void> {
  const planner = new Planner({
    ...{ store: punctual.store.schedules.plan, clock: systemClock, id: systemRandom.token() },
    ...{ aheadMs: 20_000, ttlMs: 8_000, hintsArrive: () => false },
  })
  while ((await planner.tick()) === 0);
  await planner.retire()
}

describe('a job that was paused for hours', () => {
  test('a paused job is explained during the pause, before it and after its resumption', async () => {
    const { id } = await upsert({ name: 'paused', cron: '* * * * * *' })
    await punctual.jobs.pause('paused')
    await age(id)
    const middle = Date.now() - 5 * HOUR_MS
    expect((await punctual.jobs.explain('paused', middle)).text).toContain('the job is paused')
    await punctual.jobs.resume('paused')
    expect(await punctual.jobs.explain('paused', middle)).toMatchObject({
      ...{ decision: 'skip', reason: 'paused' },
      text: expect.stringContaining('the job was paused'),
    })
    await punctual.jobs.delete('paused')
  })
})

describe('a job that could not be planned', () => {
  test('verify and explain report an unplannable job until it is declared again', async () => {
    const { jobs } = punctual
    const calendar = { exclude: ['2001-01-01'] }
    await jobs.calendars.set('lost', calendar)
    const job = { name: 'aside', calendars: ['lost'] }
    const { id } = await upsert(job)
    await age(id)
    await sql.query('delete from punctual.calendars')
    await plan()
    expect(await punctual.verify({ job: 'aside' })).toMatchObject({
      ...{ clean: false, setAside: 1, holes: 0, cursors: 0 },
      findings: [{ kind: 'set-aside', job: 'aside', jobId: id, at: null }],
    })
    const { text } = await jobs.explain('aside', Date.now() - HOUR_MS)
    expect(text).toContain('could not be planned: The calendar lost does not exist.')
    await jobs.calendars.set('lost', calendar)
    expect((await upsert(job)).change).toBe('updated')
    await plan()
    expect(await punctual.verify({ job: 'aside' })).toMatchObject({ clean: true, setAside: 0 })
  })
})

describe('a ledger', () => {
  test('a decision to run without a run is reported as lost', async () => {
    const { id } = await upsert({ name: 'unnamed', misfire: { maxAgeMs: 24 * HOUR_MS } })
    await age(id)
    await plan()
    const { rows } = await sql.query(
      `update punctual.slots set run_id = null where (slot_at, job_id) = (
         select slot_at, job_id from punctual.slots
         where job_id = $1 and decision = 1 and slot_at < now() order by slot_at desc limit 1)
       returning slot_at`,
      [id],
    )
    expect(await punctual.verify({ job: 'unnamed' })).toMatchObject({
      ...{ clean: false, lost: 1, holes: 0, strays: 0 },
      findings: [{ kind: 'run-lost', job: 'unnamed', at: rows[0].slot_at, runId: null }],
    })
  })
})

/** Jobs that run once are deleted when nothing of their history is kept. */
import { compileJob, type JobOptions } from '@punctual/core/job'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeRun } from '../kit/history-kit.ts'

const DAY_MS = 86_400_000

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

const idOf = new Map<string, string>()

async function make(name: string, when: object = { at: new Date(Date.now() + 3_600_000) }) {
  const job = { name, handler: 'test', ...when } as JobOptions
  const compiled = compileJob(job, { timezone: 'UTC', jitterMs: 0 })
  const [made] = await t.store.schedules.jobs.upsert([compiled], 1)
  idOf.set(name, made?.id as string)
  return made?.id as string
}

/** As if the last slot of the job was decided `days` days ago. */
const ended = (name: string, days: number) =>
  t.sql.query(
    `update punctual.cursors set next_at = null, cursor_at = now() - $2 * interval '1 day' where job_id = $1`,
    [idOf.get(name), days],
  )

const names = async () =>
  (await t.store.schedules.jobs.list({ limit: 1_000 }, 1)).map(({ name }) => name).sort()

it('a job that ran once is deleted when its end is older than the retention', async () => {
  for (const name of ['old', 'recent', 'paused', 'broken', 'edited']) await make(name)
  await make('recurring', { cron: '0 0 * * *' })
  await t.store.schedules.steering.pause('paused', null, 1)
  await make('edited', { at: new Date(Date.now() + 7_200_000) })
  for (const name of ['old', 'paused', 'broken', 'recurring', 'edited']) await ended(name, 92)
  await ended('recent', 89)
  await make('ahead')
  await t.sql.query(`update punctual.jobs set planning_error = 'x' where name = 'broken'`)
  await t.store.upkeep.sweep(90)
  expect(await names()).toEqual(['ahead', 'broken', 'paused', 'recent', 'recurring'])
  const { rows } = await t.sql.query(
    `select job_id from punctual.cursors union all select job_id from punctual.job_versions where change = 'deleted'
     union all select job_id from punctual.job_versions where change = 'edited'`,
  )
  expect(rows).toHaveLength(5)
})

it('a job that ran once stays as long as one of its runs is kept', async () => {
  const jobId = await make('once')
  await ended('once', 100)
  const run = await makeRun(t, { jobId, dueMs: Date.now() - DAY_MS / 4 })
  await t.store.upkeep.sweep(90)
  expect(await names()).toEqual(['once'])
  for (const [table, id] of Object.entries({ outcomes: 'run_id', runs: 'id' }))
    await t.sql.query(`delete from punctual.${table} where ${id} = $1`, [run.id])
  await t.store.upkeep.sweep(90)
  expect(await names()).toEqual([])
})

it('a job that gets a new time while the sweep deletes old jobs stays', async () => {
  const jobId = await make('once')
  await ended('once', 100)
  await t.sql.query('begin')
  await t.sql.query(
    `update punctual.cursors set next_at = now() + interval '1 hour' where job_id = $1`,
    [jobId],
  )
  await t.store.upkeep.sweep(90)
  await t.sql.query('commit')
  await t.store.upkeep.sweep(90)
  expect(await names()).toEqual(['once'])
})

it('jobs that must stay do not block the deletion of jobs that follow them', async () => {
  // More broken jobs than one sweep reads, then one that may be deleted.
  await t.sql.query(
    `with made as (
       insert into punctual.timings (spec) values ('{"when":{"kind":"once"}}') returning id
     ), jobs as (
       insert into punctual.jobs (id, created_at, updated_at, tenant_id, lane, timing, version, timeout_ms, max_attempts,
         traits, name, payload, planning_error, once)
       select gen_random_uuid(), now(), now(), 1, 1, made.id, 1, 1, 1, 0, 'job ' || n, '1', case when n <= 11000 then 'x' end, true
       from made, generate_series(1, 11001) n
       returning id, name, timing
     )
     insert into punctual.cursors (job_id, cursor_at, tenant_id, timing, version, shard, once)
     select id, now() - interval '200 days' + substr(name, 5)::integer * interval '1 second', 1, timing, 1, 0, true from jobs`,
  )
  const count = async () =>
    Number((await t.sql.query('select count(*) from punctual.jobs')).rows[0].count)
  await t.store.upkeep.sweep(90)
  expect(await count()).toBe(11_001)
  await t.store.upkeep.sweep(90)
  expect(await count()).toBe(11_000)
})

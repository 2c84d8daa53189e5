/** Lock order of job lists: lists that share jobs wait for each other, and do not deadlock. */
import { compileJob } from '@punctual/core/job'
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

const jobs = (names: readonly string[], priority: number) =>
  names.map((name) =>
    compileJob(
      { name, handler: 'test', cron: '0 0 * * *', priority },
      { timezone: 'UTC', jitterMs: 0 },
    ),
  )
const upsert = (names: readonly string[], priority = 5) =>
  t.store.transaction(() => t.store.schedules.jobs.upsert(jobs(names, priority), 1))

const untilUpsertWaits = () =>
  eventually('the upsert waits for a lock', async () => {
    const { rows } = await t.sql.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })

it('an upsert locks its jobs in the order of their names', async () => {
  await upsert(['m', 'a', 'z'])
  const other = await t.store.database.connect()
  const hold = (name: string) =>
    other.query(
      `select from punctual.cursors c join punctual.jobs j on j.id = c.job_id where j.name = $1
       for update of c nowait`,
      [name],
    )
  await other.query('begin')
  await hold('a')
  const changed = upsert(['z', 'a', 'm'], 7)
  await untilUpsertWaits()
  // The upsert waits for the first job, and holds none of the others.
  await hold('m')
  await hold('z')
  await other.query('commit')
  await other.end()
  expect(await changed).toMatchObject([
    { name: 'z', change: 'updated' },
    { name: 'a', change: 'updated' },
    { name: 'm', change: 'updated' },
  ])
})

it('an upsert creates new jobs in the order of their names, before it changes any', async () => {
  await upsert(['b'])
  const other = await t.store.database.connect()
  await other.query(`begin; set local lock_timeout = '2s'`)
  const claim = (name: string) =>
    other.query(
      `insert into punctual.jobs (id, created_at, updated_at, tenant_id, lane, timing, version, timeout_ms, max_attempts,
         traits, name, payload)
       select gen_random_uuid(), now(), now(), 1, 1, min(id), 1, 1, 1, 0, $1, '1' from punctual.timings`,
      [name],
    )
  await claim('c')
  const made = upsert(['y', 'b', 'c'], 7)
  await untilUpsertWaits()
  await claim('y')
  await other.query(
    `select from punctual.cursors c join punctual.jobs j on j.id = c.job_id where j.name = 'b' for update of c nowait`,
  )
  await other.query('rollback')
  await other.end()
  expect((await made).map(({ name, change }) => [name, change])).toEqual([
    ['y', 'created'],
    ['b', 'updated'],
    ['c', 'created'],
  ])
})

/**
 * A transaction that stays open keeps vacuum from removing the queue entries of runs that are gone.
 * Claims must not visit them repeatedly: the count of visited index entries shows it without a
 * clock.
 */
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'

const RUNS = 4_000
const BATCH = 100
/** Positions of the runs are this far apart, as if they had been submitted at 100 a second. */
const APART_MS = 10

let t: TestStore
let report: pg.Client
beforeAll(async () => {
  t = await TestStore.open()
  report = new pg.Client({ connectionString: t.url })
  await report.connect()
})
afterAll(async () => {
  await report.end()
  await t.close()
})

async function visited(): Promise<number> {
  const flush = { name: '', text: 'select pg_stat_force_next_flush()' }
  const { claim } = t.store.database
  await claim.query(flush)
  await claim.query(flush)
  const { rows } = await t.sql.query(
    `select idx_tup_read from pg_stat_user_indexes where indexrelname = 'queue_lane_pos'`,
  )
  return Number(rows[0].idx_tup_read)
}

it('claims under an open snapshot visit each entry of a run that is gone only a few times', async () => {
  const session = await t.session()
  const submission = makeSubmission(compileOptions('test'), '1')
  await t.store.submit(Array.from({ length: RUNS }, () => submission))
  await t.sql.query(
    `update punctual.queue q
     set pos = ((extract(epoch from now()) * 1000)::bigint - $2::bigint * ($1::bigint - n)) << 20
     from (select run_id, row_number() over (order by run_id) as n from punctual.queue) o
     where o.run_id = q.run_id`,
    [RUNS, APART_MS],
  )
  await t.sql.query('vacuum punctual.queue')
  await report.query('begin isolation level repeatable read')
  await report.query('select count(*) from punctual.queue')
  const before = await visited()
  let taken = 0
  while (taken < RUNS) {
    const { runs } = await t.claim(session, BATCH)
    expect(runs.length).toBeGreaterThan(0)
    taken += runs.length
  }
  const perRun = ((await visited()) - before) / RUNS
  // Every run once to take it, and each claim a little back; all entries each time would be 20.
  expect(perRun).toBeGreaterThanOrEqual(1)
  expect(perRun).toBeLessThan(4)
})

/** Wrong clocks and early timers: due times, leases and counters follow the database's clock. */
import { compileJob } from '@punctual/core/job'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { planAll, plannerOf, skewedClock } from '../kit/planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query(
    'truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.leases, punctual.sessions, punctual.planners',
  )
})

it.each([
  ['five minutes ahead', 300_000],
  ['five minutes behind', -300_000],
  ['a day ahead', 86_400_000],
])('a worker whose clock is %s has normal leases (case 35)', async (_, byMs) => {
  const worker = t.another(skewedClock(byMs))
  const session = await t.session(30_000, worker)
  const lease = await t.sql.query(
    `select extract(epoch from expires_at - clock_timestamp())::float8 as left_s
     from punctual.sessions where id = $1`,
    [session],
  )
  expect(lease.rows[0].left_s).toBeGreaterThan(20)
  expect(lease.rows[0].left_s).toBeLessThanOrEqual(30)
  const due = await t.submit()
  await t.submit({ delayMs: 20_000 })
  const { runs, nextDueInMs } = await t.claim(session, 10, worker)
  expect(runs.map(({ id }) => id)).toEqual([due])
  expect(nextDueInMs).toBeGreaterThan(10_000)
  expect(nextDueInMs).toBeLessThanOrEqual(20_000)
  expect((await worker.upkeep.expiredSessions()).sessionIds).toEqual([])
  expect(
    await worker.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    ),
  ).toEqual([])
  const ended = await t.sql.query(
    `select abs(extract(epoch from clock_timestamp() - finished_at))::float8 as ago_s
     from punctual.outcomes where run_id = $1`,
    [due],
  )
  expect(ended.rows[0].ago_s).toBeLessThan(20)
})

it('timers that fire 1 to 15 ms early neither start a run early nor miss one (case 39)', async () => {
  const session = await t.session()
  const at = Date.now() + 400
  const ids = await Promise.all([0, 7, 90].map((ms) => t.submit({ runAt: at + ms })))
  const started: string[] = []
  let early = 1
  while (started.length < ids.length) {
    const { runs, nextDueInMs } = await t.claim(session, 10)
    const { rows } = await t.sql.query(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms',
    )
    for (const run of runs) expect(rows[0].now_ms).toBeGreaterThanOrEqual(run.dueMs)
    started.push(...runs.map(({ id }) => id))
    if (started.length === ids.length) break
    expect(nextDueInMs).not.toBeNull()
    early = (early % 15) + 1
    // waits: as a worker does, for the time that the claim returned, with a timer that fires early
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, (nextDueInMs ?? 0) - early)))
  }
  expect([...started].sort()).toEqual([...ids].sort())
})

it('a lease renewed in a long transaction is counted from the renewal (case 43)', async () => {
  const session = await t.session(30_000)
  const renew = t.store.database.statements.get('sessions/renew-session').text
  await t.sql.query('begin')
  // waits: the transaction must be older than the statement
  await t.sql.query('select now(), pg_sleep(0.3)')
  await t.sql.query(renew, [session])
  const { rows } = await t.sql.query(
    'select extract(epoch from expires_at - now())::float8 as s from punctual.sessions where id = $1',
    [session],
  )
  await t.sql.query('rollback')
  expect(rows[0].s).toBeGreaterThanOrEqual(30.3)
})

it('3,000 jobs of one second are queued once ahead of it and claimed evenly by queue (case 109)', async () => {
  const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 15_000)
  const jobs = Array.from({ length: 3_000 }, (_, i) => ({
    ...{ name: `hot ${i}`, handler: 'test', at, queue: i % 10 === 0 ? 'small' : 'large' },
  }))
  const compiled = jobs.map((job) => compileJob(job, { timezone: 'UTC', jitterMs: 0 }))
  await t.store.schedules.jobs.upsert(compiled, 1)
  // Both planners race for all shards.
  const planners = [t.store, t.another()].map((store) => plannerOf({ store, alone: true }))
  await Promise.all(planners.map(planAll))
  const { rows } = await t.sql.query(
    `select count(*)::int as queued, count(distinct job_id)::int as jobs, min(pos >> 20)::float8 as first_ms,
       max(pos >> 20)::float8 as last_ms from punctual.queue`,
  )
  const ms = at.getTime()
  expect(rows[0]).toEqual({ queued: 3_000, jobs: 3_000, first_ms: ms, last_ms: ms })
  // The second has come: each queue gives the same share of a claim, however many runs it holds.
  await t.sql.query('update punctual.queue set pos = pos - (60000::bigint << 20)')
  const { runs } = await t.claim(await t.session(), 200)
  const small = runs.filter(({ queue }) => queue === 'small')
  expect([runs.length, small.length]).toEqual([200, 100])
})

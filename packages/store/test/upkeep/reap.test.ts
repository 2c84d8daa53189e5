import { Reaper } from '@punctual/engine'
import { ManualClock, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(() => t.emptyPlaces())
afterAll(() => t.close())

async function crash(session: string) {
  await t.expire(session)
  return t.reap([session])
}

it('reaping returns leased runs to the queue and counts a crash, not a failure', async () => {
  const session = await t.session()
  const run = await t.running(session)
  expect(await crash(session)).toEqual({
    sessions: 1,
    returned: 1,
    dead: 0,
    unknown: 0,
    cancelled: 0,
  })
  const heir = await t.session()
  const again = (await t.claim(heir)).runs[0]
  expect(again).toMatchObject({ id: run.id, attempt: 1, crashes: 1 })
  const found = await t.store.runs.find(run.id)
  expect(found?.attempts).toMatchObject([
    { attempt: 1, outcome: 'crashed', error: { name: 'WorkerLost' } },
  ])
})

it('a run that crashed before is not charged when its worker dies before it starts', async () => {
  let session = await t.session()
  const run = await t.running(session)
  await crash(session)
  session = await t.session()
  expect((await t.claim(session)).runs[0]).toMatchObject({ crashes: 1, attempt: 1 })
  await crash(session)
  session = await t.session()
  const again = (await t.claim(session)).runs[0]
  expect(again).toMatchObject({ id: run.id, crashes: 1, attempt: 1 })
})

it('a run that has killed its worker three times is quarantined as a dead letter (case 15)', async () => {
  const id = await t.submit()
  for (let death = 1; death <= 3; death++) {
    const session = await t.session()
    const run = (await t.claim(session)).runs[0]
    expect(run?.id).toBe(id)
    if (death > 1) await t.store.work.markStarted([run as NonNullable<typeof run>])
    await crash(session)
  }
  expect(await t.store.runs.find(id)).toMatchObject({ state: 'dead', reason: 'quarantined' })
  const deadLetters = await t.sql.query(
    'select reason from punctual.dead_letters where run_id = $1',
    [id],
  )
  expect(deadLetters.rows).toEqual([{ reason: 'quarantined' }])
})

it('a crashed run whose policy does not retry crashes is dead with the reason policy', async () => {
  const session = await t.session()
  const run = await t.running(session, { key: 'once', retry: { retryOn: ['failed', 'timed_out'] } })
  expect(await crash(session)).toEqual({
    sessions: 1,
    returned: 0,
    dead: 1,
    unknown: 0,
    cancelled: 0,
  })
  expect(await t.store.runs.find(run.id)).toMatchObject({
    state: 'dead',
    reason: 'policy',
    error: { name: 'WorkerLost' },
    attempts: [{ attempt: 1, outcome: 'crashed' }],
  })
  const deadLetters = await t.sql.query(
    'select reason, fingerprint from punctual.dead_letters where run_id = $1',
    [run.id],
  )
  expect(deadLetters.rows).toEqual([{ reason: 'policy', fingerprint: 'WorkerLost: policy' }])
  expect(await t.count('live_keys')).toBe(0)
})

it.each([
  ['the default policy', {}],
  ['a policy that does not mention crashes', { retry: { backoff: { kind: 'fixed' } } }],
  ['a policy that names crashes', { retry: { retryOn: ['crashed'] } }],
] as const)('a crashed run is retried under %s', async (_, options) => {
  const session = await t.session()
  const run = await t.running(session, options)
  expect(await crash(session)).toEqual({
    sessions: 1,
    returned: 1,
    dead: 0,
    unknown: 0,
    cancelled: 0,
  })
  expect(await t.places(run.id)).toEqual(['queue'])
})

it('an unstarted run is returned although its policy does not retry crashes', async () => {
  const session = await t.session()
  const run = await t.running(session, { retry: { retryOn: [] } })
  await t.sql.query('update punctual.leases set crashes = 1 where run_id = $1', [run.id])
  expect(await crash(session)).toMatchObject({ returned: 1, dead: 0 })
})

it('an at-most-once run is never retried after its start was marked (case 8)', async () => {
  for (let n = 0; n < 2; n++) await t.submit()
  await t.sql.query('update punctual.queue set traits = 2')
  const session = await t.session()
  const { runs } = await t.claim(session, 2)
  const [marked, unmarked] = runs.map((run) => run.id)
  await t.store.work.markStarted(runs.filter((run) => run.id === marked))
  expect(await crash(session)).toMatchObject({ returned: 1, unknown: 1, cancelled: 0 })
  expect(await t.store.runs.find(marked as string)).toMatchObject({
    state: 'unknown',
    reason: 'worker_lost',
  })
  expect(await t.places(unmarked as string)).toEqual(['queue'])
})

it('reaping takes over leases of a session that does not exist', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.sql.query('delete from punctual.sessions where id = $1', [session])
  expect(await t.store.upkeep.orphanSessions()).toEqual([session])
  expect(await t.reap([session])).toMatchObject({ returned: 1 })
  expect(await t.places(run.id)).toEqual(['queue'])
})

it('reaping skips a session with an open claim, so that no lease is left without a session', async () => {
  const session = await t.session()
  await t.submit()
  await t.expire(session)
  await t.sql.query('begin')
  await t.sql.query('select from punctual.sessions where id = $1 for key share', [session])
  expect(await t.reap([session])).toMatchObject({ sessions: 0 })
  await t.sql.query('commit')
  expect(await t.reap([session])).toMatchObject({ sessions: 1 })
})

it('reaping skips leases locked by a stopped worker, and takes them later (case 21)', async () => {
  const stopped = await t.session()
  const locked = await t.running(stopped)
  const unlocked = await t.running(stopped)
  const other = await t.session()
  const elsewhere = await t.running(other)
  // The worker was stopped in a transaction of its handler, between the success and the commit.
  await t.sql.query('begin')
  await t.sql.query('delete from punctual.leases where run_id = $1', [locked.id])
  const observer = t.another()
  await observer.database.control.query({
    name: 'expire',
    text: `update punctual.sessions set expires_at = clock_timestamp() where id in (${stopped}, ${other})`,
  })
  expect(await t.reap([stopped, other])).toMatchObject({ sessions: 1, returned: 2 })
  await t.sql.query('rollback')
  expect(await t.places(unlocked.id)).toEqual(['queue'])
  expect(await t.places(elsewhere.id)).toEqual(['queue'])
  expect(await t.places(locked.id)).toEqual(['leases'])
  expect(await t.reap([stopped])).toMatchObject({ sessions: 1, returned: 1 })
})

it('concurrent reapers of one session return its runs once', async () => {
  const session = await t.session()
  const runs = await Promise.all(Array.from({ length: 20 }, () => t.submit()))
  await t.claim(session, 20)
  await t.expire(session)
  const reapers = Array.from({ length: 4 }, () => t.another())
  const results = await Promise.all(reapers.map((store) => store.upkeep.reap([session], 3)))
  expect(results.reduce((sum, result) => sum + result.returned, 0)).toBe(20)
  for (const id of runs) expect(await t.places(id)).toEqual(['queue'])
})

it('a worker stopped before its commit loses its locks after a minute (case 21)', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.sql.query(`
    create table punctual.seen_timeout (ms integer);
    create function punctual.see_timeout() returns trigger language plpgsql as $$ begin
      insert into punctual.seen_timeout
      select setting::integer from pg_settings where name = 'idle_in_transaction_session_timeout';
      return null;
    end $$;
    create trigger see_timeout after insert on punctual.outcomes for each row execute function punctual.see_timeout();`)
  await t.store.handlerTransactions.succeedWith(
    run,
    session,
    () => 1,
    async () => 'done',
  )
  expect((await t.sql.query('select ms from punctual.seen_timeout')).rows).toEqual([{ ms: 60_000 }])
  await t.sql.query('drop trigger see_timeout on punctual.outcomes')
})

it('an ended session cannot be opened again, and one opened as it ended is reaped', async () => {
  const worker = { host: 'h', pid: 1, version: '0', handlers: ['test'], queues: [], labels: {} }
  const open = (id: string) =>
    t.store.work.openSession({ ...worker, id, capacity: 1, leaseMs: 30_000 })
  const ended = await t.session()
  await t.store.work.closeSession(ended)
  await open(ended)
  expect(await t.store.remoteSessions.find(ended)).toBeNull()
  // Opened and ended at the same time: the session row and its past session both exist.
  const both = await t.session()
  const twice = `insert into punctual.past_sessions select id, opened_at, now(), pid, capacity, false, host, version,
    handlers, queues, labels from punctual.sessions where id = $1`
  await t.sql.query(twice, [both])
  await t.running(both)
  expect(await crash(both)).toMatchObject({ sessions: 1, returned: 1 })
  const closing = await t.session()
  await t.sql.query(twice, [closing])
  await t.store.work.closeSession(closing)
  expect(await t.store.remoteSessions.find(closing)).toBeNull()
})

it('a session is fenced after its own lease, whatever leases other sessions have', async () => {
  for (const leaseMs of [1_000, 3_600_000]) await t.session(leaseMs)
  const session = await t.session(3_000)
  const run = await t.running(session)
  const clock = new ManualClock()
  const { upkeep: store } = t.store
  const reaper = new Reaper({ store, clock, leaseMs: 30_000, crashesUntilQuarantine: 3 })
  await t.expire(session)
  let watchedMs = 0
  while ((await t.places(run.id)).includes('leases') && watchedMs < 60_000) {
    const restMs = await reaper.tick()
    await clock.advance(restMs)
    watchedMs += restMs
  }
  expect(watchedMs).toBeLessThanOrEqual(8_000)
})

it('all expired sessions are examined, so that none hides behind others', async () => {
  await t.sql.query(
    `insert into punctual.sessions
       (id, opened_at, renewed_at, expires_at, lease_ms, pid, capacity, state, host, version,
        handlers, queues, labels)
     select 1000 + i, now(), now(), now() - interval '1 hour', 600000, 1, 1, 'active', 'h', 'v',
       '{}', '{}', '{}'
     from generate_series(1, 1000) i`,
  )
  const session = await t.session(3_000)
  await t.expire(session)
  const { sessionIds, leasesMs } = await t.store.upkeep.expiredSessions()
  expect(leasesMs[sessionIds.indexOf(session)]).toBe(3_000)
  await t.sql.query('delete from punctual.sessions where id between 1001 and 2000')
})

it('thousands of expired sessions of one tenant do not come before the one of another', async () => {
  await t.sql.query('delete from punctual.sessions')
  await t.sql.query(
    `insert into punctual.sessions
       (id, opened_at, renewed_at, expires_at, lease_ms, tenant_id, pid, capacity, state, host,
        version, handlers, queues, labels)
     select 1000 + i, now(), now(), now() - interval '1 hour', 3000, case when i < 5000 then 2 else 3 end,
       1, 1, 'active', 'h', 'v', '{}', '{}', '{}'
     from generate_series(1, 5000) i`,
  )
  const session = await t.session(3_000)
  await t.expire(session)
  const { sessionIds } = await t.store.upkeep.expiredSessions()
  expect(sessionIds.slice(0, 3).sort()).toEqual(['1001', '6000', session].sort())
  expect(sessionIds.length).toBe(5_001)
  await t.sql.query('delete from punctual.sessions')
})

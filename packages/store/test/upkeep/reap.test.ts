import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

async function crash(session: string) {
  await t.expire(session)
  return t.reap([session])
}

it('returns what a dead session held, as a crashed attempt that is counted apart from failures', async () => {
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
  await t.store.work.settle(heir, [succeeded(again as typeof run)])
})

it('does not charge a suspect that was not started when its worker died', async () => {
  let session = await t.session()
  const run = await t.running(session)
  await crash(session)
  session = await t.session()
  expect((await t.claim(session)).runs[0]).toMatchObject({ crashes: 1, attempt: 1 })
  await crash(session)
  session = await t.session()
  const again = (await t.claim(session)).runs[0]
  expect(again).toMatchObject({ id: run.id, crashes: 1, attempt: 1 })
  await t.store.work.settle(session, [succeeded(again as typeof run)])
})

it('quarantines a run that has killed its worker three times, as a dead letter (case 15)', async () => {
  const id = await t.submit()
  for (let death = 1; death <= 3; death++) {
    const session = await t.session()
    const run = (await t.claim(session)).runs[0]
    expect(run?.id).toBe(id)
    if (death > 1) await t.store.work.markStarted([run as NonNullable<typeof run>])
    await crash(session)
  }
  expect(await t.store.runs.find(id)).toMatchObject({ state: 'dead', reason: 'quarantined' })
  const letters = await t.sql.query('select reason from punctual.dead_letters where run_id = $1', [
    id,
  ])
  expect(letters.rows).toEqual([{ reason: 'quarantined' }])
})

it('ends a crashed run whose policy does not retry crashes, as a dead letter with the reason policy', async () => {
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
  const letters = await t.sql.query(
    'select reason, fingerprint from punctual.dead_letters where run_id = $1',
    [run.id],
  )
  expect(letters.rows).toEqual([{ reason: 'policy', fingerprint: 'WorkerLost: policy' }])
  expect(await t.count('live_keys')).toBe(0)
})

it.each([
  ['the default policy', {}],
  ['a policy of its own that says nothing of crashes', { retry: { backoff: { kind: 'fixed' } } }],
  ['a policy that names crashes', { retry: { retryOn: ['crashed'] } }],
] as const)('tries a crashed run again under %s', async (_, options) => {
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
  await t.store.steering.cancelWaiting([run.id], 'test')
})

it('does not end a run that has not started because of a policy that does not retry crashes', async () => {
  const session = await t.session()
  const run = await t.running(session, { retry: { retryOn: [] } })
  await t.sql.query('update punctual.leases set crashes = 1 where run_id = $1', [run.id])
  expect(await crash(session)).toMatchObject({ returned: 1, dead: 0 })
  await t.store.steering.cancelWaiting([run.id], 'test')
})

it('never runs an at-most-once run again after its start was marked (case 8)', async () => {
  const ids = [await t.submit(), await t.submit()]
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
  await t.store.steering.cancelWaiting(ids, 'test')
})

it('takes leases of a session that does not exist', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.sql.query('delete from punctual.sessions where id = $1', [session])
  expect(await t.store.upkeep.orphanSessions()).toEqual([session])
  expect(await t.reap([session])).toMatchObject({ returned: 1 })
  expect(await t.places(run.id)).toEqual(['queue'])
  await t.store.steering.cancelWaiting([run.id], 'test')
})

it('passes a session by whose claim is under way, and leaves no lease without a session', async () => {
  const session = await t.session()
  const id = await t.submit()
  await t.expire(session)
  await t.sql.query('begin')
  await t.sql.query('select from punctual.sessions where id = $1 for key share', [session])
  expect(await t.reap([session])).toMatchObject({ sessions: 0 })
  await t.sql.query('commit')
  expect(await t.reap([session])).toMatchObject({ sessions: 1 })
  await t.store.steering.cancelWaiting([id], 'test')
})

it('passes by what a stopped worker has locked, takes the rest, and comes back for it (case 21)', async () => {
  const stopped = await t.session()
  const locked = await t.running(stopped)
  const beside = await t.running(stopped)
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
  expect(await t.places(beside.id)).toEqual(['queue'])
  expect(await t.places(elsewhere.id)).toEqual(['queue'])
  expect(await t.places(locked.id)).toEqual(['leases'])
  expect(await t.reap([stopped])).toMatchObject({ sessions: 1, returned: 1 })
  await t.store.steering.cancelWaiting([locked.id, beside.id, elsewhere.id], 'test')
})

it('reaps once when many reapers see the same death', async () => {
  const session = await t.session()
  const runs = await Promise.all(Array.from({ length: 20 }, () => t.submit()))
  await t.claim(session, 20)
  await t.expire(session)
  const reapers = Array.from({ length: 4 }, () => t.another())
  const results = await Promise.all(reapers.map((store) => store.upkeep.reap([session], 3)))
  expect(results.reduce((sum, result) => sum + result.returned, 0)).toBe(20)
  for (const id of runs) expect(await t.places(id)).toEqual(['queue'])
  await t.store.steering.cancelWaiting(runs, 'test')
})

it('gets back in the end what a worker locked that was stopped before its commit (case 21)', async () => {
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
  await t.store.succeedWith(
    run,
    session,
    () => 1,
    async () => 'done',
  )
  expect((await t.sql.query('select ms from punctual.seen_timeout')).rows).toEqual([{ ms: 60_000 }])
  await t.sql.query('drop trigger see_timeout on punctual.outcomes')
})

it('does not open a session that has ended again, and takes one that was opened as it ended', async () => {
  const worker = { host: 'h', pid: 1, version: '0', handlers: ['test'], queues: [], labels: {} }
  const open = (id: string) =>
    t.store.work.openSession({ ...worker, id, capacity: 1, leaseMs: 30_000 })
  const ended = await t.session()
  await t.store.work.closeSession(ended)
  await open(ended)
  expect(await t.store.remoteSessions.find(ended)).toBeNull()
  // Both at one moment: the row is there, and so is the memory of it.
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

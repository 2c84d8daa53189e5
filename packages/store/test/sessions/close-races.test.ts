/** Closing a session while a claim of it is in progress. */
import { eventually, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await t.sql.query('select count(*)::int as n from pg_locks where not granted')
  return rows[0].n
}

it('a session is not closed while a claim of it commits a lease', async () => {
  const session = await t.session()
  const id = await t.submit()
  await t.sql.query(`
    create function punctual.wait() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(77); return new; end $$;
    create trigger wait before insert on punctual.leases
      for each row execute function punctual.wait();
    select pg_advisory_lock(77)`)
  const claiming = t.claim(session)
  await eventually('the claim is about to insert its lease', async () => (await waiting()) === 1)
  const closing = t.another().work.closeSession(session)
  await eventually('closing waits for the claim', async () => (await waiting()) === 2)
  await t.sql.query('select pg_advisory_unlock(77)')
  expect((await claiming).runs).toMatchObject([{ id }])
  await closing
  const { rows } = await t.sql.query(
    'select count(*)::int as n from punctual.leases join punctual.sessions on id = session_id',
  )
  expect(rows[0].n).toBe(1)
})

it('a session without leases is closed, and claims nothing afterwards', async () => {
  const session = await t.session()
  await t.store.work.closeSession(session)
  await t.submit()
  expect(await t.claim(session)).toMatchObject({ sessionAlive: false, runs: [] })
  expect(await t.count('sessions where id <> 0')).toBe(0)
})

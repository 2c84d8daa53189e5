/** Row security fails closed: what is missing of it is repaired, or requests of tenants are refused. */
import { RunIdSource } from '@punctual/core/run'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, dayName, dayStart } from '../../src/connection/day-names.ts'
import { ensureDay } from '../../src/schema/partitions.ts'
import { dropDays } from '../../src/schema/retention.ts'

let t: TestStore
let opened: PostgresStore[] = []
let roles: string[] = []

beforeEach(async () => {
  t = await TestStore.open()
  await t.store.check()
  await t.submit()
})
afterEach(async () => {
  for (const store of opened) await store.close()
  for (const role of roles) await t.sql.query(`drop owned by ${role}; drop role ${role}`)
  opened = []
  roles = []
  await t.close()
})

/** Creates a role that may log in; returns the URL with which it does. */
async function loginRole(): Promise<{ role: string; url: string }> {
  const role = `login_${systemRandom.token().replace(/\W/g, '').toLowerCase()}`
  await t.sql.query(`create role ${role} login password 'x'`)
  roles.push(role)
  const url = new URL(t.url)
  url.username = role
  url.password = 'x'
  return { role, url: url.href }
}

/** A node that is not the owner: it may use the tables and act for tenants, and migrate nothing. */
async function plainNode(): Promise<{ role: string; store: PostgresStore }> {
  const { role, url } = await loginRole()
  await t.sql.query(
    `grant usage on schema punctual to ${role};
     grant select, insert, update, delete on all tables in schema punctual to ${role};
     grant punctual_tenant to ${role}`,
  )
  const store = new PostgresStore({ url, clock: systemClock, random: systemRandom, node: role })
  opened.push(store)
  return { role, store }
}

const who = { name: '', text: 'select current_user' }
const read = (store: PostgresStore, statement = who) =>
  store.asTenant(1, () => store.database.control.query(statement))
const refused = { code: 'row_security_missing' }

describe('every table', () => {
  it('with a tenant column has a policy, also days and carried tables made later (case 154)', async () => {
    const client = await t.store.database.connect()
    // waits: between two batches, as the product does
    const pause = (ms: number) => systemClock.sleep(ms)
    const oldMs = dayStart(Date.now()) - 95 * DAY_MS
    for (const dayMs of [oldMs, dayStart(Date.now()) + 60 * DAY_MS])
      await ensureDay(client, 'punctual', dayMs, pause)
    await t.sql.query(
      `insert into punctual.later select $1, now() + interval '1 year', 1, min(id), 0, 0, 0 from punctual.lanes`,
      [new RunIdSource(systemRandom).next(oldMs + 1_000)],
    )
    await dropDays(client, 'punctual', Date.now(), 90, pause)
    await client.end()
    const { rows } = await t.sql.query(`
      select c.relname, exists (select from pg_policy p where p.polrelid = c.oid) and c.relrowsecurity as secured
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'punctual'::regnamespace and c.relkind in ('r', 'p')`)
    const names = rows.map(({ relname }) => relname)
    expect(names).toContain('runs_carried')
    expect(names).not.toContain(`runs_${dayName(oldMs)}`)
    expect(rows.filter(({ secured }) => !secured)).toEqual([])
  })
})

describe('a node that may not repair row security', () => {
  /** A table as an earlier version creates it: without policy. */
  const bare = () => t.sql.query('create table punctual.bare (tenant_id integer not null)')

  it('keeps running requests as the tenant role when a table lacks its policy', async () => {
    const { store } = await plainNode()
    await bare()
    await store.check()
    expect(store.rowSecurity.state).toBe('table_closed')
    expect(await read(store)).toEqual([['punctual_tenant']])
    const table = { name: '', text: 'select from punctual.bare' }
    await expect(read(store, table)).rejects.toMatchObject({ code: '42501' })
    await t.store.upkeep.ensurePartitions()
    await store.check()
    expect(store.rowSecurity.state).toBe('up')
    expect(await read(store, table)).toEqual([])
  })

  it('refuses requests of tenants while the role may read a table without policy', async () => {
    const { store } = await plainNode()
    await bare()
    await t.sql.query('grant select on punctual.bare to punctual_tenant')
    await store.check()
    expect(store.rowSecurity.state).toBe('table_open')
    await expect(read(store)).rejects.toMatchObject(refused)
    expect(store.rowSecurity.refusal).toMatchObject(refused)
    // Work that is not of one tenant is performed.
    expect(await store.database.control.query(who)).toHaveLength(1)
  })

  it('refuses requests of tenants until it may act as the role, without a restart', async () => {
    const { role, store } = await plainNode()
    await t.sql.query(`revoke punctual_tenant from ${role}`)
    await store.check()
    expect(store.rowSecurity.state).toBe('not_a_member')
    await expect(read(store)).rejects.toMatchObject(refused)
    await t.sql.query(`grant punctual_tenant to ${role}`)
    const answer = () => read(store).catch((error) => error.code)
    await expect.poll(answer).toEqual([['punctual_tenant']])
  })

  it('performs requests without row security when an administrator has done without it', async () => {
    const { role, store } = await plainNode()
    await t.sql.query(`revoke punctual_tenant from ${role}; delete from punctual.row_security`)
    await store.check()
    expect(await read(store)).toEqual([[role]])
  })

  it('reads the state before the first request, also when nothing has checked the schema', async () => {
    const { role, store } = await plainNode()
    await t.sql.query(`revoke punctual_tenant from ${role}`)
    await expect(read(store)).rejects.toMatchObject(refused)
  })
})

describe('a member of the tenant role that belongs to another database of the server', () => {
  it('sees and writes no row of this one', async () => {
    const { role, url } = await loginRole()
    await t.sql.query(`grant punctual_tenant to ${role}`)
    const stranger = new pg.Client({ connectionString: url })
    await stranger.connect()
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => null,
        ({ code }) => code,
      )
    try {
      await stranger.query("set role punctual_tenant; set punctual.tenant = '1'")
      const { rows } = await t.sql.query(
        "select 'punctual.' || relname as name from pg_class where relnamespace = 'punctual'::regnamespace and relkind in ('r', 'p')",
      )
      await t.sql.query('insert into punctual.rates values (1, 1)')
      for (const { name } of rows) {
        const seen = await stranger.query(`select from ${name}`).catch(({ code }) => code)
        expect(seen.rowCount ?? seen, name).toSatisfy((x) => x === 0 || x === '42501')
      }
      for (const insert of [
        "punctual.live_keys (tenant_id, key, run_id) values (1, 'x', gen_random_uuid())",
        'punctual.rates values (2, 2)',
        'punctual.carried_changes values (gen_random_uuid())',
      ])
        expect(await codeOf(stranger.query(`insert into ${insert}`)), insert).toBe('42501')
    } finally {
      await stranger.end()
    }
  })
})

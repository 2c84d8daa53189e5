import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { createTestDatabase, postgresMajors, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { installScript } from '../../src/schema/install-script.ts'
import { loadMigrations } from '../../src/schema/migrations.ts'

describe.each(postgresMajors)('migrations on PostgreSQL %s', (major) => {
  let database: TestDatabase
  let sql: pg.Client
  let stores: PostgresStore[]
  beforeEach(async () => {
    database = await createTestDatabase({ major })
    sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    stores = []
  })
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await sql.end()
    await database.drop()
  })

  function open(schema = 'punctual', url = database.url): PostgresStore {
    const store = new PostgresStore({
      url,
      schema,
      clock: systemClock,
      random: systemRandom,
      node: 'n',
    })
    stores.push(store)
    return store
  }

  it('migrations are applied once when five nodes start at the same time', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => open().migrate()))
    expect(applied.flat().length).toBe(loadMigrations().length)
    await open().check()
  })

  it('migrating a second time does nothing', async () => {
    await open().migrate()
    expect(await open().migrate()).toEqual([])
  })

  it('two installations in schemas of one database do not see each other', async () => {
    const [a, b] = [open('one'), open('two')]
    await Promise.all([a.migrate(), b.migrate()])
    const submission = {
      options: (await import('@punctual/core/submit')).compileOptions('x'),
      payload: '1',
    }
    const [run] = await a.submit([submission])
    expect(await a.runs.find(run?.id as string)).toMatchObject({ state: 'queued' })
    expect(await b.runs.find(run?.id as string)).toBeNull()
  })

  it('a newer schema is refused after a breaking change, and used after a compatible one (case 18)', async () => {
    await open().migrate()
    const insert =
      'insert into punctual.migrations (version, name, checksum, breaking) values ($1, $2, $3, $4)'
    await sql.query(insert, [9_001, 'add_comfort', 'x', false])
    await open().check()
    await sql.query(insert, [9_002, 'change_everything', 'x', true])
    await expect(open().check()).rejects.toMatchObject({ code: 'schema_too_new' })
    await expect(open().migrate()).rejects.toMatchObject({ code: 'schema_too_new' })
  })

  it('checking a missing schema fails and names the migrate command', async () => {
    await expect(open().check()).rejects.toMatchObject({
      code: 'schema_missing',
      message: expect.stringContaining('punctual migrate'),
    })
  })

  it('the printed install script runs in psql and leaves nothing to migrate', async () => {
    const { after, sql: script } = await installScript('scripted', Date.now(), null)
    expect(after).toBe(0)
    await sql.query(script)
    const store = open('scripted')
    await store.check()
    expect(await store.migrate()).toEqual([])
    expect(await store.upkeep.ensurePartitions()).toEqual([])
  })

  it('the printed install script creates the same tables as migrating', async () => {
    await open('made').migrate()
    await sql.query((await installScript('scripted', Date.now(), null)).sql)
    const [made, scripted] = await Promise.all(['made', 'scripted'].map(tablesOf))
    expect(made?.length).toBeGreaterThan(60)
    expect(scripted).toEqual(made)
  })

  it('the install script of an existing schema contains only missing partitions, or nothing', async () => {
    const store = open()
    await store.migrate()
    const client = await store.database.connect()
    const missing = () => installScript('punctual', Date.now(), client)
    expect(await missing()).toEqual({ after: loadMigrations().at(-1)?.version, sql: '' })
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    await sql.query(`drop table punctual.attempts_${day}`)
    const { sql: script } = await missing()
    expect(script).not.toContain('create table punctual.runs')
    await sql.query(script)
    expect(await missing()).toMatchObject({ sql: '' })
    await store.check()
    await client.end()
  })

  /** Every table with its columns, constraints, indexes and bounds. */
  async function tablesOf(schema: string): Promise<string[]> {
    const { rows } = await sql.query(
      `select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound, c.reloptions,
         (select array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
            order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0) as columns,
         (select array_agg(pg_get_indexdef(i.indexrelid) order by pg_get_indexdef(i.indexrelid)) from pg_index i where i.indrelid = c.oid) as indexes,
         (select array_agg(pg_get_constraintdef(k.oid) order by pg_get_constraintdef(k.oid)) from pg_constraint k where k.conrelid = c.oid) as checks
       from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') order by 1`,
      [schema],
    )
    return rows.map((row) => JSON.stringify(row).replaceAll(`${schema}.`, ''))
  }

  it('migrating needs only a role with CREATE on the database, not a superuser', async () => {
    const role = `plain_${systemRandom.token()}`
    await sql.query(`create role ${role} login password 'plain'`)
    await sql.query(`grant create on database ${database.name} to ${role}`)
    const url = new URL(database.url)
    url.username = role
    url.password = 'plain'
    const store = open('punctual', url.href)
    await store.migrate()
    await store.check()
    expect(await store.upkeep.expiredSessions()).toMatchObject({ sessionIds: [] })
    await store.upkeep.vacuumHotTables()
    await store.close()
    await sql.query(`drop owned by ${role}; drop role ${role}`)
  })

  it('the next start completes migrations that a dead process left rolled back (case 18)', async () => {
    await sql.query('begin; create schema punctual; create table punctual.tenants (id int)')
    await sql.query('rollback')
    await open().migrate()
    await open().check()
  })
})

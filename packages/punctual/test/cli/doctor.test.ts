import { randomUUID } from 'node:crypto'
import { examine, type Finding, PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { createTestDatabase, testServer } from '@punctual/testkit'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { both, cli } from '../kit/cli-process.ts'

async function aStore(options: { migrated?: boolean; url?: string } = {}) {
  const database = await createTestDatabase()
  const ports = { clock: systemClock, random: systemRandom, node: randomUUID() }
  const store = new PostgresStore({ url: options.url ?? database.url, ...ports })
  onTestFinished(async () => {
    await store.close()
    await database.drop()
  })
  if (options.migrated !== false) await store.migrate()
  return { store, url: database.url }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const levels = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ check, level }) => [check, level]))

test('reports a server that does not flush separately from its healthy schema (case 71)', async () => {
  const { url } = await aStore()
  const { table, value } = await both(['doctor'], { env: { DATABASE_URL: url } })
  // The test server trades durability for speed, which is exactly what doctor must find.
  expect([table.code, value.fail]).toEqual([1, 2])
  expect(table.stdout).toMatch(/FAIL +fsync +off .*A crash of the machine can lose/)
  expect(table.stdout).toMatch(/→ Set fsync = on/)
  expect(levels(value.findings)).toMatchObject({
    version: 'ok',
    writable: 'ok',
    connections: 'ok',
    autovacuum: 'ok',
    fsync: 'fail',
    full_page_writes: 'warn',
    synchronous_commit: 'fail',
    clock: 'ok',
    pooling: 'ok',
    'prepared statements': 'ok',
    privileges: 'ok',
    migrations: 'ok',
    'primary keys': 'ok',
    partitions: 'ok',
    'partition upkeep': 'ok',
    'dead rows': 'ok',
  })
})

test('a finding has a value, a meaning and, unless it is ok, an advice', async () => {
  const { store } = await aStore()
  for (const finding of await examine(store.database)) {
    expect(finding.found).not.toBe('')
    expect(finding.meaning).toMatch(/[.!]$/)
    expect(finding.advice === '').toBe(finding.level === 'ok')
  }
})

test('checks PostgreSQL 15 too', async () => {
  const database = await createTestDatabase({ major: 15 })
  onTestFinished(() => database.drop())
  const ports = { clock: systemClock, random: systemRandom, node: randomUUID() }
  const store = new PostgresStore({ url: database.url, ...ports })
  onTestFinished(() => store.close())
  await store.migrate()
  expect(levels(await examine(store.database))).toMatchObject({ version: 'ok', migrations: 'ok' })
})

describe('finds', () => {
  test('a schema that was never migrated', async () => {
    const { store } = await aStore({ migrated: false })
    const findings = await examine(store.database)
    expect(levels(findings)).toMatchObject({ migrations: 'fail' })
    expect(findings.map(({ check }) => check)).not.toContain('partitions')
  })

  test('an altered migration', async () => {
    const { store, url } = await aStore()
    await withClient(url, (client) => client.query(`update punctual.migrations set checksum = 'x'`))
    expect(levels(await examine(store.database))).toMatchObject({ migrations: 'fail' })
  })

  test('a future daily partition that is missing, and one that is incomplete', async () => {
    const { store, url } = await aStore()
    const inDays = (days: number) =>
      new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
    await withClient(url, async (client) => {
      for (const table of ['runs', 'outcomes', 'attempts', 'run_logs'])
        await client.query(`drop table punctual.${table}_${inDays(1)}`)
      await client.query(`drop table punctual.run_logs_${inDays(5)}`)
    })
    const findings = await examine(store.database)
    expect(levels(findings)).toMatchObject({ partitions: 'fail', 'partition upkeep': 'warn' })
    expect(findings.find(({ check }) => check === 'partitions')?.found).toContain(inDays(1))
  })

  test('daily partitions that run out because no process creates new ones', async () => {
    const { store, url } = await aStore()
    await withClient(url, async (client) => {
      const { rows } = await client.query(
        `select inhrelid::regclass::text as name from pg_inherits
         join pg_class p on p.oid = inhparent
         join pg_class c on c.oid = inhrelid
         where p.relnamespace = 'punctual'::regnamespace and p.relkind = 'p'
           and right(c.relname, 8) > to_char(now() at time zone 'utc' + interval '2 days', 'YYYYMMDD')`,
      )
      for (const { name } of rows) await client.query(`drop table ${name}`)
    })
    expect(levels(await examine(store.database))).toMatchObject({ partitions: 'warn' })
  })

  test('an old transaction that holds back vacuum (case 59)', async () => {
    const { store, url } = await aStore()
    await withClient(url, async (holder) => {
      await holder.query('begin isolation level repeatable read; select 1')
      const found = (await examine(store.database)).find(
        ({ check }) => check === 'oldest transaction',
      )
      expect(found).toMatchObject({ level: 'ok', found: expect.stringMatching(/^\d+ s \(pid \d+/) })
      await holder.query('rollback')
    })
  })

  test('a role that may not use the tables, and one that may not create partitions', async () => {
    const { url } = await aStore()
    const role = `doctor_${randomUUID().slice(0, 8)}`
    await withClient(url, (client) =>
      client.query(
        `create role ${role} login password 'x'; grant usage on schema punctual to ${role}`,
      ),
    )
    onTestFinished(async () => {
      const { url: server } = await testServer()
      await withClient(url, (client) => client.query(`drop owned by ${role}`))
      await withClient(server, (client) => client.query(`drop role ${role}`))
    })
    const asRole = new URL(url)
    asRole.username = role
    asRole.password = 'x'
    const env = { DATABASE_URL: asRole.href }
    const privileges = async () => {
      const { stdout } = await cli(['doctor', '--json'], { env })
      const { findings } = JSON.parse(stdout) as { findings: Finding[] }
      return findings.find(({ check }) => check === 'privileges')
    }
    expect(await privileges()).toMatchObject({ level: 'fail' })
    await withClient(url, (client) =>
      client.query(
        `grant select, insert, update, delete on all tables in schema punctual to ${role}`,
      ),
    )
    expect(await privileges()).toMatchObject({ level: 'warn' })
  })

  test('role settings that forbid writing or time out statements', async () => {
    const { store, url } = await aStore()
    await withClient(url, (client) =>
      client.query(`do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database());
        execute format('alter database %I set statement_timeout = 500', current_database()); end $$`),
    )
    expect(levels(await examine(store.database))).toMatchObject({
      writable: 'fail',
      statement_timeout: 'warn',
    })
  })
})

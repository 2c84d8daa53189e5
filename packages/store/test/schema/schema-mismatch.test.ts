/** A schema with migrations of another build is refused, and left unchanged. */
import { dirname } from 'node:path'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { createTestDatabase, postgresMajors, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { installScript } from '../../src/schema/install-script.ts'
import { loadMigrations } from '../../src/schema/migrations.ts'
import { unreleasedMigrations } from '../kit/unreleased-migrations.ts'

const FIRST = `0001_${loadMigrations()[0]?.name}`

describe.each(postgresMajors)('on PostgreSQL %s', (major) => {
  let database: TestDatabase
  let sql: pg.Client
  beforeEach(async () => {
    database = await createTestDatabase({ major })
    sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
  })
  afterEach(async () => {
    await sql.end()
    await database.drop()
  })

  function open(schema = 'punctual', url = database.url): PostgresStore {
    const ports = { clock: systemClock, random: systemRandom, node: 'n' }
    const store = new PostgresStore({ url, schema, ...ports })
    onTestFinished(() => store.close())
    return store
  }

  /** The schema of an older build, reduced to the tables that a newer one reads. */
  async function olderSchema(schema = 'punctual'): Promise<void> {
    await sql.query(`
      create schema ${schema};
      create table ${schema}.migrations (
        version integer primary key, name text not null, checksum text not null,
        breaking boolean not null, applied_at timestamptz not null default clock_timestamp());
      create table ${schema}.leases (run_id uuid primary key, claim bigint not null)`)
    for (const { version, name, checksum, breaking } of unreleasedMigrations)
      await sql.query(`insert into ${schema}.migrations values ($1, $2, $3, $4)`, [
        ...[version, name, checksum, breaking],
      ])
  }

  async function tables(): Promise<string[]> {
    const { rows } = await sql.query(
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    )
    return rows.map(({ name }) => name)
  }

  it('migrate, check and the install script refuse the schema of an unreleased build', async () => {
    await olderSchema()
    const store = open()
    const refusal = {
      code: 'schema_incompatible',
      id: '1',
      message: expect.stringContaining(
        `created the schema punctual: it has the migration 0001_create_foundation, and this version has ${FIRST}.`,
      ),
    }
    await expect(store.migrate()).rejects.toMatchObject(refusal)
    await expect(store.check()).rejects.toMatchObject(refusal)
    const client = await store.database.connect()
    await expect(installScript('punctual', Date.now(), client)).rejects.toMatchObject(refusal)
    await client.end()
    expect(await tables()).toEqual(['punctual.leases', 'punctual.migrations'])
  })

  it('on an embedded server the schema error names the data directory to move', async () => {
    // The servers of the tests are embedded servers.
    const { rows } = await sql.query('show data_directory')
    await olderSchema()
    await expect(open().migrate()).rejects.toThrow(
      `Use the build that created it, or start with an empty database: move or delete the data directory ${dirname(rows[0].data_directory)}.`,
    )
  })

  it('on other servers the schema error says to choose another schema or to drop this one', async () => {
    await olderSchema('jobs')
    // As on a managed server, this role cannot read the data directory.
    const role = `plain_${systemRandom.token()}`
    await sql.query(`create role ${role} login password 'plain'`)
    await sql.query(
      `grant usage on schema jobs to ${role}; grant select on jobs.migrations to ${role}`,
    )
    const url = new URL(database.url)
    url.username = role
    url.password = 'plain'
    const store = open('jobs', url.href)
    await expect(store.check()).rejects.toThrow(
      'start with an empty schema: choose another schema name, or delete this schema and all its data with "drop schema jobs cascade".',
    )
    await store.close()
    await sql.query(`drop owned by ${role}; drop role ${role}`)
  })

  it('migrating another schema of the same database works', async () => {
    await olderSchema()
    const store = open('fresh')
    await store.migrate()
    await store.check()
  })

  it('a migration with another checksum is refused, and the error names both checksums', async () => {
    const store = open()
    await store.migrate()
    const last = loadMigrations().at(-1)
    await sql.query('update punctual.migrations set checksum = $1 where version = $2', [
      'f'.repeat(64),
      last?.version,
    ])
    const refusal = {
      code: 'migration_changed',
      id: String(last?.version),
      message: expect.stringMatching(
        new RegExp(
          `_${last?.name} .* ffffffffffff, .* has ${last?.checksum.slice(0, 12)}: .* empty `,
        ),
      ),
    }
    await expect(store.check()).rejects.toMatchObject(refusal)
    await expect(store.migrate()).rejects.toMatchObject(refusal)
  })
})

/** Loading, applying and recording migrations, with migration files that the test writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { createTestDatabase, type TestDatabase } from '@punctual/testkit'
import type pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  loadMigrations,
  migrate,
  migrationScript,
  migrationStatus,
} from '../../src/schema/migrations.ts'

const CREATE = '-- Things.\ncreate table punctual.things (id integer primary key);\n'
const ADD =
  '-- breaking: older programs do not set a colour.\nalter table punctual.things add colour text;\n'
const FAIL = 'create table punctual.made (id integer);\nselect 1 / 0;\n'

let folder: string
let database: TestDatabase
let store: PostgresStore
let client: pg.Client
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'punctual-migrations-'))
  database = await createTestDatabase()
  const ports = { clock: systemClock, random: systemRandom, node: 'n' }
  store = new PostgresStore({ url: database.url, ...ports })
  client = await store.database.connect()
})
afterEach(async () => {
  await client.end()
  await store.close()
  await database.drop()
  rmSync(folder, { recursive: true })
})

/** The migrations of a release with these files. */
function release(files: Record<string, string>) {
  const releaseFolder = mkdtempSync(join(folder, 'release-'))
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(releaseFolder, name), sql)
  return loadMigrations(pathToFileURL(`${releaseFolder}/`))
}

const first = () => release({ '0001_create_things.sql': CREATE })
const second = () => release({ '0002_add_colour.sql': ADD, '0001_create_things.sql': CREATE })

it('migration files load in numeric order with name, checksum and breaking flag', () => {
  const [create, add] = second()
  expect(create).toMatchObject({ version: 1, name: 'create_things', sql: CREATE, breaking: false })
  expect(add).toMatchObject({ version: 2, name: 'add_colour', sql: ADD, breaking: true })
  expect(create?.checksum).toMatch(/^[0-9a-f]{64}$/)
  expect(create?.checksum).toBe(first()[0]?.checksum)
})

it('a newer release applies only its new migrations, one transaction each, and records them', async () => {
  expect(await migrate(client, 'punctual', first())).toHaveLength(1)
  const status = await migrationStatus(client, 'punctual', second())
  expect(status).toMatchObject({ applied: [1], pending: [{ version: 2 }] })
  expect(await migrate(client, 'punctual', second())).toMatchObject([{ name: 'add_colour' }])
  const { rows } = await client.query(
    'select version, name, checksum, breaking from punctual.migrations order by version',
  )
  expect(rows).toEqual(
    second().map(({ version, name, checksum, breaking }) => ({
      ...{ version: String(version), name, checksum, breaking: breaking ? 't' : 'f' },
    })),
  )
})

it('an older release refuses a schema with an unknown breaking migration', async () => {
  await migrate(client, 'punctual', second())
  const refusal = {
    code: 'schema_too_new',
    message: expect.stringContaining('0002_add_colour of a newer Punctual'),
  }
  await expect(migrationStatus(client, 'punctual', first())).rejects.toMatchObject(refusal)
  await expect(migrate(client, 'punctual', first())).rejects.toMatchObject(refusal)
})

it('an older release works with a newer migration that is not breaking', async () => {
  const compatible = release({ '0001_create_things.sql': CREATE, '0002_add_note.sql': 'select 1' })
  await migrate(client, 'punctual', compatible)
  expect(await migrate(client, 'punctual', first())).toEqual([])
})

it('a migration file edited after it was applied is refused', async () => {
  await migrate(client, 'punctual', first())
  const edited = release({ '0001_create_things.sql': CREATE.replace('Things', 'All things') })
  await expect(migrate(client, 'punctual', edited)).rejects.toMatchObject({
    code: 'migration_changed',
  })
})

it('a failing migration is rolled back, and the migrations before it stay applied', async () => {
  const broken = release({ '0001_create_things.sql': CREATE, '0002_make_trouble.sql': FAIL })
  await expect(migrate(client, 'punctual', broken)).rejects.toThrow('division by zero')
  const { rows } = await client.query(`select to_regclass('punctual.made') as made`)
  expect(rows).toEqual([{ made: null }])
  const status = await migrationStatus(client, 'punctual', second())
  expect(status).toMatchObject({ applied: [1], pending: [{ version: 2 }] })
})

it('an upgrade script contains only the missing migrations', async () => {
  await client.query(migrationScript('jobs', 0, first()))
  const script = migrationScript('jobs', 1, second())
  expect(script).toContain('alter table jobs.things add colour')
  expect(script).not.toContain('create table')
  await client.query(script)
  expect(await migrationStatus(client, 'jobs', second())).toEqual({ applied: [1, 2], pending: [] })
})

/** The SQL that `punctual migrate --sql` prints creates a working installation when another role runs it. */
import { createTestDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cli } from '../kit/cli-process.ts'

let database: TestDatabase
let dba: pg.Client
beforeEach(async () => {
  database = await createTestDatabase()
  dba = new pg.Client({ connectionString: database.url })
  await dba.connect()
})
afterEach(async () => {
  await dba.end()
  await database.drop()
})

async function works(punctual: Punctual): Promise<void> {
  try {
    const handler = punctual.handler('work', (n: number, { log }) => {
      log.info('working')
      return n + 1
    })
    const { id } = await handler.submit(1, { key: 'one' })
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded', output: 2 })
    expect(await punctual.runs.logs(id)).toHaveLength(1)
  } finally {
    await punctual.stop()
  }
}

test('a process that may not migrate starts on the printed schema and runs jobs', async () => {
  const { code, stdout } = await cli(['migrate', '--sql', '--schema', 'jobs'])
  expect(code).toBe(0)
  await dba.query(stdout)
  await works(await Punctual.start({ databaseUrl: database.url, schema: 'jobs', migrate: false }))
})

test('a role without create privileges runs jobs with the privileges that the guide lists', async () => {
  const role = `app_${database.name}`
  const { stdout } = await cli(['migrate', '--sql'], { env: { DATABASE_URL: database.url } })
  await dba.query(stdout)
  await dba.query(`create role ${role} login password 'app'`)
  await dba.query(`grant usage on schema punctual to ${role}`)
  await dba.query(
    `grant select, insert, update, delete on all tables in schema punctual to ${role}`,
  )
  const url = new URL(database.url)
  url.username = role
  url.password = 'app'
  const roles = ['planner', 'worker', 'reaper'] as const
  await works(await Punctual.start({ databaseUrl: url.href, migrate: false, roles }))
  await dba.query(`drop owned by ${role}; drop role ${role}`)
})

test('nothing is printed for a database that is up to date', async () => {
  const env = { DATABASE_URL: database.url }
  await dba.query((await cli(['migrate', '--sql'], { env })).stdout)
  const again = await cli(['migrate', '--sql'], { env })
  expect([again.code, again.stdout]).toEqual([0, ''])
  expect(again.stderr).toContain('Nothing to run')
})

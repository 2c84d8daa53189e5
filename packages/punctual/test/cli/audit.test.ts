/** The audit log on the command line. */
import { writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { aTemporaryFolder, both, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let client: Punctual
let sql: pg.Client
let env: Record<string, string>

beforeAll(async () => {
  database = await migratedDatabase()
  env = { DATABASE_URL: database.url }
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await client.stop()
  await sql.end()
  await database.drop()
})

const seal = () => client.store.auditLog.sealing.seal(1_000)

test('the audit log names the user of the command line, is listed and verified', async () => {
  await cli(['queues', 'pause', 'mail', '--note', 'down'], { env })
  await client.queues.resume('mail')
  const { table, value } = await both(['audit', 'list', '--target', 'mail'], { env })
  expect(value).toMatchObject([
    { action: 'queue.resume', actor: { kind: 'library' } },
    {
      action: 'queue.pause',
      actor: { kind: 'cli', name: `${userInfo().username}@${hostname()}` },
      note: 'down',
    },
  ])
  expect(table.stdout).toMatch(/queue\.resume +mail[\s\S]*cli .*queue\.pause +mail +down/)
  await seal()
  await client.queues.pause('mail')
  const verified = await cli(['audit', 'verify'], { env })
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/1 +2 +1 +intact/)])
})

test('a stored head reveals a chain that was truncated and repaired', async () => {
  await client.queues.pause('kept')
  await seal()
  const { stdout } = await cli(['audit', 'verify', '--tenant', 'default'], { env })
  const [head] = stdout.match(/1:\d+:[0-9a-f]{64}/) ?? []
  const heads = join(aTemporaryFolder(), 'heads.txt')
  writeFileSync(heads, `${head}\n\n`)
  const args = ['audit', 'verify', '--expect-head', `@${heads}`]
  await sql.query('set session_replication_role = replica')
  const last = '(select entry_id from punctual.audit_seals order by seq desc limit 1)'
  await sql.query(`delete from punctual.audit_log where id = ${last}`)
  await sql.query(`delete from punctual.audit_seals where entry_id = ${last}`)
  await sql.query(
    `update punctual.audit_heads h set seq = s.seq, hash = s.hash
     from (select seq, hash from punctual.audit_seals order by seq desc limit 1) s`,
  )
  await sql.query('set session_replication_role = origin')
  expect((await cli(['audit', 'verify'], { env })).code).toBe(0)
  const found = await cli(args, { env })
  expect([found.code, found.stdout]).toEqual([1, expect.stringContaining('unexpected_head')])
})

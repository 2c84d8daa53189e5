/**
 * Without the primary keys of the ledger a slot could be decided twice unnoticed, so nobody plans.
 */
import { examine } from '@punctual/store'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'

let database: TestDatabase
let sql: pg.Client
beforeEach(async () => {
  database = await migratedDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterEach(async () => {
  await sql.end()
  await database.drop()
})

async function start(roles: readonly ('planner' | 'worker')[]): Promise<Punctual> {
  const punctual = await Punctual.start({ databaseUrl: database.url, roles, logger: false })
  onTestFinished(() => punctual.stop())
  return punctual
}

const breaks: Record<string, string> = {
  'the missing key of the ledger': 'alter table punctual.slots drop constraint slots_pkey',
  'the missing key of the cursors': 'alter table punctual.cursors drop constraint cursors_pkey',
  // An interrupted REINDEX or a table assembled by hand leaves it in this state.
  'the invalid key of the ledger': `update pg_index set indisvalid = false
    where indexrelid = 'punctual.slots_pkey'::regclass`,
  'the invalid key of one partition of the ledger': `update pg_index set indisvalid = false
    where indrelid = (select max(inhrelid) from pg_inherits
      where inhparent = 'punctual.slots'::regclass) and indisprimary`,
}

it.each(Object.keys(breaks))(
  '%s keeps planners from starting, and the error names the repair (case 67)',
  async (what) => {
    await sql.query(breaks[what] as string)
    const refusal = await start(['planner']).catch((error) => error)
    expect(refusal).toMatchObject({ code: 'key_missing' })
    const worker = await start(['worker'])
    const findings = await examine(worker.store.database)
    expect(findings.find(({ check }) => check === 'primary keys')).toMatchObject({ level: 'fail' })
    // The repair in the message works.
    const [repair] = /alter table.*;/.exec(refusal.message) as RegExpExecArray
    await sql.query(repair)
    const planner = await start(['planner'])
    await planner.jobs.upsert({ name: 'again', handler: 'again', every: '1s' })
    await eventually(
      'the planner plans',
      async () => (await planner.jobs.slots('again')).length > 0,
    )
  },
)

it('a missing key of the outcomes keeps every role from starting (case 67)', async () => {
  await sql.query('alter table punctual.outcomes drop constraint outcomes_pkey')
  await expect(start(['worker'])).rejects.toMatchObject({ code: 'key_missing' })
})

/** Without the keys of the ledger a slot could be decided twice, and nothing would tell: nobody plans then. */
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
  'of the ledger that is missing': 'alter table punctual.slots drop constraint slots_pkey',
  'of the cursors that is missing': 'alter table punctual.cursors drop constraint cursors_pkey',
  // As an interrupted REINDEX or a table that was put together by hand leaves it.
  'of the ledger that is invalid': `update pg_index set indisvalid = false
    where indexrelid = 'punctual.slots_pkey'::regclass`,
  'of one day of the ledger that is invalid': `update pg_index set indisvalid = false
    where indrelid = (select max(inhrelid) from pg_inherits
      where inhparent = 'punctual.slots'::regclass) and indisprimary`,
}

it.each(Object.keys(breaks))(
  'a key %s keeps planners from starting, and they say what to do (case 67)',
  async (what) => {
    await sql.query(breaks[what] as string)
    const refusal = await start(['planner']).catch((error) => error)
    expect(refusal).toMatchObject({ code: 'key_missing' })
    const worker = await start(['worker'])
    const findings = await examine(worker.store.database)
    expect(findings.find(({ check }) => check === 'keys')).toMatchObject({ level: 'fail' })
    // What it says to do helps.
    const [repair] = /alter table.*;/.exec(refusal.message) as RegExpExecArray
    await sql.query(repair)
    const planner = await start(['planner'])
    await planner.jobs.upsert({ name: 'again', handler: 'again', every: '1s' })
    await eventually('it plans', async () => (await planner.jobs.slots('again')).length > 0)
  },
)

it('a key of a place that is missing keeps everybody from starting (case 67)', async () => {
  await sql.query('alter table punctual.outcomes drop constraint outcomes_pkey')
  await expect(start(['worker'])).rejects.toMatchObject({ code: 'key_missing' })
})

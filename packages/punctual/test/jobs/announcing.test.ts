/**
 * A handler works from its registration on: a run submitted right after it need not wait for a
 * poll.
 */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

/** Lanes are read once a minute and polls take seconds: a prompt run has waited for neither. */
const promptly = { timeoutMs: 4_000 }

let database: TestDatabase
let sql: pg.Client
let client: Punctual
let punctual: Punctual
let n = 0
const name = (what: string) => `${what}-${++n}`

beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({ databaseUrl: database.url, roles: [] })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await client.stop()
  await database.drop()
})
beforeEach(async (context) => {
  punctual = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  context.onTestFinished(() => punctual.stop())
})

/**
 * A handler name whose lane already exists in the database, so that no hint announces it as new.
 */
async function aKnownName(): Promise<string> {
  const known = name('known')
  await client.runs.cancel(await client.submit(known))
  return known
}

async function announced(): Promise<string[]> {
  const { rows } = await sql.query('select handlers from punctual.sessions where id <> 0')
  return rows.flatMap((row) => row.handlers as string[])
}

/** A started, idle worker. */
async function idle(): Promise<void> {
  const first = punctual.handler(name('first'), () => 'ran')
  await punctual.runs.waitFor(await first.submit(null))
}

it.for([
  ['the first handler of a process', false, false],
  ['the first handler, in an existing lane', false, true],
  ['a handler of an idle worker', true, false],
  ['a handler of an idle worker, in an existing lane', true, true],
] as const)('a run that is submitted right after %s runs promptly', async ([, later, known]) => {
  if (later) await idle()
  const handlerName = known ? await aKnownName() : name('fresh')
  const handler = punctual.handler(handlerName, () => 'ran')
  const run = await handler.submit(null)
  expect(await punctual.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
})

it('a run that waited for a handler runs promptly after its registration', async () => {
  await idle()
  const handlerName = name('awaited')
  const run = await client.submit(handlerName)
  punctual.handler(handlerName, () => 'ran')
  expect(await client.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
})

it('handlers registered in successive event loop turns are all announced and run promptly', async () => {
  const names = await Promise.all(Array.from({ length: 10 }, aKnownName))
  for (const each of names) {
    punctual.handler(each, () => 'ran')
    await new Promise((resolve) => setImmediate(resolve))
  }
  const runs = await Promise.all(names.map((each) => client.submit(each)))
  for (const run of runs)
    expect(await client.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
  await eventually('all are announced', async () => {
    const handlers = new Set(await announced())
    return names.every((each) => handlers.has(each))
  })
})

it('a handler registered while an earlier one is being announced is announced, and runs promptly', async () => {
  const [warm, early, late] = [name('warm'), await aKnownName(), await aKnownName()]
  const seen = { warm: gate(), count: 0 }
  punctual.handler(warm, () => {
    seen.count++
    seen.warm.open()
  })
  await client.runs.waitFor(await client.submit(warm))
  // Describing the session waits for this lock; claims do not.
  await sql.query('begin')
  await sql.query('select from punctual.sessions for no key update')
  punctual.handler(early, () => 'ran')
  seen.warm = gate()
  await client.submit(warm)
  await seen.warm.opened
  // By now lanes were read for `early`, and its announcement is still in progress.
  punctual.handler(late, () => 'ran')
  await new Promise((resolve) => setImmediate(resolve))
  await sql.query('commit')
  const run = await client.submit(late)
  expect(await client.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
  await eventually('it is announced', async () => (await announced()).includes(late))
})

it('a handler registered while the session is being opened is announced too', async () => {
  await sql.query('begin')
  // Opening a session waits for this lock.
  await sql.query('lock table punctual.sessions in share mode')
  const [first, second] = [name('first'), name('second')]
  punctual.handler(first, () => 'ran')
  await eventually('the session is being opened', async () => {
    const { rows } = await sql.query(
      `select from pg_locks where relation = 'punctual.sessions'::regclass and not granted`,
    )
    return rows.length > 0
  })
  punctual.handler(second, () => 'ran')
  await new Promise((resolve) => setImmediate(resolve))
  await sql.query('commit')
  expect(await client.runs.waitFor(await client.submit(second), promptly)).toMatchObject({
    output: 'ran',
  })
  await eventually('both are announced', async () => {
    const handlers = await announced()
    return handlers.includes(first) && handlers.includes(second)
  })
})

/** A handler works from the moment it is registered: what is submitted right after it need not wait for a poll. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

/** Lanes are read anew once a minute, and polls take seconds: what is prompt has waited for neither. */
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

/** A handler's name whose lane is in the database already: no hint says that it is new. */
async function aKnownName(): Promise<string> {
  const known = name('known')
  await client.runs.cancel(await client.submit(known))
  return known
}

async function announced(): Promise<string[]> {
  const { rows } = await sql.query('select handlers from punctual.sessions')
  return rows.flatMap((row) => row.handlers as string[])
}

/** A worker that is up and has nothing to do. */
async function idle(): Promise<void> {
  const first = punctual.handler(name('first'), () => 'ran')
  await punctual.runs.waitFor(await first.submit(null))
}

it.for([
  ['the first handler of a process', false, false],
  ['the first handler, of a lane that exists', false, true],
  ['a handler of a worker that is idle', true, false],
  ['a handler of a worker that is idle, of a lane that exists', true, true],
] as const)('a run that is submitted right after %s is run promptly', async ([, later, known]) => {
  if (later) await idle()
  const handlerName = known ? await aKnownName() : name('fresh')
  const handler = punctual.handler(handlerName, () => 'ran')
  const run = await handler.submit(null)
  expect(await punctual.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
})

it('a run that waited for a handler is run promptly when the handler comes', async () => {
  await idle()
  const handlerName = name('awaited')
  const run = await client.submit(handlerName)
  punctual.handler(handlerName, () => 'ran')
  expect(await client.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
})

it('handlers that come one in each turn of the event loop are all announced, and run promptly', async () => {
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

it('a handler that comes while an earlier one is being announced is announced too, and runs promptly', async () => {
  const [warm, early, late] = [name('warm'), await aKnownName(), await aKnownName()]
  const seen = { warm: gate(), count: 0 }
  punctual.handler(warm, () => {
    seen.count++
    seen.warm.open()
  })
  await client.runs.waitFor(await client.submit(warm))
  // Whoever describes the session waits for this; claims do not.
  await sql.query('begin')
  await sql.query('select from punctual.sessions for no key update')
  punctual.handler(early, () => 'ran')
  seen.warm = gate()
  await client.submit(warm)
  await seen.warm.opened
  // By now lanes were read for `early`, and its announcement is still under way.
  punctual.handler(late, () => 'ran')
  await new Promise((resolve) => setImmediate(resolve))
  await sql.query('commit')
  const run = await client.submit(late)
  expect(await client.runs.waitFor(run, promptly)).toMatchObject({ output: 'ran' })
  await eventually('it is announced', async () => (await announced()).includes(late))
})

it('a handler that comes while the session is being opened is announced too', async () => {
  await sql.query('begin')
  // Whoever opens a session waits for this.
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

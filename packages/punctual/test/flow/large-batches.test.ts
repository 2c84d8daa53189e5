/** The largest `submitMany`, by number and by bytes: all of it is accepted, or nothing. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const COUNT = 10_000
const MIB = 1_048_576

let database: TestDatabase
let client: Punctual
let sql: pg.Client
let n = 0
let handler: string
beforeAll(async () => {
  database = await migratedDatabase()
  client = await Punctual.start({
    ...{ databaseUrl: database.url, roles: [], payloadBytes: 16 * MIB },
  })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterAll(async () => {
  await sql.end()
  await client.stop()
  await database.drop()
})
beforeEach(() => {
  handler = `large-${++n}`
})

/** The stored runs of this test's handler, in claim order. */
async function stored(columns = 'r.id'): Promise<Record<string, unknown>[]> {
  const { rows } = await sql.query(
    `select ${columns} from punctual.runs r join punctual.lanes l on l.id = r.lane
     left join punctual.queue q on q.run_id = r.id where l.handler = $1 order by q.pos, r.id`,
    [handler],
  )
  return rows
}

const numbers = Array.from({ length: COUNT }, (_, i) => i)

it('10,000 runs are accepted together and wait in the given order', async () => {
  const submitted = await client.submitMany(handler, numbers)
  expect(new Set(submitted.map(({ id }) => id)).size).toBe(COUNT)
  expect(submitted.every(({ created }) => created)).toBe(true)
  const rows = await stored('r.id, r.payload')
  expect(rows).toEqual(submitted.map(({ id }, i) => ({ id, payload: String(i) })))
})

it('10,000 runs with separate options are accepted together', async () => {
  await client.submitMany(handler, numbers, (i) => ({
    ...{ priority: i % 11, maxAttempts: 1 + (i % 1_000), timeoutMs: 1_000 + (i % 7) },
    ...{ labels: { n: String(i) }, delayMs: (i % 2) * 3_600_000 },
  }))
  const rows = await stored('r.payload, r.max_attempts, r.timeout_ms, r.labels, l.priority')
  expect(rows).toHaveLength(COUNT)
  for (const row of rows) {
    const i = Number(row.payload)
    expect(row).toMatchObject({
      ...{ priority: i % 11, max_attempts: 1 + (i % 1_000), timeout_ms: 1_000 + (i % 7) },
      labels: { n: String(i) },
    })
  }
})

it('10,000 keys are taken together, and a second call finds them', async () => {
  const keyed = (i: number) => ({ key: `${handler} ${i}` })
  const first = await client.submitMany(handler, numbers, keyed)
  const second = await client.submitMany(handler, numbers.toReversed(), keyed)
  expect(first.every(({ created }) => created)).toBe(true)
  expect(second).toMatchObject(first.map(({ id }) => ({ id, created: false })).toReversed())
  expect(await stored()).toHaveLength(COUNT)
})

it('10,001 runs are refused, and nothing is stored', async () => {
  await expect(client.submitMany(handler, [...numbers, COUNT])).rejects.toMatchObject({
    code: 'invalid_option',
    field: 'payloads',
  })
  expect(await stored()).toEqual([])
})

/** JSON of exactly `bytes` bytes: quotes, three-byte characters, and padding. */
function textOf(bytes: number): string {
  const characters = Math.floor((bytes - 2) / 3)
  return '€'.repeat(characters) + 'x'.repeat(bytes - 2 - 3 * characters)
}

it('payloads that fill several statements are accepted together and come back unchanged', async () => {
  const payloads = Array.from({ length: 52 }, (_, i) => i + textOf(MIB - String(i).length))
  const submitted = await client.submitMany(handler, payloads)
  expect(submitted).toHaveLength(52)
  for (const at of [0, 25, 51]) {
    const run = await client.runs.get(submitted[at] as { id: string })
    expect(run?.payload === payloads[at]).toBe(true)
  }
  const rows = await stored('octet_length(r.payload) as bytes')
  expect(rows).toEqual(payloads.map(() => ({ bytes: MIB })))
})

it('a failure in the last of several statements rolls back the earlier ones', async () => {
  await sql.query(`
    create function refuse() returns trigger language plpgsql as
      $$ begin if new.payload like '"last%' then raise 'refused' using errcode = '22000'; end if; return new; end $$;
    create trigger refuse before insert on punctual.runs for each row execute function refuse()`)
  const payloads = Array.from({ length: 40 }, (_, i) => i + 'x'.repeat(MIB - 10))
  await expect(client.submitMany(handler, [...payloads, 'last'])).rejects.toThrow('refused')
  expect(await stored()).toEqual([])
  await sql.query('drop function refuse() cascade')
})

it('a payload at the highest possible limit reaches its handler; one more byte is refused (case 117)', async () => {
  const largest = textOf(16 * MIB)
  await expect(client.submitMany(handler, [1, `${largest}x`])).rejects.toMatchObject({
    code: 'payload_too_large',
    message: expect.stringMatching(/^Item 1: /),
  })
  expect(await stored()).toEqual([])
  const worker = await Punctual.start({ databaseUrl: database.url, roles: ['worker'] })
  try {
    worker.handler(handler, (payload: string) => payload === largest)
    const submitted = await client.submitMany(handler, [largest, largest])
    for (const run of submitted)
      expect(await client.runs.waitFor(run)).toMatchObject({ state: 'succeeded', output: true })
  } finally {
    await worker.stop()
  }
})

it('payloads and outputs at their limit are claimed, run and settled with small ones (case 117)', async () => {
  const payloads = Array.from({ length: 200 }, (_, i) => i + (i % 20 === 7 ? textOf(MIB - 3) : ''))
  const submitted = await client.submitMany(handler, payloads)
  const worker = await Punctual.start({
    ...{ databaseUrl: database.url, roles: ['worker'], worker: { concurrency: 200 } },
  })
  try {
    worker.handler(handler, (payload: string) => payload)
    for (const [i, run] of submitted.entries()) {
      const { state, output, attempts } = await client.runs.waitFor(run, { timeoutMs: 60_000 })
      expect([state, attempts.length]).toEqual(['succeeded', 1])
      expect(output === payloads[i]).toBe(true)
    }
  } finally {
    await worker.stop()
  }
})

/** Submitting in the open transaction of each library, against a real PostgreSQL. */
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import knexFor, { type Knex } from 'knex'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type OpenTransaction, Punctual, PunctualError } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let database: TestDatabase
let punctual: Punctual
let pool: pg.Pool
let kysely: Kysely<unknown>
let knex: Knex

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
  kysely = new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  knex = knexFor({ client: 'pg', connection: database.url, pool: { min: 0, max: 4 } })
  await pool.query('create table notes (text text)')
})
afterAll(async () => {
  await knex?.destroy()
  await pool?.end()
  await punctual?.stop()
  await database?.drop()
})

/** A transaction of the library with a separate write in it; committed unless the work rejects. */
type InTransaction = (work: (tx: OpenTransaction) => Promise<void>) => Promise<void>

async function withClient(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const NOTE = "insert into notes values ('kept')"

const libraries: readonly (readonly [string, InTransaction])[] = [
  [
    'a client of a pool of pg',
    (work) =>
      withClient(async (client) => {
        await client.query(NOTE)
        await work(client)
      }),
  ],
  [
    'a client of pg',
    async (work) => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        await client.query('begin')
        await client.query(NOTE)
        await work(client)
        await client.query('commit')
      } finally {
        await client.end()
      }
    },
  ],
  [
    'Drizzle',
    (work) =>
      drizzle({ client: pool }).transaction(async (tx) => {
        await tx.execute(drizzleSql.raw(NOTE))
        await work(tx)
      }),
  ],
  [
    'Kysely with a plugin that renames columns',
    (work) =>
      kysely.transaction().execute(async (tx) => {
        await sql.raw(NOTE).execute(tx)
        await work(tx)
      }),
  ],
  [
    'Kysely with a manually controlled transaction',
    async (work) => {
      const tx = await kysely.startTransaction().execute()
      try {
        await sql.raw(NOTE).execute(tx)
        await work(tx)
        await tx.commit().execute()
      } catch (error) {
        await tx.rollback().execute()
        throw error
      }
    },
  ],
  [
    'Knex',
    (work) =>
      knex.transaction(async (tx) => {
        await tx.raw(NOTE)
        await work(tx)
      }),
  ],
  [
    // Prisma itself needs a generated engine: this object has the shape of its transaction, and
    // sends its statements to a real server like Prisma's pg adapter.
    'the shape of Prisma',
    (work) =>
      withClient(async (client) => {
        await client.query(NOTE)
        const $queryRawUnsafe = async (text: string, ...values: unknown[]) => {
          expect(values.filter((value) => typeof value === 'object' && value !== null)).toEqual([])
          return (await client.query(text, values)).rows
        }
        await work({ $queryRawUnsafe })
      }),
  ],
]

const notes = async () => (await pool.query('select from notes')).rowCount
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )

let n = 0

describe.each(libraries)('in a transaction of %s', (_, inTransaction) => {
  it('a committed run exists with all of its options', async () => {
    const before = await notes()
    const ids: string[] = []
    await inTransaction(async (tx) => {
      const runAt = '2040-01-31T12:00:00.123Z'
      const options = { tx, runAt, priority: 7, labels: { 'a "b"': '{\\}, é' }, createdBy: 'me' }
      ids.push((await punctual.submit('one', { text: 'a "b" \\ {c}, NULL é 🙂' }, options)).id)
      const many = await punctual.submitMany('many', ['NULL', '', '{"a"}', null], { tx })
      ids.push(...many.map(({ id }) => id))
      expect(await punctual.runs.get(ids[0] as string)).toBeNull()
    })
    expect(await notes()).toBe((before ?? 0) + 1)
    const [one, ...many] = await Promise.all(ids.map((id) => punctual.runs.get(id)))
    expect(one).toMatchObject({
      ...{ handler: 'one', priority: 7, state: 'scheduled', createdBy: 'me' },
      labels: { 'a "b"': '{\\}, é' },
      payload: { text: 'a "b" \\ {c}, NULL é 🙂' },
    })
    expect(one?.dueAt.toISOString()).toBe('2040-01-31T12:00:00.123Z')
    expect(many.map((run) => run?.payload)).toEqual(['NULL', '', '{"a"}', null])
  })

  it('after a rollback neither the run nor the write exists', async () => {
    const before = await notes()
    let id = ''
    const failed = inTransaction(async (tx) => {
      id = (await punctual.submit('one', 1, { tx })).id
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await punctual.runs.get(id)).toBeNull()
    expect(await notes()).toBe(before)
  })

  it('a key has one live run, whichever transaction submits it again', async () => {
    const key = `a "key", ${++n}`
    const ids: (readonly [string, boolean])[] = []
    await inTransaction(async (tx) => {
      for (const payload of [1, 2]) {
        const { id, created } = await punctual.submit('keyed', payload, { tx, key })
        ids.push([id, created])
      }
    })
    const [first] = ids as [[string, boolean]]
    expect(first[1]).toBe(true)
    expect(ids[1]).toEqual([first[0], false])
    const again = await punctual.submit('keyed', 3, { key })
    expect(again).toEqual({ id: first[0], created: false, outcome: 'existing' })
  })

  it('a key is replaced, throttled and refused like outside a transaction', async () => {
    const [key, other] = [`replaced ${++n}`, `throttled ${n}`]
    const { id } = await punctual.submit('keyed', 1, { key, labels: { a: 'b' } })
    const throttle = { key: other, onConflict: 'throttle', window: '1h' } as const
    await inTransaction(async (tx) => {
      const concurrency = { key: 'gate "1"', limit: 2 }
      const labels = { c: 'd "e" {\\}' }
      const replace = { tx, key, onConflict: 'replace', labels, concurrency } as const
      const replaced = await punctual.submit('keyed', { text: '"a\\', n: [null] }, replace)
      expect(replaced).toEqual({ id, created: false, outcome: 'replaced' })
      expect(await punctual.submit('keyed', 2, { tx, ...throttle })).toMatchObject({
        created: true,
      })
      expect(await punctual.submit('keyed', 3, { tx, ...throttle })).toMatchObject({
        created: false,
      })
      const refused = await rejection(punctual.submit('keyed', 4, { tx, key, onConflict: 'error' }))
      expect(refused).toMatchObject({ code: 'key_conflict', id })
    })
    expect(await punctual.runs.get(id)).toMatchObject({
      ...{ payload: { text: '"a\\', n: [null] }, labels: { c: 'd "e" {\\}' } },
      concurrency: { key: 'gate "1"', limit: 2 },
    })
  })

  it('a group exists with its runs after the commit', async () => {
    let id = ''
    await inTransaction(async (tx) => {
      const runs = [{ handler: 'one' }, { handler: 'one', options: { key: `group ${++n}` } }]
      const onDone = { handler: 'one', payload: 'NULL "a"' }
      const group = await punctual.groups.submit({ name: 'g', runs, open: true, onDone }, { tx })
      await group.add(runs, { tx })
      await group.close({ tx })
      id = group.id
      expect(await punctual.groups.get(id)).toBeNull()
    })
    expect(await punctual.groups.get(id)).toMatchObject({ name: 'g', total: 3, open: false })
  })

  it('a refused submission leaves the transaction usable', async () => {
    const before = await notes()
    let id = ''
    await inTransaction(async (tx) => {
      const bad = [
        punctual.submit('one', { n: Number.NaN }, { tx }),
        punctual.submit('one', 1, { tx, priority: 11 }),
        punctual.submitMany('one', [1, () => 2], { tx }),
      ]
      for (const refused of await Promise.all(bad.map(rejection)))
        expect(refused).toBeInstanceOf(PunctualError)
      id = (await punctual.submit('one', 'good', { tx })).id
    })
    expect(await punctual.runs.get(id)).toMatchObject({ payload: 'good', state: 'queued' })
    expect(await notes()).toBe((before ?? 0) + 1)
  })

  it('a key that another transaction is taking is busy after the lock timeout', async () => {
    const key = `busy ${++n}`
    await withClient(async (other) => {
      await punctual.submit('keyed', 1, { tx: other, key })
      const busy = inTransaction(async (tx) => {
        await lockTimeout(tx)
        await punctual.submit('keyed', 2, { tx, key })
      })
      await expect(busy).rejects.toMatchObject({ code: 'key_busy' })
    })
  })
})

/** Through the library's own API. */
async function lockTimeout(tx: OpenTransaction): Promise<void> {
  const text = "set local lock_timeout = '50ms'"
  if ('$queryRawUnsafe' in tx) await tx.$queryRawUnsafe(text)
  else if ('executeQuery' in tx) await sql.raw(text).execute(tx as never)
  else if ('raw' in tx) await tx.raw(text)
  else if ('execute' in tx) await tx.execute(text)
  else await tx.query(text)
}

describe('anything that is not an open transaction is refused', () => {
  let outside: pg.PoolClient
  beforeAll(async () => {
    outside = await pool.connect()
  })
  afterAll(() => outside.release())

  it.each([
    ['a pool of pg', () => pool, /pool: take a client/],
    ['a client without begin', () => outside, /No transaction is open on this client/],
    ['the Drizzle database', () => drizzle({ client: pool }), /Drizzle database/],
    ['the Kysely instance', () => kysely, /Kysely instance/],
    ['the Knex instance', () => knex, /Knex instance/],
    ['the Prisma client', () => ({ $queryRawUnsafe() {}, $connect() {} }), /Prisma client/],
    ['something else', () => ({}), /has no query method/],
    ['nothing', () => null, /got null/],
  ])('%s is not an open transaction', async (_, make, message) => {
    const refused = await rejection(punctual.submit('one', 1, { tx: make() as never }))
    expect(refused).toMatchObject({ code: 'invalid_option', field: 'tx' })
    expect((refused as Error).message).toMatch(message)
  })

  it('a group is refused on a client without begin, and after its transaction has ended', async () => {
    const refused = { code: 'invalid_option', field: 'tx' }
    await outside.query('begin')
    const group = await punctual.groups.submit({ open: true }, { tx: outside })
    await outside.query('commit')
    await expect(group.close({ tx: outside })).rejects.toMatchObject(refused)
    await expect(punctual.groups.submit({}, { tx: outside })).rejects.toMatchObject(refused)
  })

  it('a client whose begin is in progress is accepted', async () => {
    const begun = outside.query('begin')
    const { id } = await punctual.submit('one', 1, { tx: outside })
    await begun
    await outside.query('rollback')
    expect(await punctual.runs.get(id)).toBeNull()
  })
})

it("a database error in an open transaction is the driver's unchanged error", async () => {
  const spoilt = async (text: string) => {
    const client = await pool.connect()
    await client.query('begin')
    await client.query(text).catch(() => undefined)
    const refused = await rejection(punctual.submit('one', 1, { tx: client }))
    await client.query('rollback')
    client.release()
    return refused
  }
  for (const [text, code] of [
    ['select 1 / 0', '25P02'],
    ['set transaction read only', '25006'],
  ] as const) {
    const refused = await spoilt(text)
    expect(refused).toBeInstanceOf(pg.DatabaseError)
    expect(refused).toMatchObject({ code })
  }
})

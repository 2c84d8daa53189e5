/** Secrets through the library: handlers read them, and no stored data of a run shows them. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { aTemporaryFolder, cli } from '../kit/cli-process.ts'

const KEY = randomBytes(32).toString('base64')
const VALUE = 'sk_live/51 Hx+"quoted"'
let database: TestDatabase
let punctual: Punctual
let sql: pg.Client

beforeAll(async () => {
  database = await migratedDatabase()
  punctual = await Punctual.start({ databaseUrl: database.url, secretsKey: KEY })
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await punctual.secrets.set('stripe', VALUE)
})
afterAll(async () => {
  await punctual.stop()
  await sql.end()
  await database.drop()
})

const basic = Buffer.from(`user:${VALUE}`).toString('base64')

/** The content of every table about a run, as text. */
async function stored(id: string): Promise<string> {
  const tables = ['runs', 'outcomes', 'attempts', 'run_logs', 'dead_letters', 'leases']
  const texts: string[] = []
  for (const table of tables) {
    const query = `select string_agg(t::text, ' ') as text from punctual.${table} t where t::text like $1`
    texts.push((await sql.query(query, [`%${id}%`])).rows[0].text ?? '')
  }
  return texts.join(' ')
}

function expectNoSecret(text: string): void {
  for (const part of ['sk_live', 'Hx+', 'Hx%2B', basic.slice(8, 24), 'quoted'])
    expect(text).not.toContain(part)
}

describe('a handler', () => {
  it('a handler reads a secret by name, and the stored data of its run does not show it (case 160)', async () => {
    let seen = ''
    punctual.handler('pays', async (_, { secret, log, progress }) => {
      seen = await secret('stripe')
      log.info(`calling with ${seen}`, { headers: { auth: `Basic ${basic}` }, [seen]: 1 })
      progress({ url: `https://x.org/?key=${encodeURIComponent(seen)}` })
      return { key: seen, list: [JSON.stringify({ seen })] }
    })
    const { id } = await punctual.submit('pays')
    const run = await punctual.runs.waitFor(id)
    expect(seen).toBe(VALUE)
    expect(run).toMatchObject({ state: 'succeeded', output: { key: '[redacted]' } })
    expect(await punctual.runs.logs(id)).toMatchObject([
      {
        message: 'calling with [redacted]',
        data: {
          headers: { auth: expect.stringMatching(/^Basic .+\[redacted\]/) },
          '[redacted]': 1,
        },
      },
    ])
    expectNoSecret(await stored(id))
  })

  it('a thrown secret is redacted in the error, its stack, and the dead letter', async () => {
    punctual.handler('throws', async (_, { secret }) => {
      const error = new Error(`401 for ${await secret('stripe')}: ${'x'.repeat(8_000)}`)
      Object.assign(error, { code: await secret('stripe') })
      throw error
    })
    const { id } = await punctual.submit('throws', null, { maxAttempts: 1 })
    const run = await punctual.runs.waitFor(id)
    expect(run.error).toMatchObject({ code: '[redacted]' })
    expect(run.error?.message).toMatch(/^401 for \[redacted\]/)
    expectNoSecret(await stored(id))
    expectNoSecret(JSON.stringify(await punctual.deadLetters.list()))
  })

  it('a handler with a transaction gets its secret back unredacted, but it is stored redacted', async () => {
    let returned: unknown
    punctual.handler('transacts', async (_, context) => {
      returned = await context.transaction(async () => ({ key: await context.secret('stripe') }))
    })
    const { id } = await punctual.submit('transacts')
    expect((await punctual.runs.waitFor(id)).output).toEqual({ key: '[redacted]' })
    expect(returned).toEqual({ key: VALUE })
    expectNoSecret(await stored(id))
  })

  it('a handler in a separate thread reads a secret too', async () => {
    const module = new URL('../children/secret-handler.ts', import.meta.url)
    punctual.handler('isolated', { isolation: 'thread' }, module)
    const { id } = await punctual.submit('isolated', { name: 'stripe' })
    const run = await punctual.runs.waitFor(id)
    expect(run).toMatchObject({
      state: 'succeeded',
      output: { key: '[redacted]', length: VALUE.length },
    })
    const missing = await punctual.submit('isolated', { name: 'nope' }, { maxAttempts: 1 })
    const dead = await punctual.runs.waitFor(missing.id)
    expect(dead.error).toMatchObject({ code: 'secret_not_found' })
    expectNoSecret(await stored(id))
  })

  it('a handler of another tenant does not get the secret', async () => {
    await sql.query("insert into punctual.tenants (id, name) values (7, 'seven')")
    punctual.handler('spies', (_, { secret }) => secret('stripe'))
    const { id } = await punctual.tenant(7).submit('spies', null, { maxAttempts: 1 })
    const run = await punctual.tenant(7).runs.waitFor(id)
    expect(run.error).toMatchObject({ code: 'secret_not_found' })
  })
})

describe('a secret', () => {
  it('a secret is listed without its value, counts its versions, and its entries have no values', async () => {
    await punctual.secrets.set('rotated', 'first value')
    expect(await punctual.secrets.set('rotated', 'second value')).toEqual({ version: 2 })
    const list = await punctual.secrets.list()
    expect(JSON.stringify(list)).not.toMatch(/first value|second value/)
    expect(list.find(({ name }) => name === 'rotated')).toMatchObject({ version: 2 })
    expect(await punctual.secrets.delete('rotated')).toBe(true)
    expect(await punctual.secrets.delete('rotated')).toBe(false)
    const entries = await punctual.audit.list({ target: 'rotated' })
    expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['secret.delete', { version: 2 }, null],
      ['secret.set', { version: 1 }, { version: 2 }],
      ['secret.set', null, { version: 1 }],
    ])
  })

  it('a secret that is too short or too long is refused without being shown', async () => {
    for (const value of ['short', 'x'.repeat(70_000), 12_345_678 as never, '\ud800 is broken'])
      await expect(punctual.secrets.set('bad', value)).rejects.toMatchObject({
        code: 'invalid_option',
        message: expect.not.stringContaining(String(value)),
      })
  })

  it('a secret is re-encrypted with a new key without downtime', async () => {
    const fresh = randomBytes(32).toString('base64')
    const file = join(aTemporaryFolder(), 'keys')
    writeFileSync(file, `# the new one\n${fresh}\n${KEY}\n`)
    const next = await Punctual.start({
      databaseUrl: database.url,
      roles: [],
      secretsKeyFile: file,
    })
    expect(await next.secrets.rotateKey()).toMatchObject({ unreadable: 0 })
    const [entry] = await next.audit.list({ action: 'secrets_key.rotate' })
    expect(entry).toMatchObject({ tenantId: null, after: { unreadable: 0 } })
    const back = await Punctual.start({
      ...{ databaseUrl: database.url, roles: [], secretsKey: [KEY, fresh] },
    })
    await back.secrets.rotateKey()
    await Promise.all([next.stop(), back.stop()])
  })
})

describe('the master key', () => {
  it('an invalid master key stops the start and is not shown', async () => {
    const start = (options: object) => Punctual.start({ databaseUrl: database.url, ...options })
    for (const options of [
      { secretsKey: 'not-a-key-at-all' },
      { secretsKeyFile: '/does/not/exist' },
    ])
      await expect(start(options)).rejects.toMatchObject({
        code: 'invalid_config',
        message: expect.not.stringContaining('not-a-key'),
      })
  })
})

describe('punctual secrets', () => {
  it('the command sets from standard input, lists and deletes, and never shows a value', async () => {
    const env = { DATABASE_URL: database.url, PUNCTUAL_SECRETS_KEY: KEY }
    const set = await cli(['secrets', 'set', 'typed'], { env, input: 'a typed value\n' })
    expect([set.code, set.stdout]).toEqual([0, 'Set typed, version 1.\n'])
    expect(await punctual.store.secrets.read(1, 'typed')).toBe('a typed value')
    const list = await cli(['secrets', 'list'], { env })
    expect(list.stdout).toMatch(/typed +1 /)
    expect(list.stdout).not.toContain('a typed value')
    const keyless = await cli(['secrets', 'set', 'typed', '--json'], {
      ...{ env: { DATABASE_URL: database.url }, input: 'another value' },
    })
    expect([keyless.code, keyless.stderr]).toEqual([
      1,
      expect.stringMatching(/^error\[secrets_key_missing\]/),
    ])
    const deleted = await cli(['secrets', 'delete', 'typed', '--json'], { env })
    expect(JSON.parse(deleted.stdout)).toEqual({ name: 'typed', result: 'deleted' })
  })
})

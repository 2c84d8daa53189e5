/**
 * Databases for tests: one per test file, empty or cloned from a template that each run builds
 * once.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type TestServerOptions, testServer } from './test-server.ts'

export interface TestDatabaseOptions extends TestServerOptions {
  /** Name of the database to clone, as `createTemplateDatabase` returns it. */
  readonly template?: string
}

export interface TestDatabase {
  readonly url: string
  readonly name: string
  /** Ends the remaining sessions and removes the database. Idempotent. */
  drop(): Promise<void>
}

export interface TemplateOptions extends TestServerOptions {
  /** Identifies the content: every process of the run shares the template with this key. */
  readonly key: string
  /** Fills the new database. Runs at most once per key and server, unless it fails. */
  readonly fill: (url: string) => Promise<void>
}

export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { url } = await testServer(options)
  const name = `test_${randomBytes(8).toString('hex')}`
  await withAdmin(url, (admin) => createDatabase(admin, name, options.template))
  return {
    url: databaseUrl(url, name),
    name,
    async drop() {
      await withAdmin(url, (admin) => admin.query(`drop database if exists ${name} with (force)`))
    },
  }
}

/** Returns the name of a template for `createTestDatabase`. */
export async function createTemplateDatabase(options: TemplateOptions): Promise<string> {
  const { url } = await testServer(options)
  const digest = createHash('sha256').update(options.key).digest('hex').slice(0, 16)
  const name = `template_${digest}`
  const unfinished = `unfinished_${digest}`
  await withAdmin(url, async (admin) => {
    // Several forks want the same template: the first one builds it while the others wait.
    await admin.query('select pg_advisory_lock(hashtext($1))', [name])
    const found = await admin.query('select 1 from pg_database where datname = $1', [name])
    if (found.rowCount !== 0) return
    await admin.query(`drop database if exists ${unfinished} with (force)`)
    await createDatabase(admin, unfinished)
    await options.fill(databaseUrl(url, unfinished))
    await admin.query(`alter database ${unfinished} rename to ${name}`)
  })
  return name
}

const busy = '55006'
const attemptsMax = 50

/**
 * A database stays in use for a short time after its last session ends, and cannot be cloned then.
 */
async function createDatabase(admin: pg.Client, name: string, template = 'template1') {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.query(`create database ${name} template ${pg.escapeIdentifier(template)}`)
      return
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === busy
      if (!isBusy || attempt >= attemptsMax) throw error
      await delay(20)
    }
  }
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

async function withAdmin<T>(url: string, use: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    return await use(admin)
  } finally {
    await admin.end()
  }
}

/**
 * Calls every method of the facades and compares all tables before and after: a method that changes
 * a row leaves an entry in the audit log, unless it submits runs, and a method that is listed as
 * reading changes nothing. A new method fails the test until it is listed here.
 */
import { randomBytes } from 'node:crypto'
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'
import {
  Belongings,
  type Calls,
  changing,
  type Prepare,
  submitting,
} from '../kit/changing-calls.ts'

const OLD_KEY = randomBytes(32).toString('base64')
const NEW_KEY = randomBytes(32).toString('base64')
let t: TestStore
let client: Punctual
let rotating: Punctual
let o: Belongings
let tables: readonly string[]

beforeAll(async () => {
  t = await TestStore.open()
  const options = { databaseUrl: t.url, roles: [] }
  client = await Punctual.start({ ...options, secretsKey: OLD_KEY })
  rotating = await Punctual.start({ ...options, secretsKey: [NEW_KEY, OLD_KEY].join(',') })
  o = new Belongings(client, rotating, t)
  const { rows } = await t.sql.query(
    `select relname from pg_class
     where relnamespace = 'punctual'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not like 'audit_%'`,
  )
  tables = rows.map(({ relname }) => relname)
})
afterAll(async () => {
  await client.stop()
  await rotating.stop()
  await t.close()
})
afterEach(() => t.emptyPlaces())

/** The rows of every table but those of the audit log. */
async function rowsOfAllTables(): Promise<Record<string, string>> {
  const one = (table: string) =>
    `select '${table}' as name, string_agg(r::text, E'\\n' order by r::text) as rows
     from punctual.${table} r`
  const { rows } = await t.sql.query(tables.map(one).join(' union all '))
  return Object.fromEntries(rows.map(({ name, rows: text }) => [name, text]))
}

async function entryIds(): Promise<ReadonlySet<string>> {
  const { rows } = await t.sql.query('select id from punctual.audit_log')
  return new Set(rows.map(({ id }) => id))
}

const all = async (lines: AsyncIterable<unknown>) => {
  for await (const _ of lines);
}
const facades = {
  jobs: () => client.jobs,
  calendars: () => client.jobs.calendars,
  runs: () => client.runs,
  queues: () => client.queues,
  limits: () => client.limits,
  stats: () => client.stats,
  workers: () => client.workers,
  deadLetters: () => client.deadLetters,
  groups: () => client.groups,
  audit: () => client.audit,
  secrets: () => client.secrets,
  tenants: () => client.tenants,
  apiKeys: () => client.apiKeys,
} as const

/** One call of every method that only reads. */
const reading: Calls = {
  jobs: {
    list: async (o) => () => o.client.jobs.list(),
    page: async (o) => () => o.client.jobs.page(),
    get: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.get(job)
    },
    inspect: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.inspect(job)
    },
    preview: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.preview(job)
    },
    slots: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.slots(job)
    },
    slotPage: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.slotPage(job)
    },
    explain: async (o) => {
      const job = await o.job()
      return () => o.client.jobs.explain(job)
    },
  },
  calendars: {
    list: async (o) => () => o.client.jobs.calendars.list(),
    get: async (o) => () => o.client.jobs.calendars.get('none'),
    page: async (o) => () => o.client.jobs.calendars.page(),
  },
  runs: {
    list: async (o) => () => o.client.runs.list(),
    page: async (o) => () => o.client.runs.page(),
    count: async (o) => () => o.client.runs.count(),
    get: async (o) => {
      const id = await o.run()
      return () => o.client.runs.get(id)
    },
    logs: async (o) => {
      const id = await o.run()
      return () => o.client.runs.logs(id)
    },
    explain: async (o) => {
      const id = await o.run()
      return () => o.client.runs.explain(id)
    },
    waitFor: async (o) => {
      const id = await o.deadLetter()
      return () => o.client.runs.waitFor(id)
    },
  },
  queues: {
    list: async (o) => () => o.client.queues.list(),
    pauses: async (o) => () => o.client.queues.pauses(),
  },
  limits: { list: async (o) => () => o.client.limits.list() },
  stats: {
    recent: async (o) => () => o.client.stats.recent(),
    report: async (o) => () => o.client.stats.report(),
  },
  workers: {
    present: async (o) => () => o.client.workers.present(),
    list: async (o) => () => o.client.workers.list(),
    waitUntilDrained: async (o) => () => o.client.workers.waitUntilDrained('1'),
  },
  deadLetters: {
    list: async (o) => () => o.client.deadLetters.list(),
    page: async (o) => () => o.client.deadLetters.page({}),
    causes: async (o) => () => o.client.deadLetters.causes(),
    get: async (o) => {
      const id = await o.deadLetter()
      return () => o.client.deadLetters.get(id)
    },
  },
  groups: {
    list: async (o) => () => o.client.groups.list(),
    handle: async (o) => {
      const id = await o.group()
      return () => o.client.groups.handle(id)
    },
    get: async (o) => {
      const id = await o.group()
      return () => o.client.groups.get(id)
    },
    runs: async (o) => {
      const id = await o.group()
      return () => o.client.groups.runs(id)
    },
    waitFor: async (o) => {
      const { id } = await o.client.groups.submit({ runs: [] })
      return () =>
        expect(o.client.groups.waitFor(id, { timeoutMs: 0 })).rejects.toMatchObject({
          code: 'wait_timeout',
        })
    },
  },
  audit: {
    list: async (o) => () => o.client.audit.list(),
    verify: async (o) => () => o.client.audit.verify(),
  },
  secrets: { list: async (o) => () => o.client.secrets.list() },
  tenants: {
    list: async (o) => () => o.client.tenants.list(),
    get: async (o) => () => o.client.tenants.get(1),
    usage: async (o) => () => o.client.tenants.usage(1),
    export: async (o) => () => all(o.client.tenants.export(1)),
  },
  apiKeys: {
    list: async (o) => () => o.client.apiKeys.list(),
    get: async (o) => {
      const id = await o.key()
      return () => o.client.apiKeys.get(id)
    },
  },
}

/** Performs the call, and returns which tables it changed and how many entries it left. */
async function effectOf(prepare: Prepare) {
  const call = await prepare(o)
  const [before, entries] = [await rowsOfAllTables(), await entryIds()]
  await call()
  const [after, left] = [await rowsOfAllTables(), await entryIds()]
  return {
    tables: tables.filter((table) => before[table] !== after[table]),
    entries: [...left].filter((id) => !entries.has(id)).length,
  }
}

const rowsOf = (calls: Calls) =>
  Object.entries(calls).flatMap(([facade, methods]) =>
    Object.entries(methods).map(([method, prepare]) => ({ name: `${facade}.${method}`, prepare })),
  )

describe('the audit log and the methods of the library', () => {
  it.each(Object.keys(facades) as (keyof typeof facades)[])(
    'every method of %s is listed',
    (name) => {
      const methods: string[] = []
      for (
        let prototype = Object.getPrototypeOf(facades[name]());
        prototype !== Object.prototype;
        prototype = Object.getPrototypeOf(prototype)
      )
        methods.push(...Object.getOwnPropertyNames(prototype))
      const listed = [changing, submitting, reading].flatMap((calls) =>
        Object.keys(calls[name] ?? {}),
      )
      const own = new Set(methods.filter((method) => method !== 'constructor'))
      expect([...own].sort()).toEqual(listed.sort())
    },
  )

  it.each(rowsOf(changing))('$name changes rows and records it', async ({ prepare }) => {
    const effect = await effectOf(prepare)
    expect(effect.tables).not.toEqual([])
    expect(effect.entries).toBeGreaterThan(0)
  })

  it.each(rowsOf(submitting))('$name submits runs, which is not recorded', async ({ prepare }) => {
    const effect = await effectOf(prepare)
    expect(effect.tables).toContain('runs')
    expect(effect.entries).toBe(0)
  })

  it.each(rowsOf(reading))('$name changes no row and records nothing', async ({ prepare }) => {
    expect(await effectOf(prepare)).toEqual({ tables: [], entries: 0 })
  })

  it('no facade object has methods besides those of its class', () => {
    for (const facade of Object.values(facades))
      for (const name of Object.getOwnPropertyNames(facade())) expect(name).toBe('calendars')
  })
})

/**
 * Lists of a tenant behind row security do not walk the rows of other tenants: a limit counts only
 * rows that the policies show, so an index in the wrong order reads everything before it is met.
 */
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RunPages } from '../../src/runs/pages/run-pages.ts'

const FOREIGN = 20_000
const OWN = 30
const LIVE = 15
/** The own rows, each read in several tables and by several statements, and catalogues. */
const READ_MAX = 2_000

let t: TestStore
let own = 0
let pages: RunPages

beforeAll(async () => {
  t = await TestStore.open()
  await t.store.check()
  own = (await t.store.tenants.create('own', { by: null, note: null }, {})).id
  pages = new RunPages(t.store.database, { crowd: FOREIGN / 2 })
  for (const [tenantId, number] of [
    [own, OWN],
    [1, FOREIGN],
  ] as const) {
    for (let sent = 0; sent < number; sent += 2_000) {
      const runs = Array.from({ length: Math.min(2_000, number - sent) }, () =>
        makeSubmission(compileOptions('h'), 'null'),
      )
      await t.store.submit(runs, { tenantId })
    }
  }
  // All have ended, and half of them dead, as most of the history of an installation.
  await t.sql.query(
    `insert into punctual.outcomes (run_id, finished_at, tenant_id, lane, state, attempt, crashes)
     select run_id, clock_timestamp(), tenant_id, lane, 1 + (row_number() over ()) % 2, 1, 0 from punctual.queue`,
  )
  await t.sql.query(
    `insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, reason, fingerprint)
     select run_id, finished_at, tenant_id, lane, 'test', 'test' from punctual.outcomes where state = 2`,
  )
  await t.sql.query('delete from punctual.queue')
  await t.sql.query(
    `insert into punctual.groups (id, created_at, tenant_id)
     select gen_random_uuid(), now(), case when n <= ${OWN} then ${own} else 1 end from generate_series(1, ${FOREIGN}) n`,
  )
  await fillPlaces()
  await t.sql.query('analyze')
})
afterAll(() => t.close())

/** Puts live runs of both tenants into each place, each own run into one. */
async function fillPlaces() {
  const places = {
    later: [`due_at`, `now() + interval '1 hour'`],
    parked: [`parked_at`, `now()`],
    queue: [`pos`, `0`],
    leases: [`fence, session_id, claimed_at`, `1, 1, now()`],
  } as const
  const live = Array.from({ length: LIVE * 4 }, () => makeSubmission(compileOptions('h'), 'null'))
  await t.store.submit(live, { tenantId: own })
  const { rows } = await t.sql.query('delete from punctual.queue returning run_id')
  for (const [place, [columns, values]] of Object.entries(places)) {
    const ids = rows.splice(0, LIVE).map(({ run_id }) => run_id)
    await t.sql.query(
      `insert into punctual.${place} (run_id, tenant_id, lane, attempt, crashes, traits, ${columns})
       select id, tenant_id, lane, 0, 0, 0, ${values} from punctual.runs where id = any ($2)
       union all
       select run_id, tenant_id, lane, 0, 0, 0, ${values} from punctual.outcomes where tenant_id <> $1`,
      [own, ids],
    )
  }
}

/** How many rows of tables and indexes the work reads, as the tenant. */
function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const text = `
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer
    from pg_stat_xact_user_tables where schemaname = 'punctual'`
  const read = async () =>
    Number((await t.store.database.control.query({ name: '', text }))[0]?.[0])
  return t.store.asTenant(own, () =>
    t.store.transaction(async () => {
      const before = await read()
      await work()
      return (await read()) - before
    }),
  )
}

const newest = { order: 'newest', limit: 20, cursor: undefined } as const
const ended = { ...newest, order: 'ended' } as const
const page =
  (filter: object, order: typeof newest | typeof ended = newest) =>
  async () => {
    const { runs } = await pages.page(filter, order, own)
    expect(runs.length).toBeGreaterThan(10)
  }

const counted = async (filter: object, expected: number) => {
  const { count } = await pages.count(filter, { by: 'state' } as never, own)
  expect(count).toBe(expected)
}

it.each([
  ['runs, newest first', page({})],
  ['runs that succeeded', page({ states: ['succeeded'] })],
  ['runs that died', page({ states: ['dead'] })],
  ['runs that died, by their end', page({ states: ['dead'] }, ended)],
  ['runs that are scheduled or queued', page({ states: ['scheduled', 'queued'] })],
  ['runs that are queued', page({ states: ['queued'] })],
  ['runs that wait', page({ states: ['waiting'] })],
  ['runs that run', page({ states: ['running'] })],
  ['runs that run or died', page({ states: ['running', 'dead'] })],
  ['counts of live runs', () => counted({ states: ['queued', 'waiting'] }, 2 * LIVE)],
  ['runs of a handler', page({ handler: 'h' })],
  ['counts of runs', () => pages.count({}, { by: 'state' } as never, own)],
  ['groups', () => t.store.groups.reader.list({ limit: 20 } as never, own)],
] as const)('%s: reads few rows of other tenants', async (_, work) => {
  expect(await rowsRead(work)).toBeLessThan(READ_MAX)
})

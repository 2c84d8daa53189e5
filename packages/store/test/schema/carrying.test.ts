/** Live runs of days beyond the retention move while everybody else submits, ends and reads runs. */
import { RunIdSource } from '@punctual/core/run'
import { systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import type pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DAY_MS, dayName, dayStart } from '../../src/connection/day-names.ts'
import { ensureDay } from '../../src/schema/partitions.ts'
import { dropDays } from '../../src/schema/retention.ts'

const RUNS = 3_000
/** More than the few runs that change between the last round and the lock. */
const COPIED_UNDER_LOCK_MAX = 10

let t: TestStore
let client: pg.Client
beforeEach(async () => {
  t = await TestStore.open()
  await t.store.check()
  client = await t.store.database.connect()
})
afterEach(async () => {
  await client.end()
  await t.close()
})

const now = () => Math.floor(t.store.database.clock.nowMs())
// waits: between two batches, as the product does
const sleep = (ms: number) => systemClock.sleep(ms)

/** Inserts runs that wait for years, submitted this many days ago, in the order of their ids. */
async function oldRuns(daysBack: number, number = RUNS): Promise<string[]> {
  const at = dayStart(Date.now()) - daysBack * DAY_MS + 1_000
  await ensureDay(client, 'punctual', at, sleep)
  const source = new RunIdSource(systemRandom)
  const ids = Array.from({ length: number }, () => source.next(at)).sort()
  await t.submit()
  const lane = (await t.lanes())[0]?.id
  await t.sql.query(
    `insert into punctual.runs (id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload)
     select id, now(), now(), 1, $2, 1000, 3, 0, '"old"' from unnest($1::uuid[]) as i (id)`,
    [ids, lane],
  )
  await t.sql.query(
    `insert into punctual.later select id, now() + interval '1 year', 1, $2, 0, 0, 0 from unnest($1::uuid[]) as i (id)`,
    [ids, lane],
  )
  return ids
}

/** How many rows this client inserts while it holds the locks of detached partitions. */
function watchLocked(): { inserted: number } {
  const seen = { inserted: 0 }
  const query = client.query.bind(client) as (
    text: string,
    values?: unknown[],
  ) => Promise<pg.QueryResult>
  let locked = false
  const watched = async (text: string, values?: unknown[]) => {
    if (/detach partition/.test(text)) locked = true
    if (/^(commit|rollback)/.test(text)) locked = false
    const result = await query(text, values)
    if (locked && /^insert/.test(text)) seen.inserted += result.rowCount ?? 0
    return result
  }
  Object.assign(client, { query: watched })
  return seen
}

async function leftovers(): Promise<string[]> {
  const { rows } = await t.sql.query(
    `select relname from pg_class where relkind = 'r' and (relname like '%carried\\_next%' or relname like '%carried\\_old%')`,
  )
  return rows.map(({ relname }) => relname)
}

it('submissions and cancels proceed while many live runs are carried, and none is lost', async () => {
  await oldRuns(97, 400)
  const ids = await oldRuns(95)
  const day = dayName(dayStart(Date.now()) - 95 * DAY_MS)
  const locked = watchLocked()
  const during: string[] = []
  const [first, last] = [ids[0] as string, ids.at(-1) as string]
  await dropDays(client, 'punctual', now(), 90, async (ms) => {
    during.push(await t.submit())
    // One has been copied already, the other has not; the requests of tenants change them too.
    const ended = [first, last][during.length - 1]
    if (ended) await t.store.asTenant(1, () => t.store.steering.cancel([ended], 'test'))
    // waits: between two batches, as the product does
    await sleep(ms)
  })
  expect(during.length).toBeGreaterThan(5)
  expect(locked.inserted).toBeLessThan(COPIED_UNDER_LOCK_MAX)
  expect(await t.store.runs.find(first)).toMatchObject({ state: 'cancelled', payload: 'old' })
  expect(await t.store.runs.find(last)).toMatchObject({ state: 'cancelled', payload: 'old' })
  const { rows } = await t.sql.query(
    'select count(*)::integer as n from punctual.later w join punctual.runs_carried r on r.id = w.run_id',
  )
  expect(rows[0].n).toBe(400 + RUNS - 2)
  const { rows: gone } = await t.sql.query(`select to_regclass('punctual.runs_${day}') as name`)
  expect(gone[0].name).toBeNull()
  expect(await leftovers()).toEqual([])
})

it('carrying that was interrupted at any point starts again and loses nothing', async () => {
  const ids = await oldRuns(95, 1_200)
  let pauses = 0
  const stop = async () => {
    if (++pauses === 2) throw new Error('stopped')
  }
  await expect(dropDays(client, 'punctual', now(), 90, stop)).rejects.toThrow('stopped')
  await t.store.steering.cancel([ids[0] as string], 'test')
  await dropDays(client, 'punctual', now(), 90, sleep)
  expect(await leftovers()).toEqual([])
  // It had ended when carrying started again, and its day is beyond the retention.
  expect(await t.store.runs.find(ids[0] as string)).toBeNull()
  expect(await t.store.runs.find(ids[1_199] as string)).toMatchObject({ state: 'scheduled' })
  const { rows } = await t.sql.query('select count(*)::integer as n from punctual.carried_changes')
  expect(rows[0].n).toBe(0)
})

it('two nodes that carry the same day at the same time lose nothing', async () => {
  await oldRuns(95, 2_000)
  const other = await t.store.database.connect()
  try {
    await Promise.all([client, other].map((c) => dropDays(c, 'punctual', now(), 90, sleep)))
  } finally {
    await other.end()
  }
  const { rows } = await t.sql.query(
    'select count(*)::integer as n from punctual.later w join punctual.runs_carried r on r.id = w.run_id',
  )
  expect(rows[0].n).toBe(2_000)
  expect(await leftovers()).toEqual([])
})

it('carried tables have row security as soon as they exist', async () => {
  const [id] = await oldRuns(95, 1)
  await dropDays(client, 'punctual', now(), 90, sleep)
  const { id: other } = await t.store.tenants.create('other', { by: null, note: null }, {})
  const seen = (tenantId: number) =>
    t.store.asTenant(tenantId, () =>
      t.store.database.control.query({ name: '', text: 'select id from punctual.runs_carried' }),
    )
  expect([await seen(1), await seen(other)]).toEqual([[[id]], []])
})

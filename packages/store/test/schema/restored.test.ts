/** A database that was copied, restored or moved to another machine keeps all identities. */
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('primary keys of slots and runs are instants and UUIDs, which no collation sorts (case 70)', async () => {
  const { rows } = await t.sql.query(
    `select c.relname as of, string_agg(format_type(a.atttypid, null), ', ' order by a.attnum) as types
     from pg_index i
     join pg_class c on c.oid = i.indrelid
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
     where i.indisprimary and i.indrelid in (
       'punctual.slots'::regclass, 'punctual.runs'::regclass, 'punctual.queue'::regclass, 'punctual.leases'::regclass,
       'punctual.outcomes'::regclass, 'punctual.cursors'::regclass)
     group by 1 order by 1`,
  )
  expect(rows).toEqual([
    { of: 'cursors', types: 'uuid' },
    { of: 'leases', types: 'uuid' },
    { of: 'outcomes', types: 'uuid' },
    { of: 'queue', types: 'uuid' },
    { of: 'runs', types: 'uuid' },
    { of: 'slots', types: 'timestamp with time zone, uuid' },
  ])
})

it('sequences that lag behind their rows, as after a copy of rows, stop nothing (case 73)', async () => {
  for (const queue of ['a', 'b', 'c', 'd', 'e']) await t.submit({ queue })
  await t.job({ name: 'first', every: '1h' })
  const { rows } = await t.sql.query(
    `select format('alter sequence %I.%I restart', schemaname, sequencename) as restart
     from pg_sequences where schemaname = 'punctual'`,
  )
  for (const { restart } of rows) await t.sql.query(restart)
  const moved = t.another()
  const before = await t.count('runs')
  for (const queue of ['f', 'g']) {
    const id = await t.submit({ queue })
    expect(await moved.runs.find(id)).toMatchObject({ state: 'queued', queue })
  }
  expect(await t.count('runs')).toBe(before + 2)
  expect(await t.job({ name: 'second', every: '2h' })).not.toBe(
    await t.job({ name: 'first', every: '1h' }),
  )
})

it('a slot deleted by the retention is not planned again when the clock goes back (case 69)', async () => {
  const jobId = await t.job({ name: 'kept', every: '5s' })
  let nowMs = Date.now()
  const planner = () => plannerOf({ store: t.store, alone: true, nowMs: () => nowMs })
  await planAll(planner())
  const before = await ledgerOf(t, jobId)
  expect(before.length).toBeGreaterThan(2)
  for (const table of ['queue', 'runs', 'slots'])
    await t.sql.query(`delete from punctual.${table} where job_id = $1`, [jobId])
  nowMs -= 3_600_000
  await planAll(planner())
  expect(await ledgerOf(t, jobId)).toEqual([])
  nowMs += 3_600_000 + 15_000
  await planAll(planner())
  const after = await ledgerOf(t, jobId)
  expect(after.length).toBeGreaterThan(0)
  expect(after[0]?.slotMs).toBeGreaterThan(before.at(-1)?.slotMs as number)
})

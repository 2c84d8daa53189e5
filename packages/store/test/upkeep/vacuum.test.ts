import { TestStore } from '@punctual/testkit'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'

const MANY = 60_000

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

/** Leaves dead rows, and their count in the statistics. */
async function leaveDeadRows() {
  await t.sql.query(
    `insert into punctual.key_windows (tenant_id, key, used_at)
     select 1, n::text, now() from generate_series(1, $1::integer) n`,
    [MANY],
  )
  await t.sql.query('delete from punctual.key_windows')
  await t.sql.query('select pg_stat_force_next_flush()')
  await t.sql.query('select 1')
}

it('a hot table with many dead rows is vacuumed', async () => {
  await leaveDeadRows()
  expect(await t.store.upkeep.vacuumHotTables()).toEqual(['key_windows'])
  expect(await t.store.upkeep.vacuumHotTables()).toEqual([])
})

it('a table is not vacuumed again while a transaction from before its last vacuum is open', async () => {
  const report = new pg.Client({ connectionString: t.url })
  await report.connect()
  try {
    await report.query('begin isolation level repeatable read')
    await report.query('select 1')
    await leaveDeadRows()
    expect(await t.store.upkeep.vacuumHotTables()).toEqual(['key_windows'])
    // The rows are still there: nothing could be removed.
    expect(await t.store.upkeep.vacuumHotTables()).toEqual([])
    await report.query('commit')
    expect(await t.store.upkeep.vacuumHotTables()).toEqual(['key_windows'])
  } finally {
    await report.end()
  }
})

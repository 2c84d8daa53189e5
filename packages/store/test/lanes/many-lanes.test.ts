/**
 * The cost of a claim when a tenant has many lanes, pauses and limits: counted in visits of indexes,
 * without a clock.
 */
import { PunctualError } from '@punctual/core/errors'
import { compileOptions, makeSubmission } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

/** How often, and on how many entries, the connection of claims has visited these indexes. */
async function visits(indexes: readonly string[]): Promise<{ scans: number; entries: number }> {
  const flush = { name: '', text: 'select pg_stat_force_next_flush()' }
  const { claim } = t.store.database
  await claim.query(flush)
  await claim.query(flush)
  const { rows } = await t.sql.query(
    `select sum(idx_scan)::integer as scans, sum(idx_tup_read)::integer as entries
     from pg_stat_user_indexes where indexrelname = any ($1)`,
    [indexes],
  )
  return rows[0]
}

it('a search for lanes with runs visits those that have some, not those that exist', async () => {
  await t.sql.query(
    `insert into punctual.lanes (tenant_id, queue, handler, priority)
     select 1, 'queue ' || i, 'test', 5 from generate_series(1, 900) i`,
  )
  await t.submit({ queue: 'queue 7' })
  await t.submit({ queue: 'queue 7' })
  const later = new Date(Date.now() + 20_000)
  await t.submit({ queue: 'queue 800', runAt: later })
  const before = await visits(['queue_lane_pos'])
  const found = await t.store.work.lanesWithRuns()
  const after = await visits(['queue_lane_pos'])
  expect(found.map(({ dueInMs }) => dueInMs > 0)).toEqual([false, true])
  const { rows } = await t.sql.query(
    `select id from punctual.lanes where queue in ('queue 7', 'queue 800') order by id`,
  )
  expect(found.map(({ lane }) => lane)).toEqual(rows.map(({ id }) => id))
  expect(after.scans - before.scans).toBeLessThanOrEqual(found.length + 1)
})

it('a claim finds the pause and the limit of a queue among a thousand of others', async () => {
  const session = await t.session()
  for (let i = 0; i < 20; i++) await t.submit({ queue: `queue ${i}` })
  await t.sql.query(
    `insert into punctual.pauses (tenant_id, queue, paused_at)
     select 1, 'other ' || i, now() from generate_series(1, 1000) i`,
  )
  await t.sql.query(
    `insert into punctual.limits (tenant_id, queue, concurrency, set_at)
     select 1, 'other ' || i, 5, now() from generate_series(1, 1000) i`,
  )
  const indexes = [
    ...['pauses_by_queue', 'limits_by_queue', 'limits_tenant_id_queue_key'],
    'pauses_tenant_id_queue_of_suspension_key',
  ]
  const before = await visits(indexes)
  const { runs } = await t.claim(session, 100)
  expect(runs.length).toBe(20)
  const entries = (await visits(indexes)).entries - before.entries
  expect(entries).toBeLessThan(20)
})

it('a paused or limited queue is found by the new probes as well: its own, and that of all', async () => {
  const session = await t.session()
  for (const queue of ['a', 'b']) await t.submit({ queue })
  await t.sql.query(
    `insert into punctual.pauses (tenant_id, queue, paused_at) values (1, 'a', now())`,
  )
  expect((await t.claim(session, 10)).runs.map(({ queue }) => queue)).toEqual(['b'])
  await t.sql.query('delete from punctual.pauses')
  await t.sql.query(
    `insert into punctual.pauses (tenant_id, queue, paused_at) values (1, null, now())`,
  )
  expect((await t.claim(session, 10)).runs).toEqual([])
  await t.sql.query('delete from punctual.pauses')
  await t.sql.query(
    `insert into punctual.limits (tenant_id, queue, concurrency, set_at) values (1, null, 5, now())`,
  )
  expect((await t.claim(session, 10)).runs).toMatchObject([{ queue: 'a', limited: true }])
})

it('a tenant has as many lanes as its quota says', async () => {
  await t.sql.query(`update punctual.tenants set quotas = '{"lanes": 2}' where id = 1`)
  const submit = (queue: string) =>
    t.store.submit([makeSubmission(compileOptions('test', { queue }), '1')])
  await submit('one')
  await submit('two')
  await submit('one')
  const refused = await submit('three').catch((error) => error)
  expect(refused).toBeInstanceOf(PunctualError)
  expect(refused).toMatchObject({ code: 'lanes_exhausted' })
  expect(refused.message).toContain('has 2 combinations')
})

/** A claim respects its limit under any plan, and leaves nothing behind when it is interrupted. */
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(async () => {
  await t.sql.query('reset all')
  await t.emptyPlaces()
})
afterAll(() => t.close())

const plans = [
  ['nested loops', 'set enable_hashjoin = off; set enable_mergejoin = off'],
  ['hash joins', 'set enable_nestloop = off'],
  ['sequential scans', 'set enable_indexscan = off; set enable_bitmapscan = off'],
] as const
const forms = ['work/claim-runs', 'work/claim-controlled-runs']

it.each(plans.flatMap(([plan, settings]) => forms.map((form) => [form, plan, settings] as const)))(
  '%s of ten takes at most ten runs with a plan of %s (case 65)',
  async (form, _, settings) => {
    for (const queue of ['a', 'b', 'c']) for (let i = 0; i < 20; i++) await t.submit({ queue })
    const session = await t.session()
    const claim = t.store.database.statements.onDay(form, Date.now()).text
    const lanes = await t.sql.query('select id from punctual.lanes order by id')
    const given = lanes.rows.map(({ id }) => id)
    await t.sql.query(`analyze punctual.queue; ${settings}`)
    await t.sql.query(claim, [
      session,
      1,
      given,
      given.map(() => 0),
      given.map(() => 0),
      10,
      given.map(() => 1),
      null,
    ])
    expect(await t.count('leases')).toBe(10)
    expect(await t.count('queue')).toBe(50)
  },
)

it('a claim whose connection dies before the commit leaves the run queued (case 6)', async () => {
  const session = await t.session()
  const id = await t.submit()
  await t.sql.query('begin')
  await t.sql.query('select from punctual.sessions where id = $1 for update', [session])
  const claim = t.claim(session).then(
    () => 'claimed',
    () => 'failed',
  )
  const waiting = `select pid from pg_stat_activity
    where pg_backend_pid() = any (pg_blocking_pids(pid)) and application_name like 'punctual%'`
  let pid = 0
  await eventually('the claim waits for its session', async () => {
    await t.sql.query('select pg_stat_clear_snapshot()')
    pid = (await t.sql.query(waiting)).rows[0]?.pid ?? 0
    return pid !== 0
  })
  await t.sql.query('select pg_terminate_backend($1)', [pid])
  expect(await claim).toBe('failed')
  await t.sql.query('commit')
  expect(await t.places(id)).toEqual(['queue'])
  // Another process, because this one may not have detected yet that its connection is dead.
  const { runs } = await t.claim(session, 1, t.another())
  expect(runs).toMatchObject([{ id, attempt: 0, crashes: 0 }])
})

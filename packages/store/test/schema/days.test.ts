import { RunIdSource, runIdTimeMs } from '@punctual/core/run'
import { compileOptions } from '@punctual/core/submit'
import { systemClock, systemRandom } from '@punctual/store'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DAY_MS, dayName, dayStart } from '../../src/connection/day-names.ts'
import { ensureDay, listDays } from '../../src/schema/partitions.ts'
import { dropDays } from '../../src/schema/retention.ts'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

const now = () => Math.floor(t.store.database.clock.nowMs())
const client = () => t.store.database.connect()
// waits: between two attempts at DDL, as the product does
const pause = (ms: number) => systemClock.sleep(ms)

it('migrating creates the partitions from yesterday to fourteen days ahead (case 68)', async () => {
  const c = await client()
  const { complete, partial } = await listDays(c, 'punctual')
  await c.end()
  expect(partial).toEqual([])
  expect(complete.at(0)).toBe(dayName(Date.now() - DAY_MS))
  expect(complete.at(-1)).toBe(dayName(Date.now() + 14 * DAY_MS))
})

it('a submission creates the partition that it misses, and succeeds (case 68)', async () => {
  const day = dayName(Date.now())
  for (const table of ['runs', 'outcomes', 'attempts', 'run_logs'])
    await t.sql.query(`drop table punctual.${table}_${day}`)
  await expect(t.store.check()).rejects.toMatchObject({ code: 'partition_missing' })
  const id = await t.submit()
  expect(await t.places(id)).toEqual(['queue'])
  await t.store.check()
})

it('a check with makeDays creates all partitions after an installation was off for too long', async () => {
  for (let ahead = -1; ahead <= 14; ahead++)
    for (const table of ['runs', 'outcomes', 'attempts', 'run_logs'])
      await t.sql.query(`drop table punctual.${table}_${dayName(Date.now() + ahead * DAY_MS)}`)
  await expect(t.store.check()).rejects.toMatchObject({ code: 'partition_missing' })
  await t.store.check({ makeDays: true })
  await t.store.check()
})

it('five nodes can create the same partition at the same time', async () => {
  const dayMs = dayStart(Date.now()) + 40 * DAY_MS
  const clients = await Promise.all(Array.from({ length: 5 }, client))
  await Promise.all(clients.map((c) => ensureDay(c, 'punctual', dayMs, pause)))
  const { complete } = await listDays(clients[0] as (typeof clients)[0], 'punctual')
  expect(complete).toContain(dayName(dayMs))
  await Promise.all(clients.map((c) => c.end()))
})

it('creating a partition does not block submissions while a user transaction is open', async () => {
  await t.submit()
  await t.sql.query('begin')
  await t.sql.query('select count(*) from punctual.runs')
  const c = await client()
  const making = ensureDay(c, 'punctual', dayStart(Date.now()) + 41 * DAY_MS, pause)
  const id = await t.submit()
  expect(await t.places(id)).toEqual(['queue'])
  await t.sql.query('commit')
  await making
  await c.end()
})

/** Inserts a run into the partition of `daysBack` days ago, with its outcome or still waiting. */
async function oldRun(daysBack: number, live: boolean): Promise<string> {
  const at = dayStart(Date.now()) - daysBack * DAY_MS + 1_000
  const c = await client()
  await ensureDay(c, 'punctual', at, pause)
  await c.end()
  const id = new RunIdSource(systemRandom).next(at)
  await t.submit()
  const lane = (await t.lanes())[0]?.id
  await t.sql.query(
    `insert into punctual.runs (id, due_at, created_at, tenant_id, lane, timeout_ms, max_attempts, traits, payload)
     values ($1, now(), now(), 1, $2, 1000, 3, 0, '"old"')`,
    [id, lane],
  )
  if (live)
    await t.sql.query(
      `insert into punctual.later values ($1, now() + interval '1 year', 1, $2, 0, 0, 0)`,
      [id, lane],
    )
  else
    await t.sql.query(
      `insert into punctual.outcomes (run_id, finished_at, tenant_id, lane, state, attempt, crashes) values ($1, now() - interval '95 days', 1, $2, 1, 1, 0)`,
      [id, lane],
    )
  return id
}

it('partitions beyond the retention are dropped with their ended runs', async () => {
  const id = await oldRun(95, false)
  const kept = await oldRun(80, false)
  const c = await client()
  expect(await dropDays(c, 'punctual', now(), 90, pause)).toEqual([dayName(runIdTimeMs(id))])
  await c.end()
  expect(await t.store.runs.find(id)).toBeNull()
  expect(await t.store.runs.find(kept)).toMatchObject({ state: 'succeeded' })
})

it('live runs of a dropped partition are found, claimed, settled and swept like any other', async () => {
  const older = await oldRun(97, true)
  const old = await oldRun(95, true)
  const ended = await oldRun(95, false)
  const c = await client()
  await dropDays(c, 'punctual', now(), 90, pause)
  expect((await listDays(c, 'punctual')).complete).not.toContain(dayName(runIdTimeMs(old)))
  await c.end()
  expect(await t.store.runs.find(ended)).toBeNull()
  for (const id of [older, old]) {
    expect(await t.store.runs.find(id)).toMatchObject({ state: 'scheduled', payload: 'old' })
    expect(await t.store.steering.reschedule([id], Date.now())).toEqual(new Set([id]))
  }
  const session = await t.session()
  const { runs } = await t.claim(session, 100)
  const carried = runs.filter((run) => run.id === old || run.id === older)
  expect(carried.map((run) => run.payload)).toEqual(['"old"', '"old"'])
  expect(
    await t.store.work.settle(
      session,
      carried.map((run) => succeeded(run)),
    ),
  ).toEqual([])
  expect(await t.store.runs.find(old)).toMatchObject({ state: 'succeeded' })
  await t.sql.query(
    `update punctual.outcomes set finished_at = now() - interval '91 days' where run_id = $1`,
    [old],
  )
  await t.store.upkeep.sweep(90)
  expect(await t.store.runs.find(old)).toBeNull()
  expect(await t.store.runs.find(older)).toMatchObject({ state: 'succeeded' })
})

it('dropping a partition deletes the checkpoints of ended runs and keeps those of live runs', async () => {
  const live = await oldRun(95, true)
  const ended = await oldRun(95, false)
  await t.sql.query(
    `insert into punctual.checkpoints select run_id, now(), 1, 1, '"here"' from unnest($1::uuid[]) as i (run_id)`,
    [[live, ended]],
  )
  const c = await client()
  await dropDays(c, 'punctual', now(), 90, pause)
  await c.end()
  const kept = () => t.store.work.checkpoints([live, ended])
  expect(await kept()).toEqual(new Map([[live, '"here"']]))
  await t.store.steering.cancel([live], 'test')
  await t.sql.query(
    `update punctual.outcomes set finished_at = now() - interval '91 days' where run_id = $1`,
    [live],
  )
  await t.store.upkeep.sweep(90)
  expect(await kept()).toEqual(new Map())
})

it('dropping a partition deletes dead letters of its runs, however recent, except of carried runs', async () => {
  const [gone, carried, kept] = [
    await oldRun(95, false),
    await oldRun(95, true),
    await oldRun(80, false),
  ]
  for (const id of [gone, carried, kept])
    await t.sql.query(
      `insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, reason, fingerprint)
       select id, now() - interval '1 day', tenant_id, lane, 'test', 'test' from punctual.runs where id = $1`,
      [id],
    )
  const deadLetters = async () => {
    await t.store.upkeep.sweep(90)
    const found = await t.store.deadLetters.find([gone, carried, kept], 1)
    return found.map(({ id }) => id).sort()
  }
  expect(await deadLetters()).toEqual([gone, carried, kept].sort())
  const c = await client()
  await dropDays(c, 'punctual', now(), 90, pause)
  await c.end()
  expect(await deadLetters()).toEqual([carried, kept].sort())
})

it('a run due in ten years keeps the id of its submission until it is claimed', async () => {
  const [accepted] = await t.store.submit([
    { options: compileOptions('test', { runAt: '2036-02-29T12:00:00Z' }), payload: '1' },
  ])
  const id = accepted?.id as string
  expect(await t.store.runs.find(id)).toMatchObject({
    state: 'scheduled',
    dueAt: new Date('2036-02-29T12:00:00Z'),
  })
  expect((await t.store.runs.list({ states: ['scheduled'] })).map((run) => run.id)).toContain(id)
  await t.store.steering.reschedule([id], Date.now())
  const session = await t.session()
  expect((await t.claim(session)).runs[0]?.id).toBe(id)
})

it('a sweep deletes only rates that were not used for an hour', async () => {
  const us = (agoMs: number) => (Date.now() - agoMs) * 1_000
  await t.sql.query(
    `insert into punctual.rates (rate, next_us) values (1, ${us(7_200_000)}), (2, ${us(60_000)})`,
  )
  await t.store.upkeep.sweep(90)
  const { rows } = await t.sql.query('select rate::integer from punctual.rates order by rate')
  expect(rows).toEqual([{ rate: 2 }])
})

it('a sweep folds counters into minutes, and after an hour across sessions, losing no run', async () => {
  const session = await t.session()
  for (let i = 0; i < 5; i++)
    await t.store.work.settle(session, [succeeded(await t.running(session))])
  const folded = async (bucket: string, runs: number) => {
    await t.sql.query(`update punctual.counters set bucket_at = ${bucket}, runs = ${runs}`)
    // One more bucket of the same minute.
    await t.sql.query(
      `insert into punctual.counters select session_id, bucket_at + interval '10 s', tenant_id, lane, state, 2
       from punctual.counters`,
    )
    await t.store.upkeep.sweep(90)
    const { rows } = await t.sql.query(
      `select session_id, runs::int, bucket_at = date_trunc('minute', bucket_at) as minute
       from punctual.counters`,
    )
    return rows
  }
  await t.sql.query(
    'delete from punctual.counters where bucket_at < (select max(bucket_at) from punctual.counters)',
  )
  const minutesAgo = (minutes: number) =>
    `date_trunc('minute', clock_timestamp()) - interval '${minutes} minutes'`
  expect(await folded(minutesAgo(20), 5)).toEqual([{ session_id: session, runs: 7, minute: true }])
  expect(await folded(minutesAgo(70), 7)).toEqual([{ session_id: '0', runs: 9, minute: true }])
})

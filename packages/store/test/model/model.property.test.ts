/**
 * Random histories of submitters, workers, planners, reapers and users, and of races between them,
 * on the real store and on the store in memory, which is its model. After every step both agree and
 * all fifteen invariants hold. After every history all runs can end, and no key, job or place is
 * held.
 */
import { checkInvariants, installWitness, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PostgresStore } from '../../src/index.ts'
import { kinds, perform, stepOf } from '../memory/steps.ts'
import { Twins } from '../memory/twins.ts'
import { race, raced, races } from './races.ts'

const HISTORIES = 100
const STEPS_MAX = 40
const ROUNDS_MAX = 100
const RETENTION_DAYS = 7

let t: TestStore
let rival: PostgresStore
let wiper: pg.Client
const performed = new Set<string>()
beforeAll(async () => {
  t = await TestStore.open()
  await dropFarDays(t)
  await installWitness(t.sql)
  // Planning the model's statement takes five times as long as running it.
  await t.sql.query('set plan_cache_mode = force_generic_plan')
  wiper = new pg.Client({ connectionString: t.url })
  await wiper.connect()
  // Triggers do not fire in this role, so the witness does not record the deletes as history.
  await wiper.query('set session_replication_role = replica')
  rival = t.another()
})
afterAll(async () => {
  await wiper.end()
  await t.close()
})

/** No run here is later than tomorrow, and each read of history costs time for every partition. */
async function dropFarDays({ sql }: TestStore): Promise<void> {
  const far = await sql.query(
    `select string_agg(format('drop table punctual.%I', tablename), ';') as drops from pg_tables
     where schemaname = 'punctual' and tablename ~ '_\\d{8}$'
       and to_date(right(tablename, 8), 'YYYYMMDD') > current_date + 1`,
  )
  await sql.query(far.rows[0].drops)
}

async function wipe(): Promise<void> {
  await wiper.query(`
    do $$ declare wipe text; begin
      for wipe in
        select format('delete from %I.%I', schemaname, tablename) from pg_tables
        where schemaname = 'witness' or (schemaname = 'punctual' and tablename !~ '_\\d{8}$'
          and tablename not in ('tenants', 'lanes', 'timings', 'migrations'))
      loop
        execute wipe;
      end loop;
    end $$`)
}

/** Lifts all limits, reaps all workers, and lets a new worker run everything that is left. */
async function drain(): Promise<void> {
  await t.sql.query('delete from punctual.pauses; delete from punctual.limits')
  const { rows: sessions } = await t.sql.query(
    'select id::text from punctual.sessions where id <> 0',
  )
  for (const { id } of sessions) await t.expire(id)
  await t.reap(sessions.map(({ id }) => id))
  const session = await t.session()
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await t.sql.query(
      `select run_id from punctual.later union all
       select run_id from punctual.queue where pos >> 20 > extract(epoch from clock_timestamp()) * 1000`,
    )
    const ids = rows.map(({ run_id: id }) => id)
    if (ids.length > 0) await t.store.steering.cancelWaiting(ids, 'drained')
    await t.store.upkeep.resolveParked(0)
    const { runs } = await t.claim(session, 100)
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    if (runs.length === 0 && ids.length === 0 && (await live()) === 0) break
  }
  expect(await live(), 'everything has ended').toBe(0)
  for (const held of ['live_keys', 'job_holds', 'gated'])
    expect(await t.count(held), `${held} is empty`).toBe(0)
  expect(await checkInvariants(t.sql)).toEqual([])
}

async function live(): Promise<number> {
  let runs = 0
  for (const place of ['later', 'queue', 'parked', 'leases']) runs += await t.count(place)
  return runs
}

/** No run here is old enough for the retention. */
async function retain(): Promise<void> {
  expect(await t.store.upkeep.dropOldDays(RETENTION_DAYS)).toEqual([])
  await t.store.upkeep.sweep(RETENTION_DAYS)
}

// Plans and settlements are those that planners and workers make.
const { plan: _, settle, ...others } = kinds
const hows = fc.constantFrom(...(['ok', 'ok', 'fail', 'interrupt', 'dead', 'cancelled'] as const))
const steps = stepOf({
  ...others,
  settle: fc.record({ worker: fc.nat(2), pick: fc.nat(1_000), how: hows, batch: fc.boolean() }),
})
const history = fc.array(
  fc.oneof({ weight: 6, arbitrary: steps }, { weight: 1, arbitrary: raced }),
  { minLength: 10, maxLength: STEPS_MAX },
)

it(`the store keeps fifteen invariants and matches its model in ${HISTORIES} histories`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (taken) => {
      await wipe()
      const twins = await Twins.open(t)
      for (const step of taken) {
        await twins.pass()
        if (!('input' in step)) {
          if (await race(twins, rival, step)) performed.add(step.kind)
        } else {
          await perform(twins, step)
          performed.add(step.kind)
        }
        await twins.compare()
        expect(await checkInvariants(t.sql)).toEqual([])
      }
      await retain()
      await drain()
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  )
  // A history in which nothing happens proves nothing.
  expect([...performed].sort()).toEqual([...Object.keys(others), 'settle', ...races].sort())
}, 300_000)

/**
 * Random histories of submitters, workers, planners, reapers and users, and of races between them,
 * on the real store and on a model. After every command all fifteen invariants hold, and every run
 * is where the model says. After every history all runs can end, and no key or job is held.
 */
import { checkInvariants, installWitness, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changingCommands } from './changing.ts'
import { JOBS, jobCommands, makeJobs } from './jobs.ts'
import { raceCommands } from './races.ts'
import { steeringCommands } from './steering.ts'
import { workCommands } from './working.ts'
import type { Model, ModelWorker, Real } from './world.ts'

const HISTORIES = 200
const COMMANDS_MAX = 40
const WORKERS = 3
const ROUNDS_MAX = 100
const KINDS = [
  ...['claim', 'mark', 'settle', 'giveBack', 'crash', 'renew', 'reap', 'die', 'haunt'],
  ...['submit', 'cancel', 'reschedule', 'pass', 'promote', 'retain'],
  ...['hasten', 'reprioritise', 'rewrite'],
  ...['plan', 'edit', 'pause', 'resume', 'delete', 'trigger', 'resolve'],
  ...['settle against the reaper', 'settle against a cancel', 'claim against claim'],
  ...['claim against cancel', 'submit against submit', 'plan against pause'],
  'renew against the reaper',
]

let real: Real
let wiper: pg.Client
beforeAll(async () => {
  const t = await TestStore.open()
  await dropFarDays(t)
  await installWitness(t.sql)
  // Planning the model's statement takes five times as long as running it.
  await t.sql.query('set plan_cache_mode = force_generic_plan')
  wiper = new pg.Client({ connectionString: t.url })
  await wiper.connect()
  // Triggers do not fire in this role, so the witness does not record the deletes as history.
  await wiper.query('set session_replication_role = replica')
  real = { t, rival: t.another(), performed: new Map() }
})
afterAll(async () => {
  await wiper.end()
  await real.t.close()
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

/** An empty database, three workers and a job of each kind. */
async function begin(): Promise<Model> {
  const { t } = real
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
  const workers: ModelWorker[] = []
  for (let i = 0; i < WORKERS; i++)
    workers.push({ session: await t.session(600_000), alive: true, gone: false, held: [] })
  const model: Model = { runs: new Map(), workers, jobs: new Map(), aheadMs: 0 }
  await makeJobs(model, real, JOBS)
  return model
}

/** Cancels delayed runs, reaps all workers, and lets a new worker run everything that is left. */
async function drain(model: Model): Promise<void> {
  const { t } = real
  const sessions = model.workers.map(({ session }) => session)
  for (const session of sessions) await t.expire(session)
  await t.reap(sessions)
  const session = await t.session()
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { rows } = await t.sql.query(
      `select run_id from punctual.later union all
       select run_id from punctual.queue where pos >> 20 > extract(epoch from clock_timestamp()) * 1000`,
    )
    if (rows.length > 0)
      await t.store.steering.cancelWaiting(
        rows.map(({ run_id }) => run_id),
        'drained',
      )
    await t.store.upkeep.resolveParked(0)
    const { runs } = await t.claim(session, 100)
    await t.store.work.settle(
      session,
      runs.map((run) => succeeded(run)),
    )
    if (runs.length === 0 && rows.length === 0 && (await live()) === 0) break
  }
  expect(await live(), 'everything has ended').toBe(0)
  expect(await t.count('live_keys'), 'no key is held').toBe(0)
  expect(await t.count('job_holds'), 'no job is held').toBe(0)
  expect(await checkInvariants(t.sql)).toEqual([])
}

async function live(): Promise<number> {
  let runs = 0
  for (const place of ['later', 'queue', 'parked', 'leases']) runs += await real.t.count(place)
  return runs
}

const history = fc.commands(
  [
    fc.oneof(
      ...[...workCommands, ...steeringCommands, ...changingCommands],
      ...[...jobCommands, ...raceCommands],
    ),
  ],
  { maxCommands: COMMANDS_MAX, size: 'max' },
)

it(`the store keeps fifteen invariants and matches its model in ${HISTORIES} histories`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (commands) => {
      let model: Model | undefined
      await fc.asyncModelRun(async () => {
        model = await begin()
        return { model, real }
      }, commands)
      if (model) await drain(model)
    }),
    { numRuns: HISTORIES },
  )
  // A history in which nothing happens proves nothing.
  expect([...real.performed.keys()].sort()).toEqual([...KINDS].sort())
}, 300_000)

/**
 * Deadlocks, serialisation failures and server timeouts in every step that writes: each step is
 * retried within bounds and takes effect once. Triggers raise the faults where a real one would
 * strike: in the middle of a statement, when all earlier changes must be rolled back.
 */
import type { ClaimedRun } from '@punctual/core/ports'
import {
  checkInvariants,
  dead,
  installWitness,
  retry,
  succeeded,
  TestStore,
} from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { planAll, plannerOf } from '../kit/planning-kit.ts'

const FAULTS = {
  'a deadlock': '40P01',
  'a serialisation failure': '40001',
  'a lock timeout': '55P03',
  'a statement timeout': '57014',
}
/** How many times in a row the fault strikes. */
const STRIKES = 2
const TRIES_MAX = 5

let t: TestStore
let session: string
let jobId: string
beforeAll(async () => {
  t = await TestStore.open()
  await installWitness(t.sql)
  // No worker here claims its runs.
  jobId = await t.job({ name: 'struck', handler: 'planned', every: '5s' })
  await t.sql.query(`
    create sequence witness.strikes;
    create function witness.strike() returns trigger language plpgsql as $$ begin
      if nextval('witness.strikes') <= ${STRIKES} then
        raise exception using errcode = tg_argv[0], message = 'struck by the test';
      end if;
      return null;
    end $$`)
})
afterAll(() => t.close())
beforeEach(async () => {
  session = await t.session(600_000)
})

/** Retries after a transient fault, as workers and roles do. */
async function persist<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await step()
    } catch (error) {
      const isStruck = /struck by the test|submitting the same key/.test(String(error))
      if (attempt === TRIES_MAX || !isStruck) throw error
    }
}

type Settle = (run: ClaimedRun) => Parameters<typeof t.store.work.settle>[1][number]
const settle = (settlementOf: Settle) => {
  return async (run: ClaimedRun) =>
    expect(await t.store.work.settle(session, [settlementOf(run)])).toEqual([])
}

interface Step {
  readonly table: string
  readonly on: 'insert' | 'update' | 'delete'
  /** The place of the run afterwards. */
  readonly place: string | null
  readonly act: (run: ClaimedRun) => Promise<unknown>
}

/** Each step gets a leased run. */
const steps: Record<string, Step> = {
  'a success': { table: 'outcomes', on: 'insert', place: 'outcomes', act: settle(succeeded) },
  'a retry': { table: 'attempts', on: 'insert', place: 'queue', act: settle((r) => retry(r)) },
  'a far retry': {
    table: 'later',
    on: 'insert',
    place: 'later',
    act: settle((r) => retry(r, 1e7)),
  },
  'a death': { table: 'dead_letters', on: 'insert', place: 'outcomes', act: settle(dead) },
  'giving back': {
    ...{ table: 'queue', on: 'insert', place: 'queue' },
    act: (run) => t.store.work.giveBack([run]),
  },
  'a start mark': {
    ...{ table: 'leases', on: 'update', place: 'leases' },
    act: async (run) =>
      expect((await persist(() => t.store.work.markStarted([run]))).has(run.id)).toBe(true),
  },
  'a renewal': {
    ...{ table: 'sessions', on: 'update', place: 'leases' },
    act: async () =>
      expect(await persist(() => t.store.work.renewSession(session))).toEqual({ drains: false }),
  },
  'cancelling a running run': {
    ...{ table: 'leases', on: 'update', place: 'leases' },
    act: async (run) =>
      expect((await persist(() => t.store.steering.cancel([run.id], 'test'))).size).toBe(1),
  },
  'cancelling a waiting run': {
    ...{ table: 'outcomes', on: 'insert', place: 'leases' },
    act: async () => {
      const id = await t.submit({ handler: 'waiting' })
      expect((await persist(() => t.store.steering.cancel([id], 'test'))).size).toBe(1)
      expect(await t.places(id)).toEqual(['outcomes'])
    },
  },
  rescheduling: {
    ...{ table: 'later', on: 'insert', place: 'leases' },
    act: async () => {
      const id = await t.submit({ handler: 'waiting' })
      await persist(() => t.store.steering.reschedule([id], Date.now() + 1e7))
      expect(await t.places(id)).toEqual(['later'])
      await t.store.steering.cancel([id], 'over')
    },
  },
  promoting: {
    ...{ table: 'queue', on: 'insert', place: 'leases' },
    act: async () => {
      const id = await t.submit({ handler: 'waiting', delayMs: 1e7 })
      // A store that has promoted nothing yet, so that it begins at the head.
      const { upkeep } = t.another()
      await persist(() => upkeep.promote(2e7, 100))
      expect(await t.places(id)).toEqual(['queue'])
      await t.store.steering.cancel([id], 'over')
    },
  },
  'a checkpoint': {
    ...{ table: 'checkpoints', on: 'insert', place: 'leases' },
    act: async (run) =>
      expect(await persist(() => t.store.work.saveCheckpoint(run, '{"page":1}'))).toBe(true),
  },
  reaping: {
    ...{ table: 'attempts', on: 'insert', place: 'queue' },
    act: async () => {
      await t.expire(session)
      expect(await persist(() => t.reap([session]))).toMatchObject({ sessions: 1, returned: 1 })
    },
  },
  planning: {
    ...{ table: 'slots', on: 'insert', place: 'leases' },
    act: async () => {
      const before = await t.count('slots')
      const aheadMs = 20_000 + before * 5_000
      await persist(() => planAll(plannerOf({ store: t.store, alone: true, aheadMs })))
      expect(await t.count('slots')).toBeGreaterThan(before)
    },
  },
  'pausing and resuming': {
    ...{ table: 'cursors', on: 'update', place: 'leases' },
    act: async () => {
      const { steering } = t.store.schedules
      expect(await steering.pause(jobId, null, 1)).toBe(true)
      expect(await steering.resume(jobId, 1)).toBe(true)
    },
  },
}

async function struck(table: string, on: string, code: string, act: () => Promise<unknown>) {
  await t.sql.query(`alter sequence witness.strikes restart;
    create trigger strike after ${on} on punctual.${table} for each row execute function witness.strike('${code}')`)
  try {
    await act()
  } finally {
    await t.sql.query(`drop trigger strike on punctual.${table}`)
  }
  const { rows } = await t.sql.query('select last_value::int as times from witness.strikes')
  expect(rows[0].times, 'the step was struck and retried').toBeGreaterThan(STRIKES)
  expect(await checkInvariants(t.sql)).toEqual([])
}

describe.each(Object.entries(FAULTS))('after %s', (fault, code) => {
  it.each(Object.keys(steps))(
    `%s is retried after ${fault} and happens once (cases 57, 58)`,
    async (name) => {
      const { table, on, place, act } = steps[name] as Step
      const run = await t.running(session)
      await struck(table, on, code, () => act(run))
      expect(await t.places(run.id)).toEqual([place])
      await t.store.work.settle(session, [succeeded(run)])
      await t.store.steering.cancel([run.id], 'over')
    },
  )

  it.each(['without a key', 'with a key'])(
    `a submission %s is retried after ${fault} and creates one run (cases 57, 58)`,
    async (kind) => {
      const before = await t.count('runs')
      const key = kind === 'with a key' ? { key: `${code} ${before}` } : {}
      const table = kind === 'with a key' ? 'live_keys' : 'runs'
      // A key that cannot be locked in time is refused as busy; a caller with a key may retry.
      const submit = () => t.submit({ ...key, delayMs: 30_000 })
      await struck(table, 'insert', code, () => ('key' in key ? persist(submit) : submit()))
      expect(await t.count('runs')).toBe(before + 1)
    },
  )

  it(`a claim is retried after ${fault} and takes each run once (cases 57, 58)`, async () => {
    const ids = await Promise.all([1, 2, 3].map(() => t.submit()))
    const claimed: ClaimedRun[] = []
    await struck('leases', 'insert', code, async () => {
      const { runs } = await persist(() => t.claim(session, 3))
      claimed.push(...runs)
    })
    expect(claimed.map(({ id }) => id).sort()).toEqual(ids.sort())
    const settlements = claimed.map((run) => succeeded(run))
    expect(await t.store.work.settle(session, settlements)).toEqual([])
  })
})

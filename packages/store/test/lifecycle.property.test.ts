/**
 * Random histories of several workers, submitters, jobs and a reaper against the real store. After every step:
 * each run is in exactly one place, a keyed run holds its key exactly while it is live, of a job that must not
 * overlap one run at most is held by a worker and it holds the job, a lease belongs to a session, a worker is given the
 * payload that a run was last given, a final run stays as it is, and what the store accepted agrees with a model that only counts. And at the end of every
 * history nothing waits for a run that has ended.
 */
import {
  type ClaimedRun,
  compileJob,
  compileOptions,
  type JobOptions,
  type Overlap,
} from '@punctual/core'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

const policies: readonly Overlap[] = [
  ...(['allow', 'skip', 'queue-one', 'queue-all'] as const),
  ...(['cancel-previous', 'terminate-previous'] as const),
]
const YEARLY = '0 0 1 1 *'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
  const jobs = policies.map((overlap): JobOptions => {
    return { name: overlap, handler: 'test', cron: YEARLY, overlap }
  })
  const compiled = jobs.map((job) => compileJob(job, { timezone: 'UTC', jitterMs: 0 }))
  await t.store.schedules.jobs.upsert(compiled, 1)
})
afterAll(() => t.close())

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      key: fc.option(fc.constantFrom('a', 'b')),
      far: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('trigger' as const),
      job: fc.constantFrom(...policies),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resolve' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      worker: fc.nat(2),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      worker: fc.nat(2),
      how: fc.constantFrom('ok', 'retry', 'far', 'dead', 'twice'),
      pick: fc.nat(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), worker: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mark' as const), worker: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('giveBack' as const), worker: fc.nat(2) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reschedule' as const),
      pick: fc.nat(),
      far: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('hasten' as const, 'reprioritise' as const, 'edit' as const),
      pick: fc.nat(),
      value: fc.nat(10),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('promote' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('replay' as const), pick: fc.nat() }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface World {
  runs: string[]
  /** What runs are to do, where somebody has changed it. */
  payloads: Map<string, string>
  finals: Map<string, string>
  sessions: string[]
  held: ClaimedRun[][]
}

async function invariants(world: World): Promise<void> {
  const { rows } = await t.sql.query(`
    select r.id,
      (select count(*) from punctual.later x where x.run_id = r.id)::int
      + (select count(*) from punctual.queue x where x.run_id = r.id)::int
      + (select count(*) from punctual.parked x where x.run_id = r.id)::int
      + (select count(*) from punctual.leases x where x.run_id = r.id)::int
      + (select count(*) from punctual.outcomes x where x.run_id = r.id)::int as places,
      (select state from punctual.outcomes x where x.run_id = r.id) as final,
      r.key is not null as keyed,
      exists (select from punctual.live_keys k where k.run_id = r.id) as holds_key
    from punctual.runs r`)
  expect(rows.length).toBe(world.runs.length)
  for (const row of rows) {
    expect(row.places, `run ${row.id} is in one place`).toBe(1)
    expect(row.holds_key, `run ${row.id} holds its key while it is live`).toBe(
      row.keyed && row.final === null,
    )
    const before = world.finals.get(row.id)
    if (before !== undefined) expect(String(row.final), 'final is final').toBe(before)
    if (row.final !== null) world.finals.set(row.id, String(row.final))
  }
  const unheld = await t.sql.query(
    `select 1 from punctual.leases l where l.traits & 112 <> 0 and not exists (
       select from punctual.job_holds h where h.job_id = l.job_id and h.run_id = l.run_id)`,
  )
  expect(unheld.rowCount, 'a worker has a run only while the run holds its job').toBe(0)
  const idle = await t.sql.query(
    `select 1 from punctual.job_holds h where exists (
       select run_id from punctual.outcomes where run_id = h.run_id
       union all select run_id from punctual.parked where run_id = h.run_id)`,
  )
  expect(idle.rowCount, 'a run that has ended, or waits for its job, holds none').toBe(0)
  const orphans = await t.sql.query(
    'select 1 from punctual.leases l where not exists (select from punctual.sessions s where s.id = l.session_id)',
  )
  expect(orphans.rowCount).toBe(0)
  const strays = await t.sql.query(
    `select 1 from punctual.runs r join (
       select run_id, lane from punctual.later union all select run_id, lane from punctual.queue
       union all select run_id, lane from punctual.parked union all select run_id, lane from punctual.leases
       union all select run_id, lane from punctual.outcomes) p on p.run_id = r.id
     where p.lane <> r.lane`,
  )
  expect(strays.rowCount, 'a run is in the lane that it says').toBe(0)
  const past = await t.sql.query(
    "select 1 from punctual.queue where pos >> 20 < extract(epoch from clock_timestamp() - interval '1 hour') * 1000",
  )
  expect(past.rowCount).toBe(0)
}

async function perform(world: World, action: Step): Promise<void> {
  const { work } = t.store
  switch (action.kind) {
    case 'submit': {
      const options = {
        ...(action.key && { key: action.key }),
        ...(action.far && { delayMs: 3_600_000 }),
      }
      const [accepted] = await t.store.submit([
        { options: compileOptions('test', options), payload: 'null' },
      ])
      if (accepted?.created) world.runs.push(accepted.id)
      else expect(world.runs).toContain(accepted?.id)
      return
    }
    case 'trigger':
      world.runs.push(await t.store.schedules.steering.trigger(action.job, null, 1))
      return
    case 'resolve':
      await t.store.upkeep.resolveParked(0)
      return
    case 'claim': {
      const { runs } = await t.claim(world.sessions[action.worker] as string, action.limit)
      expect(runs.length).toBeLessThanOrEqual(action.limit)
      for (const { id, payload } of runs) expect(payload).toBe(world.payloads.get(id) ?? 'null')
      world.held[action.worker]?.push(...runs)
      return
    }
    case 'settle': {
      const held = world.held[action.worker] as ClaimedRun[]
      if (held.length === 0) return
      const [run] = held.splice(action.pick % held.length, 1) as [ClaimedRun]
      const ours = await t.sql.query(
        'select 1 from punctual.leases where run_id = $1 and claim = $2',
        [run.id, run.claim],
      )
      const settlement =
        action.how === 'retry'
          ? retry(run)
          : action.how === 'far'
            ? retry(run, 3_600_000)
            : action.how === 'dead'
              ? dead(run)
              : succeeded(run)
      const refused = await work.settle(world.sessions[action.worker] as string, [settlement])
      expect(refused.length === 0, 'accepted exactly when the lease is ours').toBe(
        ours.rowCount === 1,
      )
      if (action.how === 'twice')
        expect(
          await work.settle(world.sessions[action.worker] as string, [settlement]),
          'what is said twice is answered like the first time',
        ).toEqual(refused)
      return
    }
    case 'die': {
      const session = world.sessions[action.worker] as string
      await t.expire(session)
      await t.reap([session])
      world.sessions[action.worker] = await t.session()
      return // What it held stays in its memory: a zombie that will try to settle.
    }
    case 'mark':
      await work.markStarted((world.held[action.worker] as ClaimedRun[]).slice(0, 1))
      return
    case 'giveBack':
      await work.giveBack((world.held[action.worker] as ClaimedRun[]).splice(0))
      return
    case 'cancel':
    case 'reschedule': {
      const id = world.runs[action.pick % Math.max(1, world.runs.length)]
      if (!id) return
      if (action.kind === 'cancel') await t.store.steering.cancelWaiting([id], 'test')
      else await t.store.steering.reschedule([id], Date.now() + (action.far ? 3_600_000 : 0))
      return
    }
    case 'hasten':
    case 'reprioritise':
    case 'edit': {
      const id = world.runs[action.pick % Math.max(1, world.runs.length)]
      if (!id) return
      const { steering } = t.store
      if (action.kind === 'hasten') await steering.reschedule([id], null)
      else if (action.kind === 'reprioritise') await steering.reprioritise([id], action.value)
      else if ((await steering.edit([id], String(action.value))).has(id))
        world.payloads.set(id, String(action.value))
      return
    }
    case 'promote':
      await t.store.upkeep.promote(60_000, 100)
      return
    case 'replay':
      return replayDead(world, action.pick)
  }
}

/** Any dead run, also one that was replayed before: that one is not replayed again. */
async function replayDead(world: World, pick: number): Promise<void> {
  const { rows } = await t.sql.query(
    `select d.run_id as id, d.handled_at is null as open, r.key is null
       or not exists (select from punctual.live_keys k where k.key = r.key) as free
     from punctual.dead_letters d join punctual.runs r on r.id = d.run_id order by d.run_id`,
  )
  const letter = rows[pick % Math.max(1, rows.length)]
  if (!letter) return
  const how = { note: null, by: null, fromCheckpoint: true }
  const requests = [{ id: letter.id, payload: null }]
  const [answer] = await t.store.letterSteering.replay(requests, how, 1)
  const expected = letter.open ? (letter.free ? 'replayed' : 'key_busy') : 'already_handled'
  expect(answer?.result).toBe(expected)
  if (answer?.result === 'replayed') world.runs.push(answer.id)
}

/** Whatever waits for its time is cancelled, workers end, and one that is left takes what there is. */
async function drain(world: World): Promise<void> {
  for (const session of world.sessions) await t.expire(session)
  await t.reap(world.sessions)
  const session = await t.session()
  for (let round = 0; round <= world.runs.length; round++) {
    const later = await t.sql.query('select run_id from punctual.later')
    const ids = later.rows.map((row) => row.run_id as string)
    if (ids.length > 0) await t.store.steering.cancelWaiting(ids, 'drained')
    await t.store.upkeep.resolveParked(0)
    const { runs } = await t.claim(session, 100)
    for (const run of runs) await t.store.work.settle(session, [succeeded(run)])
    if (runs.length === 0 && (await t.count('parked')) === 0) return
  }
}

it('keeps every run in one place through any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await t.sql.query(
        'truncate punctual.runs, punctual.later, punctual.queue, punctual.leases, punctual.outcomes, punctual.attempts, punctual.live_keys, punctual.sessions, punctual.dead_letters, punctual.parked, punctual.job_holds, punctual.triggers',
      )
      const payloads = new Map<string, string>()
      const world: World = {
        payloads,
        runs: [],
        finals: new Map(),
        sessions: [],
        held: [[], [], []],
      }
      for (let i = 0; i < 3; i++) world.sessions.push(await t.session())
      for (const action of steps) {
        await perform(world, action)
        await invariants(world)
      }
      await drain(world)
      expect(await t.count('parked'), 'nothing waits for a run that has ended').toBe(0)
      expect(await t.count('job_holds')).toBe(0)
    }),
    { numRuns: 60 },
  )
})

/**
 * Random histories of several workers, submitters and a reaper against the real store. After every step:
 * each run is in exactly one place, a keyed run holds its key exactly while it is live, a lease belongs to a
 * session, a final run stays as it is, and what the store accepted agrees with a model that only counts.
 */
import { type ClaimedRun, compileOptions } from '@punctual/core'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('promote' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface World {
  runs: string[]
  finals: Map<string, string>
  sessions: string[]
  held: ClaimedRun[][]
}

async function invariants(world: World): Promise<void> {
  const { rows } = await t.sql.query(`
    select r.id,
      (select count(*) from punctual.later x where x.run_id = r.id)::int
      + (select count(*) from punctual.queue x where x.run_id = r.id)::int
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
  const orphans = await t.sql.query(
    'select 1 from punctual.leases l where not exists (select from punctual.sessions s where s.id = l.session_id)',
  )
  expect(orphans.rowCount).toBe(0)
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
    case 'claim': {
      const { runs } = await t.claim(world.sessions[action.worker] as string, action.limit)
      expect(runs.length).toBeLessThanOrEqual(action.limit)
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
        expect(await work.settle(world.sessions[action.worker] as string, [settlement])).toEqual([
          run.id,
        ])
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
      if (action.kind === 'cancel') await t.store.cancelWaiting([id], 'test')
      else await t.store.reschedule([id], Date.now() + (action.far ? 3_600_000 : 0))
      return
    }
    case 'promote':
      await t.store.upkeep.promote(60_000, 100)
  }
}

it('keeps every run in one place through any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      await t.sql.query(
        'truncate punctual.runs, punctual.later, punctual.queue, punctual.leases, punctual.outcomes, punctual.attempts, punctual.live_keys, punctual.sessions, punctual.dead_letters',
      )
      const world: World = { runs: [], finals: new Map(), sessions: [], held: [[], [], []] }
      for (let i = 0; i < 3; i++) world.sessions.push(await t.session())
      for (const action of steps) {
        await perform(world, action)
        await invariants(world)
      }
    }),
    { numRuns: 60 },
  )
})

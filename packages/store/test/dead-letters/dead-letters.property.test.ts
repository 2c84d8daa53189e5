/**
 * Several callers in separate processes work on the same dead letters and unknown runs: each dead
 * letter is handled once and each unknown run resolved once, by exactly the caller that got this
 * answer; there are as many new runs as replays, linked in both directions, and each key has at
 * most one live run.
 */
import type { Resolution } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'
import { dead, TestStore } from '@punctual/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
let callers: PostgresStore[]
beforeAll(async () => {
  t = await TestStore.open()
  callers = [t.store, t.another(), t.another()]
})
afterAll(() => t.close())

const DEAD_LETTERS = 8
const UNKNOWN = 3
const keys = [undefined, undefined, undefined, 'a', 'a', 'b'] as const

const some = (size: number) => fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: size })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('replay' as const), deadLetters: some(DEAD_LETTERS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('discard' as const),
      deadLetters: some(DEAD_LETTERS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('resolve' as const),
      run: fc.nat(UNKNOWN - 1),
      as: fc.constantFrom<Resolution>('succeeded', 'failed', 'run-again'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface World {
  readonly deadLetters: string[]
  readonly unknown: string[]
}

/** Answers that callers got. */
interface Answers {
  readonly replays: Map<string, string>[]
  readonly discards: string[]
  readonly resolutions: { id: string; as: Resolution }[]
}

async function aWorld(): Promise<World> {
  await t.sql.query(
    `truncate punctual.runs, punctual.queue, punctual.leases, punctual.outcomes, punctual.attempts,
     punctual.live_keys, punctual.sessions, punctual.dead_letters`,
  )
  const session = await t.session()
  const world: World = { deadLetters: [], unknown: [] }
  for (let n = 0; n < DEAD_LETTERS; n++) {
    const key = keys[n % keys.length]
    const run = await t.running(session, key === undefined ? {} : { key })
    await t.store.work.settle(session, [dead(run)])
    world.deadLetters.push(run.id)
  }
  for (let n = 0; n < UNKNOWN; n++) {
    const key = n === 0 ? { key: 'a' } : {}
    const run = await t.running(session, { ...key, delivery: 'at-most-once' })
    await t.store.work.markStarted([run])
    await t.sql.query('delete from punctual.live_keys')
    world.unknown.push(run.id)
  }
  await t.expire(session)
  expect(await t.reap([session])).toMatchObject({ unknown: UNKNOWN })
  return world
}

async function perform(world: World, store: PostgresStore, action: Step, reported: Answers) {
  if (action.kind === 'resolve') {
    const id = world.unknown[action.run] as string
    const how = { note: null, by: null }
    const answer = await store.resolution.resolve(id, action.as, how, 1, null)
    if (answer.result !== 'resolved') return
    reported.resolutions.push({ id, as: action.as })
    if (answer.replayedAs) reported.replays.push(new Map([[id, answer.replayedAs]]))
    return
  }
  const ids = action.deadLetters.map((n) => world.deadLetters[n] as string)
  if (action.kind === 'discard') {
    const how = { note: 'enough', by: null }
    reported.discards.push(...(await store.deadLetterSteering.discard(ids, how, 1, null)))
    return
  }
  const requests = ids.map((id) => ({ id, payload: null }))
  const how = { note: null, by: null, fromCheckpoint: true }
  const answers = await store.deadLetterSteering.replay(requests, how, 1, null)
  for (const [n, answer] of answers.entries())
    if (answer.result === 'replayed')
      reported.replays.push(new Map([[ids[n] as string, answer.id]]))
}

async function expectConsistent(reported: Answers): Promise<void> {
  const replays = reported.replays.flatMap((map) => [...map])
  const handled = [...replays.map(([id]) => id), ...reported.discards]
  expect(new Set(handled).size, 'no dead letter was reported as handled twice').toBe(handled.length)
  expect(new Set(reported.resolutions.map(({ id }) => id)).size).toBe(reported.resolutions.length)
  const made = await t.sql.query(
    'select id, replay_of from punctual.runs where replay_of is not null',
  )
  const byOriginal = new Map(made.rows.map((row) => [row.replay_of, row.id]))
  expect(made.rowCount, 'as many new runs as replays').toBe(replays.length)
  expect(byOriginal).toEqual(new Map(replays))
  const deadLetters = await t.sql.query(
    'select run_id, handling, replayed_as from punctual.dead_letters',
  )
  for (const { run_id: id, handling, replayed_as: replayedAs } of deadLetters.rows) {
    const as = byOriginal.get(id) ?? null
    expect(replayedAs, 'a dead letter names its replay').toBe(as)
    expect(handling).toBe(as ? 1 : reported.discards.includes(id) ? 2 : null)
  }
  const resolved = await t.sql.query(
    'select run_id, state, replayed_as from punctual.outcomes where resolved_at is not null',
  )
  const states = { succeeded: 1, failed: 2, 'run-again': 5 } as const
  expect(new Map(resolved.rows.map((row) => [row.run_id, row.state]))).toEqual(
    new Map(reported.resolutions.map(({ id, as }) => [id, states[as]])),
  )
  for (const row of resolved.rows)
    expect(row.replayed_as).toBe(row.state === 5 ? byOriginal.get(row.run_id) : null)
  const unkeyed = await t.sql.query(
    `select 1 from punctual.queue q join punctual.runs r on r.id = q.run_id
     where r.key is not null
       and not exists (select from punctual.live_keys k where k.run_id = r.id and k.key = r.key)`,
  )
  expect(unkeyed.rowCount, 'a live run holds its key').toBe(0)
}

it('each dead letter is handled once by concurrent callers', async () => {
  const rounds = fc.array(fc.array(step, { minLength: 2, maxLength: 5 }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(rounds, async (together) => {
      const world = await aWorld()
      const reported: Answers = { replays: [], discards: [], resolutions: [] }
      for (const actions of together) {
        await Promise.all(
          actions.map((action, n) =>
            perform(world, callers[n % callers.length] as PostgresStore, action, reported),
          ),
        )
        await expectConsistent(reported)
      }
    }),
    { numRuns: 25 },
  )
})

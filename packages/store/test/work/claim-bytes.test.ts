/** A claim loads a bounded number of bytes, and returns what it may not load unchanged. */
import { limits } from '@punctual/core/errors'
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const MIB = 1_048_576
const LARGE = 'x'.repeat(MIB - 16)

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(() => t.emptyPlaces())
afterAll(() => t.close())

const bytesOf = (runs: readonly { payload: string }[]) =>
  runs.reduce((sum, { payload }) => sum + payload.length, 0)

/** A store that has not learned anything about the lanes. */
const fresh = () => t.another()

it('a claim of 40 runs of 1 MiB loads 16 of them, and the others stay in the queue', async () => {
  const session = await t.session()
  for (let i = 0; i < 40; i++) await t.submit({ payload: LARGE })
  await t.sql.query('update punctual.queue set attempt = 1, crashes = 1')
  const { runs, more } = await t.claim(session, 40, fresh())
  expect(runs).toHaveLength(16)
  expect(bytesOf(runs)).toBeLessThanOrEqual(limits.claimBytes)
  expect(more).toBe(true)
  expect([await t.count('leases'), await t.count('queue')]).toEqual([16, 24])
  const { rows } = await t.sql.query(
    'select distinct attempt, crashes from punctual.queue where run_id <> all ($1)',
    [runs.map(({ id }) => id)],
  )
  expect(rows).toEqual([{ attempt: 1, crashes: 1 }])
})

it('the claims that follow take about as many runs as fitted, until all are claimed', async () => {
  const session = await t.session()
  const store = fresh()
  for (let i = 0; i < 40; i++) await t.submit({ payload: LARGE })
  const claimed: number[] = []
  while ((await t.count('queue')) > 0) {
    const { runs } = await t.claim(session, 1_000, store)
    claimed.push(runs.length)
  }
  expect(claimed.slice(0, 2)).toEqual([16, 16])
  expect(claimed.reduce((sum, runs) => sum + runs, 0)).toBe(40)
})

it('a run that is larger than the budget is claimed alone', async () => {
  const session = await t.session()
  await t.submit({ payload: LARGE })
  await t.submit({ payload: LARGE })
  const lanes = await t.store.work.lanes(['test'], [])
  const claim = { sessionId: session, fence: '1000', limit: 10, lanes, bytes: 1_000 }
  const { runs } = await fresh().work.claim(claim)
  expect(runs).toHaveLength(1)
})

it('small payloads that the claim itself returned count towards the budget', async () => {
  const session = await t.session()
  await t.submit({ payload: LARGE })
  for (let i = 0; i < 100; i++) await t.submit({ payload: 'y'.repeat(7_000) })
  for (let i = 0; i < 20; i++) await t.submit({ payload: LARGE })
  const lanes = await t.store.work.lanes(['test'], [])
  const claim = { sessionId: session, fence: '5000', limit: 1_000, lanes, bytes: 3 * MIB }
  const { runs } = await fresh().work.claim(claim)
  expect(bytesOf(runs)).toBeLessThanOrEqual(3 * MIB)
  expect(runs).toHaveLength(102)
})

it('checkpoints beyond the budget are not loaded', async () => {
  const session = await t.session()
  for (let i = 0; i < 20; i++) await t.submit()
  const { runs } = await t.claim(session, 20)
  const state = JSON.stringify(LARGE)
  for (const run of runs) await t.store.work.saveCheckpoint(run, state)
  const states = await t.store.work.checkpoints(runs.map(({ id }) => id))
  expect([...states.values()].map((kept) => kept?.length ?? null)).toEqual([
    ...Array.from({ length: 16 }, () => state.length),
    ...Array.from({ length: 4 }, () => null),
  ])
})

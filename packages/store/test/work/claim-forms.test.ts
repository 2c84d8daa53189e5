/** The two forms of the claim: one for lanes without controlled runs, one for all lanes. */
import { compileOptions, makeSubmission, type SubmitOptions } from '@punctual/core/submit'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claimControlledRuns, claimRuns } from '../../src/work/statements.gen.ts'

const NONE = { concurrency: null, rate: null, ageingMs: null, weight: null }

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

type Form = typeof claimRuns | typeof claimControlledRuns

/** Sends a form of the claim itself, without the choice that the store makes. */
async function send(form: Form, session: string, fence = 1) {
  const lanes = (await t.lanes()).map(({ id }) => String(id))
  const each = (value: string) => lanes.map(() => value)
  const call = form(session, fence, lanes, each('0'), each('5'), 10, each('1'), null)
  const [answer] = await t.store.database.claim.runPinned(call)
  return answer
}

it('both forms leave the same leases of plain runs and answer the same', async () => {
  const seen = []
  for (const form of [claimRuns, claimControlledRuns]) {
    for (let i = 0; i < 3; i++) await t.submit({ queue: `q${i % 2}` })
    const answer = await send(form, await t.session())
    const { rows: leases } = await t.sql.query(
      'select fence, lane, attempt, crashes, traits, job_id, gate, tenant_limit from punctual.leases order by fence',
    )
    const { givenLanes, givenRuns, lanes, marks, timeoutsMs, payloads, extras } = answer ?? {}
    seen.push({
      leases,
      given: { givenLanes, givenRuns },
      runs: { lanes, marks, timeoutsMs, payloads, extras },
      controlled: answer?.controlled,
    })
    await t.sql.query('truncate punctual.leases')
  }
  expect(seen[0]).toEqual(seen[1])
  expect(seen[0]?.leases).toHaveLength(3)
  expect(seen[0]?.controlled).toBeNull()
})

it.each<[string, SubmitOptions]>([
  ['a run with a concurrency key', { concurrency: { key: 'k', limit: 1 } }],
  ['a run with a rate', { rate: { key: 'k', limit: 1, per: 'second' } }],
])('the plain form takes nothing when it meets %s, and names its lane', async (_, options) => {
  const session = await t.session()
  await t.submit({ queue: 'free' })
  await t.store.submit([makeSubmission(compileOptions('test', { ...options, queue: 'held' }), '1')])
  const lanes = await t.lanes()
  const answer = await send(claimRuns, session)
  expect(answer?.runIds).toBeNull()
  expect(Number(answer?.controlled)).toBe(lanes.find(({ queue }) => queue === 'held')?.id)
  expect(await t.count('leases')).toBe(0)
  expect(await t.count('queue')).toBe(2)
})

it('the plain form takes nothing from lanes under a limit, whatever they hold', async () => {
  const session = await t.session()
  await t.submit({ queue: 'limited' })
  await t.store.limits.set('limited', { ...NONE, concurrency: 5 }, null)
  const answer = await send(claimRuns, session)
  expect(answer).toMatchObject({ runIds: null, controlled: expect.stringMatching(/^\d+$/) })
  const { runs } = await t.claim(session, 10)
  expect(runs).toMatchObject([{ limited: true }])
})

it('a limit that sets no concurrency and no rate does not change the form', async () => {
  const session = await t.session()
  await t.submit({ queue: 'weighted' })
  await t.store.limits.set(null, { ...NONE, weight: 3 }, null)
  expect(await send(claimRuns, session)).toMatchObject({ controlled: null, givenRuns: '1' })
})

it('the plain form names the lanes of paused queues as unseen, and takes the others', async () => {
  const session = await t.session()
  await t.submit({ queue: 'open' })
  await t.submit({ queue: 'paused' })
  await t.store.queues.pause('paused', { note: null, by: null })
  const answer = await send(claimRuns, session)
  const paused = (await t.lanes()).find(({ queue }) => queue === 'paused')
  expect(answer).toMatchObject({ givenRuns: '1', unseen: String(paused?.id), controlled: null })
})

it('one claim of the store takes a controlled run, whichever form it tries first', async () => {
  const session = await t.session()
  await t.submit()
  expect((await t.claim(session, 10)).runs).toHaveLength(1)
  const keyed = makeSubmission(compileOptions('test', { concurrency: { key: 'k', limit: 1 } }), '1')
  await t.store.submit([keyed])
  const { runs } = await t.claim(session, 10)
  expect(runs).toMatchObject([{ gate: expect.any(BigInt) }])
})

it('a claim of runs of another day only has what they are to do', async () => {
  const session = await t.session()
  const later = Date.now() + 2 * 86_400_000
  const ids = [await t.submit({ runAt: later }), await t.submit({ runAt: later })]
  expect(await t.store.steering.reschedule(ids, null)).toEqual(new Set(ids))
  const { runs } = await t.claim(session, 10)
  expect(runs.map(({ id }) => id).sort()).toEqual([...ids].sort())
  for (const { payload, maxAttempts, timeoutMs } of runs)
    expect({ payload, maxAttempts, timeoutMs }).toEqual({
      payload: expect.stringMatching(/\S/),
      maxAttempts: expect.any(Number),
      timeoutMs: 300_000,
    })
})

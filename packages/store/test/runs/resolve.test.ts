/** Resolving unknown runs: once, by one caller, with all consequences. */
import type { ClaimedRun } from '@punctual/core/ports'
import type { Resolution } from '@punctual/core/run'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.sql.query(
    `truncate punctual.runs, punctual.queue, punctual.leases, punctual.outcomes, punctual.live_keys,
     punctual.sessions, punctual.dead_letters`,
  )
})

const ANN = { note: 'the bank says so', by: 'ann' }
const find = (id: string) => t.store.runs.find(id)
const resolve = (id: string, as: Resolution, how = ANN, tenantId = 1) =>
  t.store.resolution.resolve(id, as, how, tenantId, null)

/** An at-most-once run that started, and whose worker died. */
async function anUnknownRun(options: Parameters<TestStore['running']>[1] = {}): Promise<string> {
  const session = await t.session()
  const run = await t.running(session, { ...options, delivery: 'at-most-once' })
  await t.store.work.markStarted([run])
  await t.expire(session)
  expect(await t.reap([session])).toMatchObject({ unknown: 1 })
  return run.id
}

describe('resolving an unknown run', () => {
  it('an unknown run resolved as succeeded keeps the attempt whose worker was lost', async () => {
    const id = await anUnknownRun()
    const before = await find(id)
    expect(before).toMatchObject({ state: 'unknown', reason: 'worker_lost', resolved: null })
    expect(await resolve(id, 'succeeded')).toEqual({ result: 'resolved', replayedAs: null })
    expect(await find(id)).toEqual({
      ...before,
      ...{ state: 'succeeded', reason: 'resolved', error: null },
      resolved: { as: 'succeeded', at: expect.any(Date), ...ANN },
    })
    expect(before?.attempts).toMatchObject([{ outcome: 'crashed', error: { name: 'WorkerLost' } }])
    expect(await t.count('dead_letters')).toBe(0)
  })

  it('an unknown run resolved as failed is dead, with a dead letter that can be replayed', async () => {
    const id = await anUnknownRun()
    await resolve(id, 'failed')
    expect(await find(id)).toMatchObject({
      ...{ state: 'dead', reason: 'resolved', error: { name: 'WorkerLost' } },
      resolved: { as: 'failed' },
    })
    const [deadLetter] = await t.store.deadLetters.find([id], 1)
    expect(deadLetter).toMatchObject({
      ...{ reason: 'resolved', fingerprint: 'WorkerLost: resolved', handled: null },
    })
    const how = { ...ANN, fromCheckpoint: false }
    const [answer] = await t.store.deadLetterSteering.replay([{ id, payload: null }], how, 1, null)
    expect(answer?.result).toBe('replayed')
  })

  it('an unknown run resolved as run-again stays unknown and names the new run', async () => {
    const id = await anUnknownRun({ labels: { a: 'b' } })
    const answer = await resolve(id, 'run-again')
    if (answer.result !== 'resolved' || answer.replayedAs === null) throw new Error('not resolved')
    expect(await find(id)).toMatchObject({
      ...{ state: 'unknown', reason: 'worker_lost', replayedAs: answer.replayedAs },
      resolved: { as: 'run-again', ...ANN },
    })
    expect(await find(answer.replayedAs)).toMatchObject({
      ...{ state: 'queued', replayOf: id, delivery: 'at-most-once', labels: { a: 'b' } },
      createdBy: 'ann',
    })
    const session = await t.session()
    const [run] = (await t.claim(session, 1)).runs as [ClaimedRun]
    expect(run.traits & 2).toBe(2)
    await t.store.work.settle(session, [succeeded(run)])
  })

  it('an unknown run is not resolved as run-again while another run holds its key', async () => {
    const id = await anUnknownRun({ key: 'k' })
    const holder = await t.submit({ key: 'k' })
    expect(await resolve(id, 'run-again')).toEqual({
      ...{ result: 'key_busy', key: 'k', heldBy: holder },
    })
    expect(await find(id)).toMatchObject({ state: 'unknown', resolved: null, replayedAs: null })
    await t.store.steering.cancelWaiting([holder], 'test')
    expect(await resolve(id, 'run-again')).toMatchObject({ result: 'resolved' })
  })

  it('an unknown run is resolved once, and the first resolution stays', async () => {
    for (const first of ['succeeded', 'failed', 'run-again'] as const) {
      const id = await anUnknownRun()
      expect(await resolve(id, first)).toMatchObject({ result: 'resolved' })
      const after = await find(id)
      for (const second of ['succeeded', 'failed', 'run-again'] as const)
        expect(await resolve(id, second)).toEqual({ result: 'not_unknown' })
      expect(await find(id)).toEqual(after)
    }
  })

  it('an unknown run of another tenant cannot be resolved', async () => {
    const id = await anUnknownRun()
    expect(await resolve(id, 'failed', ANN, 2)).toEqual({ result: 'not_unknown' })
    expect(await find(id)).toMatchObject({ state: 'unknown', resolved: null })
  })
})

it('a run that is not unknown cannot be resolved and stays unchanged', async () => {
  const session = await t.session()
  const run = await t.running(session)
  const [waiting, states] = [await t.submit(), ['succeeded', 'failed', 'run-again'] as const]
  for (const as of states)
    for (const id of [run.id, waiting])
      expect(await resolve(id, as)).toEqual({ result: 'not_unknown' })
  await t.store.work.settle(session, [succeeded(run)])
  for (const as of states) expect(await resolve(run.id, as)).toEqual({ result: 'not_unknown' })
  expect(await find(run.id)).toMatchObject({ state: 'succeeded', resolved: null })
  expect(await t.places(waiting)).toEqual(['queue'])
})

it('of concurrent resolutions of a run one wins, and its consequences happen once', async () => {
  const all = ['succeeded', 'failed', 'run-again'] as const
  for (let round = 0; round < 15; round++) {
    const id = await anUnknownRun()
    const before = await t.count('runs')
    const answers = await Promise.all([...all, ...all].map((as) => resolve(id, as)))
    const won = answers.filter(({ result }) => result === 'resolved')
    expect(won).toHaveLength(1)
    const run = await find(id)
    const as = run && 'resolved' in run ? run.resolved?.as : null
    expect(await t.count('runs')).toBe(before + (as === 'run-again' ? 1 : 0))
    expect((await t.store.deadLetters.find([id], 1)).length).toBe(as === 'failed' ? 1 : 0)
  }
})

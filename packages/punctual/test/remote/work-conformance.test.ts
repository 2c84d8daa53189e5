/** The contract of WorkStore, for a worker connected to PostgreSQL and for one over HTTP. */
import type { ClaimedRun, Settlement, WorkStore } from '@punctual/core/ports'
import type { SubmitOptions } from '@punctual/core/submit'
import { systemClock } from '@punctual/store'
import {
  awaiting,
  dead,
  plainRun,
  retry,
  succeeded,
  systemRandomToken,
  TestStore,
} from '@punctual/testkit'
import { PunctualServer, RemoteWorkStore } from '@punctual/worker'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RemoteNode } from '../kit/remote-kit.ts'

let t: TestStore
let node: RemoteNode

beforeAll(async () => {
  t = await TestStore.open()
  node = await RemoteNode.open(t.store)
})
afterAll(async () => {
  await node.close()
  await t.close()
})

const stores: [string, () => WorkStore][] = [
  ['PostgreSQL', () => t.store.work],
  [
    'HTTP',
    () => {
      const at = { servers: [node.url], apiKey: 'tenant-1', clock: systemClock }
      return new RemoteWorkStore(new PunctualServer(at))
    },
  ],
]

describe.each(stores)('a worker over %s', (_, open) => {
  let work: WorkStore
  let session: string

  beforeEach(async () => {
    await t.sql.query('truncate punctual.queue, punctual.leases, punctual.sessions')
    work = open()
    session = await openSession(work)
  })

  async function openSession(store: WorkStore): Promise<string> {
    const id = systemRandomToken()
    const worker = { host: 'test', pid: 1, version: '0', handlers: ['test'], queues: [] }
    await store.openSession({ id, ...worker, labels: {}, capacity: 10, leaseMs: 30_000 })
    return id
  }

  async function claim(limit = 10) {
    const lanes = await work.lanes(['test'], [])
    return work.claim({ sessionId: session, fence: systemRandomToken(), limit, lanes })
  }

  async function running(options: SubmitOptions = {}): Promise<ClaimedRun> {
    const id = await t.submit(options)
    const run = (await claim(100)).runs.find((claimed) => claimed.id === id)
    if (!run) throw new Error('the run was not claimed')
    return plainRun(run)
  }

  const state = async (run: ClaimedRun) => (await t.store.runs.find(run.id))?.state
  const settle = (settlement: Settlement) => work.settle(session, [settlement])

  it('claims due runs with their definitions', async () => {
    const before = Date.now()
    const policy = { retry: { backoff: { kind: 'fixed', delayMs: 5 } } } as const
    const run = await running({ ...policy, priority: 7, maxAttempts: 2, timeoutMs: 1_234 })
    expect(run).toMatchObject({
      ...{ handler: 'test', queue: 'default', priority: 7, maxAttempts: 2, timeoutMs: 1_234 },
      ...{ attempt: 0, crashes: 0, traits: 0, tenantId: 1, jobId: null, slotMs: null },
    })
    expect(JSON.parse(run.payload)).toEqual({ n: 1 })
    expect(JSON.parse(run.policy as string)).toMatchObject({ backoff: { delayMs: 5 } })
    expect(Math.abs(run.dueMs - before)).toBeLessThan(60_000)
  })

  it('reports that more may be due after a full claim, and when the next run is due', async () => {
    await t.submit()
    await t.submit()
    expect(await claim(1)).toMatchObject({ sessionAlive: true, more: true, runs: [{}] })
    await t.submit({ delayMs: 20_000 })
    const { more, runs, nextDueInMs } = await claim(10)
    expect([more, runs.length]).toEqual([false, 1])
    expect(nextDueInMs).toBeGreaterThan(1_000)
  })

  it('claims nothing with a reaped session', async () => {
    await t.submit()
    await t.expire(session)
    await t.reap([session])
    const { sessionAlive, runs } = await claim().catch(() => ({ sessionAlive: false, runs: [] }))
    expect([sessionAlive, runs]).toEqual([false, []])
    expect(await work.renewSession(session)).toBeNull()
  })

  it.each<[string, (run: ClaimedRun) => Settlement, string]>([
    ['a success', (run) => succeeded(run, '{"a":[1]}'), 'succeeded'],
    ['a retried failure', (run) => retry(run, 60_000), 'scheduled'],
    ['a final failure', (run) => ({ ...dead(run), reason: 'non_retryable' }) as Settlement, 'dead'],
    ['a cancel', cancelled, 'cancelled'],
    ['a skipped run', skipped, 'skipped'],
    ['a run left to its target', (run) => awaiting(run), 'awaiting'],
  ])('settles %s once, also when it is repeated', async (_what, settlementOf, expected) => {
    const settlement = settlementOf(await running())
    expect(await settle(settlement)).toEqual([])
    expect(await settle(settlement)).toEqual([])
    expect(await state(settlement.run)).toBe(expected)
  })

  it('stores the output of an attempt', async () => {
    const run = await running()
    await settle({ kind: 'succeeded', run, startedAgoMs: 1_500, output: '{"a":[1]}' })
    const settled = await t.store.runs.find(run.id)
    expect(settled).toMatchObject({ state: 'succeeded', output: { a: [1] } })
  })

  it('refuses an outcome under a fence that is not held', async () => {
    const run = await running()
    const forged = { ...run, fence: run.fence + 1n }
    expect(await settle(succeeded(forged))).toEqual([run.id])
    expect(await state(run)).toBe('running')
    await t.expire(session)
    await t.reap([session])
    expect(await settle(succeeded(run))).toEqual([run.id])
  })

  it('settles the runs of a batch that it holds', async () => {
    const [held, lost] = [await running(), await running()]
    await t.sql.query('delete from punctual.leases where run_id = $1', [lost.id])
    expect(await work.settle(session, [succeeded(held), succeeded(lost)])).toEqual([lost.id])
    expect(await state(held)).toBe('succeeded')
  })

  it('gives runs back unchanged when they were not started', async () => {
    const run = await running()
    await work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['queue'])
    expect((await claim()).runs).toMatchObject([{ id: run.id, attempt: 0 }])
    await work.giveBack([run])
    expect(await t.places(run.id)).toEqual(['leases'])
  })

  it('finds leases that it does not know, and gives them back', async () => {
    const [known, stray] = [await running(), await running()]
    const strays = await work.strayLeases(session, [known.fence])
    expect(strays.map(({ id }) => id)).toEqual([stray.id])
    await work.giveBack(strays)
    expect([await t.places(known.id), await t.places(stray.id)]).toEqual([['leases'], ['queue']])
  })

  it('marks the start of an at-most-once run that it holds, and of no other', async () => {
    const run = await running({ delivery: 'at-most-once' })
    expect([...(await work.markStarted([run]))]).toEqual([run.id])
    expect([...(await work.markStarted([{ ...run, fence: run.fence + 1n }]))]).toEqual([])
    const { rows } = await t.sql.query('select started_at from punctual.leases')
    expect(rows).toEqual([{ started_at: expect.any(Date) }])
  })

  it('learns which runs are asked to end, and which it no longer holds', async () => {
    const [cancelling, gone, quiet] = [await running(), await running(), await running()]
    await t.store.steering.cancel([cancelling.id], 'not wanted', 1)
    const lost = { ...gone, fence: gone.fence + 1n }
    const requests = await work.cancelRequests([cancelling, lost, quiet])
    expect([...requests]).toHaveLength(2)
    expect([requests.get(cancelling.fence), requests.get(lost.fence)]).toEqual(['not wanted', null])
  })

  it('stores checkpoints for the next attempt', async () => {
    const run = await running()
    expect(await work.saveCheckpoint(run, '{"page":3}')).toBe(true)
    expect(await work.saveCheckpoint({ ...run, fence: run.fence + 1n }, '1')).toBe(false)
    await settle(retry(run, 0))
    const [again] = (await claim()).runs
    expect(again).toMatchObject({ id: run.id, attempt: 1, traits: 128 })
    expect([...(await work.checkpoints([run.id]))]).toEqual([[run.id, '{"page":3}']])
  })

  it('stores log lines and progress of runs that it holds', async () => {
    const run = await running()
    const line = { runId: run.id, attempt: 1, agoMs: 5, level: 2, data: '{"a":1}' }
    await work.appendLogs([
      { ...line, seq: 0, message: 'first' },
      { ...line, seq: 1, message: 'second', data: null },
    ])
    await work.appendLogs([{ ...line, seq: 0, message: 'first' }])
    await work.reportProgress([{ run, value: '{"done":50}' }])
    const lines = await t.store.runs.logs(run.id, undefined, 10, 1)
    expect(lines.map(({ message, level, data }) => [message, level, data])).toEqual([
      ['first', 'warn', { a: 1 }],
      ['second', 'warn', null],
    ])
    expect(await t.store.runs.find(run.id)).toMatchObject({ progress: { done: 50 } })
  })

  it('claims nothing while it is asked to drain, and learns of it with its renewal', async () => {
    await t.submit()
    await t.store.workers.drain(session, true)
    expect(await work.renewSession(session)).toMatchObject({ drains: true })
    expect((await claim()).runs).toEqual([])
    await t.store.workers.drain(session, false)
    expect((await claim()).runs).toHaveLength(1)
  })

  it('shows its state, and closes once it holds no runs', async () => {
    await work.describeSession(session, { state: 'draining', handlers: ['x'], stuck: [] })
    expect(await t.store.workers.sessions()).toMatchObject([{ state: 'draining', handlers: ['x'] }])
    await work.describeSession(session, { state: 'active', handlers: ['test'], stuck: [] })
    const run = await running()
    await work.closeSession(session)
    expect(await t.store.workers.sessions()).toHaveLength(1)
    await settle(succeeded(run))
    await work.closeSession(session)
    expect(await t.store.workers.sessions()).toEqual([])
  })
})

function cancelled(run: ClaimedRun): Settlement {
  return { kind: 'cancelled', run, startedAgoMs: 1, failure: null, reason: 'not wanted' }
}

function skipped(run: ClaimedRun): Settlement {
  return { kind: 'skipped', run, startedAgoMs: null, reason: 'expired' }
}

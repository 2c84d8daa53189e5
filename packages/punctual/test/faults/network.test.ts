/**
 * Bad connections between nodes and the database: nothing passes for several leases, or only in one
 * direction, or only for some connections or nodes; or data arrives late, slowly and in fragments.
 * After the repair every run has one outcome, and possible duplicates are flagged.
 */
import { eventually, gate } from '@punctual/testkit'
import { Punctual, type PunctualOptions } from 'punctual'
import { describe, expect, it, type TestContext } from 'vitest'
import { BadLine, type Faults } from '../kit/bad-line.ts'
import { DeliveryKit } from '../kit/delivery-kit.ts'

const LEASE_MS = 2_000

type AtEnd = TestContext['onTestFinished']

async function aKit(atEnd: AtEnd, onFenced = () => undefined): Promise<DeliveryKit> {
  const nothing = () => undefined
  const warn = (_: object, message: string) => {
    if (message.startsWith('reaped sessions')) onFenced()
  }
  const logger = { debug: nothing, info: nothing, error: nothing, warn }
  const kit = await DeliveryKit.open({ leaseMs: LEASE_MS, logger })
  atEnd(() => kit.close())
  return kit
}

/** A node with its own relay. */
async function aNode(kit: DeliveryKit, atEnd: AtEnd, options: PunctualOptions = {}) {
  const line = await BadLine.to(kit.url)
  const node = await Punctual.start({
    ...{ databaseUrl: line.url, roles: ['worker'], logger: false, worker: { leaseMs: LEASE_MS } },
    ...options,
  })
  atEnd(async () => {
    line.suffer()
    await node.stop({ drainMs: 0 })
    await line.close()
  })
  return { node, line }
}

// waits: the duration of the fault is the subject of this test
const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Runs on one affected and one healthy worker; each has one outcome, and the flags are correct. */
async function holds(phases: readonly Faults[], phaseMs: number, atEnd: AtEnd): Promise<void> {
  const kit = await aKit(atEnd)
  const { node: suffering, line } = await aNode(kit, atEnd)
  const sound = await kit.node({ worker: { leaseMs: LEASE_MS, concurrency: 2 } })
  const starts = new Map<string, number>()
  const handler = async (ms: number, ctx: { runId: string }) => {
    starts.set(ctx.runId, (starts.get(ctx.runId) ?? 0) + 1)
    await pass(ms)
  }
  suffering.handler('work', handler)
  await eventually('it works', async () => (await kit.punctual.workers.list()).length > 0)
  const options = { maxAttempts: 20 }
  const payloads = Array.from({ length: 30 }, (_, i) => (i % 5) * 100)
  const runs = [...(await kit.punctual.submitMany('work', payloads, options))]
  await eventually('a run has started', () => starts.size > 0)
  sound.handler('work', handler)
  for (const faults of phases) {
    line.suffer(faults)
    runs.push(...(await kit.punctual.submitMany('work', payloads, options)))
    await pass(phaseMs)
  }
  line.suffer()
  for (const { id } of runs) {
    const run = await kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })
    expect(run.state).toBe('succeeded')
    expect(run.possibleDuplicate || starts.get(id) === 1).toBe(true)
    expect(run.attempts.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1)
  }
  // The affected worker runs everything from here on.
  await sound.stop({ drainMs: 0 })
  const after = await kit.punctual.submit('work', 0)
  expect(await kit.punctual.runs.waitFor(after.id, { timeoutMs: 60_000 })).toMatchObject({
    state: 'succeeded',
  })
}

const both = ['up', 'down'] as const

describe.concurrent('every run has one outcome, and the worker works again, after', () => {
  const options = { timeout: 180_000 }
  it.for([1, 2, 10])('a black hole of %i leases (case 74)', options, (leases, t) =>
    holds([{ holds: both }], leases * LEASE_MS, t.onTestFinished),
  )
  it('requests that arrive without answers, and answers without requests (case 75)', options, (t) =>
    holds([{ holds: ['down'] }, {}, { holds: ['up'] }], 2.5 * LEASE_MS, t.onTestFinished),
  )
  it(
    'resets, a byte a second, two seconds of latency, every third connection anew (case 76)',
    options,
    (t) => {
      const phases = [
        { resetAfterBytes: 3_000 },
        { drips: true },
        { latencyMs: 2_000 },
        { resetEvery: 3, resetAfterBytes: 20_000 },
      ]
      return holds(phases, 3_000, t.onTestFinished)
    },
  )
})

describe.concurrent('a worker', () => {
  it('a worker whose heartbeat is cut off knows before others claim its runs (case 23)', async (t) => {
    const events: string[] = []
    const kit = await aKit(t.onTestFinished, () => void events.push('fenced'))
    const { node, line } = await aNode(kit, t.onTestFinished)
    const [started, aborted] = [gate(), gate()]
    const untilAborted = (_: null, ctx: { signal: AbortSignal }) => {
      started.open()
      if (events.length > 0) return
      return new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => {
          events.push('aborted')
          aborted.open()
          reject(ctx.signal.reason)
        })
      })
    }
    node.handler('abort', untilAborted, { onLeaseLoss: 'abort' })
    const { id } = await kit.punctual.submit('abort', null, { maxAttempts: 3 })
    await started.opened
    line.suffer({ holds: both, only: 'heartbeat' })
    await aborted.opened
    expect(events[0]).toBe('aborted')
    line.suffer()
    expect(await kit.punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
  }, 60_000)

  it('a worker that can only send heartbeats ends a run by its timeout (case 24)', async (t) => {
    const kit = await aKit(t.onTestFinished)
    const { node, line } = await aNode(kit, t.onTestFinished)
    const [started, aborted] = [gate(), gate()]
    node.handler('hang', (_: null, ctx) => {
      started.open()
      ctx.signal.addEventListener('abort', () => aborted.open())
      return new Promise(() => undefined)
    })
    const { id } = await kit.punctual.submit('hang', null, { maxAttempts: 1, timeoutMs: 1_500 })
    await started.opened
    line.suffer({ holds: both, only: '!heartbeat' })
    await aborted.opened
    expect(await kit.punctual.runs.get(id)).toMatchObject({ state: 'running' })
    line.suffer()
    expect(await kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })).toMatchObject({
      state: 'dead',
      attempts: [{ outcome: 'timed_out' }],
    })
  }, 90_000)
})

/** The slots of the job, and the number of ended runs of each. */
async function slotsEnded(kit: DeliveryKit, job: string): Promise<readonly number[]> {
  const rows = await kit.sql<{ n: string }>(
    `select count(o.run_id) as n from punctual.slots s
     join punctual.jobs j on j.id = s.job_id
     left join punctual.outcomes o on o.run_id = s.run_id and o.state = 1
     where j.name = $1 and s.slot_at < clock_timestamp() - interval '1 second' and s.run_id is not null
     group by s.slot_at`,
    [job],
  )
  return rows.map(({ n }) => Number(n))
}

describe.concurrent('each slot runs once when', () => {
  const CUT_MS = 4 * LEASE_MS
  const job = {
    name: 'tick',
    handler: 'tick',
    every: '1s',
    misfire: 'all',
    overlap: 'allow',
  } as const

  it.for(['planner', 'worker'] as const)(
    'only the %s is cut off for several leases (case 77)',
    { timeout: 120_000 },
    async (cut, t) => {
      const kit = await aKit(t.onTestFinished)
      const planner = await aNode(kit, t.onTestFinished, { roles: ['planner'] })
      const worker = await aNode(kit, t.onTestFinished)
      let ran = 0
      worker.node.handler('tick', () => void ran++)
      await kit.punctual.jobs.upsert(job)
      await eventually('it runs', () => ran > 0)
      const { line } = cut === 'planner' ? planner : worker
      line.suffer({ holds: both })
      await pass(CUT_MS)
      line.suffer()
      const before = ran
      await eventually('it runs again', () => ran >= before + 3, 40_000)
      await kit.punctual.jobs.pause('tick')
      await eventually('every slot has ended', async () => {
        const ended = await slotsEnded(kit, 'tick')
        return ended.length >= CUT_MS / 1_000 && ended.every((n) => n === 1)
      })
    },
  )
})

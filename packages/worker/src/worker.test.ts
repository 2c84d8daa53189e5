import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimResult, Settlement, WorkStore } from '@punctual/core/ports'
import { type Gate, gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import type { HandlerContext } from './handler/handler.ts'
import type { WorkerHint, WorkerOptions } from './options/worker-options.ts'
import { Worker } from './worker.ts'

const lane: Lane = {
  ...{ id: 1, tenantId: 1, queue: 'q', handler: 'work', priority: 5, paused: false },
}
const NOTHING: ClaimResult = {
  ...{ sessionAlive: true, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] },
}
const run = (fence: bigint) =>
  ({
    ...{ id: `run-${fence}`, fence, handler: 'work', queue: 'q', lane: 1, priority: 5, weight: 1 },
    ...{ payload: 'null', attempt: 0, crashes: 0, traits: 0, maxAttempts: 3, timeoutMs: 60_000 },
    ...{ policy: null, jobId: null, expiresInMs: null, gate: null },
  }) as ClaimedRun

/** A worker on a store that answers each claim with the next of `claims`. */
function make(claims: (() => ClaimResult | Promise<ClaimResult>)[], concurrency = 1) {
  const clock = new ManualClock()
  const events: string[] = []
  const searches: (readonly bigint[])[] = []
  const settled: Settlement[] = []
  const contexts: HandlerContext[] = []
  const handled: Gate<void>[] = []
  let renewed: (drains: boolean) => void = () => undefined
  let hint: (hint: WorkerHint) => void = () => undefined
  const store: Partial<WorkStore> = {
    lanes: async () => [lane],
    openSession: async ({ drains }) => void events.push(drains ? 'opened, draining' : 'opened'),
    describeSession: async (_, { state }) => void events.push(state),
    closeSession: async () => void events.push('closed'),
    claim: async () => (await claims.shift()?.()) ?? NOTHING,
    giveBack: async (runs) => {
      if (runs.length > 0) events.push(`given back ${runs.map(({ id }) => id)}`)
    },
    cancelRequests: async () => new Map(),
    strayLeases: async (_, known) => {
      searches.push(known)
      return []
    },
    settle: async (_, settlements) => {
      settled.push(...settlements)
      return []
    },
  }
  const worker = new Worker({
    ...{ store, clock, concurrency, queueConcurrency: {}, queues: [], leaseMs: 30_000 },
    ...{ host: 'h', pid: 1, version: '0', labels: {}, outputBytes: 1_000 },
    random: { fraction: () => 0.5, token: () => '7', fill: () => undefined },
    heartbeat: {
      start: (_id, _leaseMs, { onRenewed }) => {
        renewed = onRenewed
        return { stop: async () => undefined }
      },
    },
    hintsArrive: () => true,
    onHint: (listener) => {
      hint = listener
      return () => undefined
    },
    handlers: new Map([
      [
        'work',
        {
          name: 'work',
          run: (_, context) => {
            const end = gate<void>()
            contexts.push(context)
            handled.push(end)
            return end.opened
          },
        },
      ],
    ]),
    events: { onError: (what, error) => events.push(`${what}: ${(error as Error).message}`) },
  } as Partial<WorkerOptions> as WorkerOptions)
  /** Lets promises and the turns of the event loop in which outcomes are collected pass. */
  const pass = async (ms = 0) => {
    await clock.advance(ms)
    // waits: one turn of the event loop
    await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(0)
  }
  /** Lets `stop` complete: it waits on the clock. */
  const stopped = async (stopping: Promise<void>) => {
    for (let turn = 0; turn < 5; turn++) await pass(20_000)
    await stopping
  }
  const drains = (value: boolean) => renewed(value)
  const hinted = (value: WorkerHint) => hint(value)
  return { worker, events, searches, settled, contexts, handled, pass, stopped, drains, hinted }
}

const twoRuns = () => ({ ...NOTHING, runs: [run(1n), run(2n)] })

it('a worker that stops gives back what has not started, and settles what its handlers return', async () => {
  const { worker, events, settled, handled, pass, stopped } = make([twoRuns])
  worker.start()
  await pass()
  expect([worker.running, worker.held]).toEqual([1, 2])
  const stopping = worker.stop(10_000)
  await pass()
  expect(events).toEqual(['opened', 'draining', 'given back run-2'])
  handled[0]?.open()
  await pass()
  await stopped(stopping)
  expect(settled.map(({ kind, run: { id } }) => `${kind} ${id}`)).toEqual(['succeeded run-1'])
  expect(events.at(-1)).toBe('closed')
})

it('a handler that does not return before the deadline is signalled, and then abandoned', async () => {
  const { worker, settled, contexts, pass, stopped } = make([twoRuns])
  worker.start()
  await pass()
  const stopping = worker.stop(10_000)
  await pass()
  const { signal } = contexts[0] as HandlerContext
  await pass(9_999)
  expect(signal.aborted).toBe(false)
  await pass(1)
  expect([signal.aborted, settled]).toEqual([true, []])
  await pass(1_000)
  await stopped(stopping)
  expect(settled).toMatchObject([{ kind: 'retry', delayMs: 0, outcome: 'cancelled' }])
})

it('runs of a claim that is answered after half of the lease go back at once', async () => {
  const answer = gate<ClaimResult>()
  const { worker, events, contexts, pass, stopped } = make([() => answer.opened])
  worker.start()
  await pass()
  await pass(15_001)
  answer.open(twoRuns())
  await pass()
  expect(events).toEqual(['opened', 'given back run-1,run-2'])
  expect(contexts).toEqual([])
  await stopped(worker.stop(0))
})

it('after a claim that failed, the next turn searches for leases that the worker does not know', async () => {
  const one = () => ({ ...NOTHING, runs: [run(1n)] })
  const lost = () => Promise.reject(new Error('cut off'))
  const { worker, events, searches, pass, hinted, stopped } = make([one, lost], 2)
  worker.start()
  await pass()
  hinted({ lanes: [1], newLane: false })
  await pass(5)
  expect([events.at(-1), searches]).toEqual(['claim: cut off', []])
  await pass(100)
  expect(searches).toEqual([[1n]])
  await stopped(worker.stop(0))
})

it('a worker that drains gives back what has not started and claims nothing until the drain ends', async () => {
  let claimed = 0
  const nothing = () => {
    claimed++
    return NOTHING
  }
  const { worker, events, pass, drains, hinted, handled, stopped } = make([twoRuns, nothing])
  worker.start()
  await pass()
  drains(true)
  await pass()
  expect(events).toEqual(['opened', 'given back run-2', 'draining'])
  handled[0]?.open()
  hinted({ lanes: [1], newLane: false })
  await pass(20_000)
  expect(claimed).toBe(0)
  drains(false)
  await pass(100)
  expect([claimed, events.at(-1)]).toEqual([1, 'active'])
  await stopped(worker.stop(0))
})

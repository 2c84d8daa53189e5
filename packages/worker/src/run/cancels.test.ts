import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import type { Attempt } from './attempt.ts'
import { Cancels } from './cancels.ts'

const run = (fence: bigint) => ({ id: `run-${fence}`, fence }) as ClaimedRun

/** `running` and `waiting`: the runs of the worker; `requests`: the answer of the store. */
function make(
  running: readonly ClaimedRun[],
  waiting: readonly ClaimedRun[],
  requests: () => Promise<ReadonlyMap<bigint, string | null>>,
) {
  const clock = new ManualClock()
  const events: string[] = []
  const settled: Settlement[] = []
  let reads = 0
  const attempts = running.map((each) => ({
    ...{ run: each, ended: false },
    cancel: (reason: string) => events.push(`cancel ${each.id}: ${reason}`),
    leaseLost: () => events.push(`lease lost ${each.id}`),
  })) as unknown as readonly Attempt[]
  const cancels = new Cancels({
    clock,
    store: {
      cancelRequests: () => {
        reads++
        return requests()
      },
    },
    runner: {
      attempts,
      held: () => [...running, ...waiting],
      takeUnstarted: (leaves = () => true) => waiting.filter(leaves),
    },
    settle: (settlement) => settled.push(settlement),
    onError: (error) => events.push((error as Error).message),
  })
  return { cancels, clock, events, settled, reads: () => reads }
}

it('running handlers are cancelled, and runs that have not started are settled as cancelled', async () => {
  const requests = new Map([
    [1n, 'no longer needed'],
    [3n, 'no longer needed'],
  ])
  const { cancels, events, settled } = make([run(1n), run(2n)], [run(3n)], async () => requests)
  await cancels.check()
  expect(events).toEqual(['cancel run-1: no longer needed'])
  expect(settled).toMatchObject([
    { kind: 'cancelled', run: { id: 'run-3' }, startedAgoMs: null, reason: 'no longer needed' },
  ])
})

it('runs that belong to another session have lost their lease and are not settled', async () => {
  const requests = new Map([
    [1n, null],
    [2n, null],
  ])
  const { cancels, events, settled } = make([run(1n)], [run(2n)], async () => requests)
  await cancels.check()
  expect([events, settled]).toEqual([['lease lost run-1'], []])
})

it('a hint of runs that are not held reads nothing', async () => {
  const { cancels, reads } = make([run(1n)], [], async () => new Map())
  cancels.hinted(['run-2'])
  expect(reads()).toBe(0)
  cancels.hinted(['run-2', 'run-1'])
  expect(reads()).toBe(1)
})

it('a check is due ten seconds after the last one; a worker that holds nothing reads nothing', async () => {
  const { cancels, clock, reads } = make([run(1n)], [], async () => new Map())
  expect(cancels.due).toBe(true)
  await cancels.check()
  await clock.advance(10_000)
  expect(cancels.due).toBe(false)
  await clock.advance(1)
  expect(cancels.due).toBe(true)
  expect(reads()).toBe(1)
  const empty = make([], [], async () => new Map())
  await empty.cancels.check()
  expect([empty.reads(), empty.cancels.due]).toEqual([0, true])
})

it('a failure to read the requests is reported', async () => {
  const { cancels, events } = make([run(1n)], [], () => Promise.reject(new Error('cut off')))
  await cancels.check()
  expect(events).toEqual(['cut off'])
})

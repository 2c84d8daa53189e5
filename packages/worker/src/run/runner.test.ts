import type { ClaimedRun, WorkStore } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import { type Gate, gate, ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import { Capacity } from './capacity.ts'
import { Runner, type RunnerOptions } from './runner.ts'

const aRun = (fence: bigint, more: Partial<ClaimedRun>): ClaimedRun =>
  ({
    ...{ id: `run-${fence}`, fence, handler: 'work', queue: 'default', payload: 'null' },
    ...{ lane: 1, priority: 5 },
    ...{ attempt: 0, crashes: 0, traits: 0, timeoutMs: 60_000, policy: null, ...more },
  }) as ClaimedRun

interface Lab {
  readonly runner: Runner
  /** Opened by the test: the answer to the mark of each run. */
  readonly marks: Map<string, Gate<ReadonlySet<string>>>
  readonly started: string[]
}

function lab(handled: unknown = new Promise(() => undefined)): Lab {
  const marks: Lab['marks'] = new Map()
  const started: string[] = []
  const store = {
    markStarted([run]: ClaimedRun[]) {
      const mark = gate<ReadonlySet<string>>()
      marks.set(run?.id ?? '', mark)
      return mark.opened
    },
  } as unknown as WorkStore
  const run = (_: unknown, { runId }: { runId: string }) => {
    started.push(runId)
    return handled
  }
  const runner = new Runner({
    ...{ store, clock: new ManualClock(), outputBytes: 1_000, random: () => 0 },
    capacity: new Capacity({ concurrency: 10, queueConcurrency: {} }),
    handlers: new Map([['work', { name: 'work', run }]]),
    settle: () => undefined,
    ...{ onStarted: () => undefined, onReturned: () => undefined, onError: () => undefined },
  } as unknown as RunnerOptions)
  return { runner, marks, started }
}

it('a run whose start is being marked counts as held, so that it is not returned as a stray', async () => {
  const { runner, marks, started } = lab()
  runner.accept([aRun(1n, { traits: traits.atMostOnce })])
  expect(started).toEqual([])
  expect(runner.claims()).toEqual([1n])
  let idle = false
  void runner.idle().then(() => {
    idle = true
  })
  marks.get('run-1')?.open(new Set(['run-1']))
  await marks.get('run-1')?.opened
  await Promise.resolve()
  expect(started).toEqual(['run-1'])
  expect(runner.claims()).toEqual([1n])
  expect(idle).toBe(false)
})

it.for([
  [1, 3],
  [2, 1],
] as const)(
  'of three runs that have crashed %i times %i start at once',
  async ([crashes, count]) => {
    const { runner, marks } = lab()
    runner.accept([1n, 2n, 3n].map((fence) => aRun(fence, { crashes })))
    expect(marks.size).toBe(count)
  },
)

it('the next lone run starts when the outcome of the previous one is stored, not when it has returned', async () => {
  const handled = Promise.resolve('done')
  const { runner, marks, started } = lab(handled)
  const [first, second] = [aRun(1n, { crashes: 2 }), aRun(2n, { crashes: 2 })]
  runner.accept([first, second])
  marks.get('run-1')?.open(new Set(['run-1']))
  // waits: until the runner has noticed that the handler returned
  await new Promise((resolve) => setImmediate(resolve))
  expect(started).toEqual(['run-1'])
  expect([...marks.keys()]).toEqual(['run-1'])
  runner.settled(first)
  expect([...marks.keys()]).toEqual(['run-1', 'run-2'])
})

it('handlers that return at once do not nest their calls: all claimed runs are executed', async () => {
  const { runner, started } = lab(null)
  runner.accept(Array.from({ length: 50_000 }, (_, i) => aRun(BigInt(i), {})))
  // waits: each turn of the event loop starts some of the runs
  for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(started).toHaveLength(50_000)
  await runner.idle()
})

it('handlers that start one another yield to the event loop between bursts', async () => {
  const { runner, started } = lab(Promise.resolve('done'))
  runner.accept(Array.from({ length: 10_000 }, (_, i) => aRun(BigInt(i), {})))
  // waits: one turn of the event loop in which the first burst starts, and the next one
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  const startedFirst = started.length
  expect(startedFirst).toBeGreaterThan(0)
  expect(startedFirst).toBeLessThan(3_000)
  // waits: until the remaining runs have started
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(started).toHaveLength(10_000)
})

import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { ManualClock } from '@punctual/testkit'
import { expect, it } from 'vitest'
import type { HandlerContext } from '../handler/handler.ts'
import { Attempt, type AttemptHost } from './attempt.ts'

const run = {
  ...{ payload: '{"n":1}', attempt: 0, crashes: 0, timeoutMs: 60_000, policy: null, traits: 0 },
} as ClaimedRun

it.each([
  ['steps back by an hour', -3_600_000],
  ['steps ahead by a day', 86_400_000],
  ['repeats a second', -1_000],
])(
  'the duration of an attempt is correct although the wall clock %s meanwhile (case 38)',
  async (_, byMs) => {
    const clock = new ManualClock()
    let stepMs = 0
    const stepping = {
      wallMs: () => clock.wallMs() + stepMs,
      monotonicMs: () => clock.monotonicMs(),
      after: (ms: number, call: () => void) => clock.after(ms, call),
      // waits: on the clock that the test moves
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    }
    const ended: Settlement[] = []
    const host = {
      clock: stepping,
      outputBytes: 1_000,
      onEnded: (_attempt: Attempt, settlement: Settlement) => ended.push(settlement),
      onReturned: () => undefined,
    } as unknown as AttemptHost
    let finish = (_value: string) => {}
    const handler = { name: 'h', run: () => new Promise<string>((resolve) => (finish = resolve)) }
    new Attempt(run, handler, host, stepping.monotonicMs(), null).start()
    await clock.advance(5_000)
    stepMs = byMs
    await clock.advance(2_000)
    finish('done')
    await clock.advance(0)
    expect(ended).toMatchObject([{ kind: 'succeeded', startedAgoMs: 7_000, output: '"done"' }])
  },
)

it('a handler that ignores a cancel is abandoned after 30 s, and keeps its capacity until it returns', async () => {
  const clock = new ManualClock()
  const ended: Settlement[] = []
  let [returned, stuck] = [0, 0]
  const host = {
    clock,
    outputBytes: 1_000,
    onEnded: (_attempt: Attempt, settlement: Settlement) => ended.push(settlement),
    onReturned: () => returned++,
    onStuck: () => stuck++,
  } as unknown as AttemptHost
  let finish = (_value: string) => {}
  let signal: AbortSignal | undefined
  const handler = {
    name: 'h',
    run: (_: unknown, context: HandlerContext) => {
      signal = context.signal
      return new Promise<string>((resolve) => (finish = resolve))
    },
  }
  const attempt = new Attempt(run, handler, host, 0, null)
  attempt.start()
  attempt.cancel('no longer needed')
  attempt.cancel('again')
  expect(signal?.aborted).toBe(true)
  await clock.advance(29_999)
  expect(ended).toEqual([])
  await clock.advance(1)
  expect(ended).toMatchObject([{ kind: 'cancelled', reason: 'no longer needed' }])
  expect([attempt.ended, returned, stuck]).toEqual([true, 0, 1])
  finish('too late')
  await clock.advance(0)
  expect([ended.length, returned]).toEqual([1, 1])
})

it('an attempt whose transaction could not begin counts as not started, so it makes no duplicate', async () => {
  const clock = new ManualClock()
  const ended: Settlement[] = []
  const host = {
    ...{ clock, outputBytes: 1_000, random: () => 0, onReturned: () => undefined },
    onEnded: (_attempt: Attempt, settlement: Settlement) => ended.push(settlement),
    transaction: () => Promise.reject(new Error('sorry, too many clients already')),
  } as unknown as AttemptHost
  const policy = JSON.stringify({
    ...{ backoff: { kind: 'fixed', delayMs: 1, jitter: 0 }, retryOn: ['failed'] },
    transactional: true,
  })
  let calls = 0
  const handler = { name: 'h', run: () => calls++ }
  new Attempt({ ...run, policy, maxAttempts: 3 }, handler, host, clock.monotonicMs(), null).start()
  await clock.advance(0)
  expect(calls).toBe(0)
  expect(ended).toMatchObject([{ kind: 'retry', outcome: 'failed', startedAgoMs: null }])
})

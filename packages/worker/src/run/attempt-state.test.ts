import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AttemptEvent, type AttemptState, RUNNING, transition } from './attempt-state.ts'

const reason = fc.string().map((text) => new Error(text))

/** Everything that can happen to an attempt; the end of a grace period needs one to have begun. */
const signals = fc.oneof(
  reason.map((error): AttemptEvent => ({ kind: 'time_out', reason: error })),
  reason.map((error): AttemptEvent => ({ kind: 'interrupt', reason: error })),
  reason.map((error): AttemptEvent => ({ kind: 'cancel', reason: 'not needed', error })),
)
const ends = fc.oneof(
  fc.anything().map((value): AttemptEvent => ({ kind: 'return', value })),
  fc.anything().map((thrown): AttemptEvent => ({ kind: 'throw', thrown })),
  fc.constant<AttemptEvent>({ kind: 'commit' }),
  reason.map((error): AttemptEvent => ({ kind: 'abandon', reason: error })),
  fc.constant<AttemptEvent>({ kind: 'grace_over' }),
)
const histories = fc.array(fc.oneof(signals, ends), { maxLength: 12 })

const hasGrace = ({ kind }: AttemptState) => kind === 'timed_out' || kind === 'cancelled'
const mayFollow = (state: AttemptState, { kind }: AttemptEvent) =>
  kind !== 'grace_over' || state.kind === 'ended' || hasGrace(state)

/** The states of one history, from the first to the last. */
function play(history: readonly AttemptEvent[]): AttemptState[] {
  const states = [RUNNING]
  for (const event of history) {
    const state = states.at(-1) ?? RUNNING
    if (mayFollow(state, event)) states.push(transition(state, event))
  }
  return states
}

it('every sequence of events has at most one ending, and no later event changes it', () => {
  let ended = 0
  fc.assert(
    fc.property(histories, (history) => {
      const endings = new Set(
        play(history).flatMap((state) => (state.kind === 'ended' ? [state.ending] : [])),
      )
      expect(endings.size).toBeLessThanOrEqual(1)
      ended += endings.size
    }),
    { numRuns: 2_000 },
  )
  expect(ended, 'histories without an end prove nothing').toBeGreaterThan(1_000)
})

it('the first event that ends an attempt ends it, whatever signals came before', () => {
  fc.assert(
    fc.property(fc.array(signals), ends, (before, end) => {
      const open = play(before).at(-1) ?? RUNNING
      expect(open.kind).not.toBe('ended')
      if (mayFollow(open, end)) expect(transition(open, end).kind).toBe('ended')
    }),
    { numRuns: 2_000 },
  )
})

it('the return of a handler is noted once, before or after the end of its attempt', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const states = play(history)
      const returned = states.map((state) => state.kind === 'ended' && state.returned)
      expect(returned).toEqual([...returned].sort((a, b) => Number(a) - Number(b)))
      const returns = history.some(({ kind }) => kind === 'return' || kind === 'throw')
      expect(returned.at(-1)).toBe(returns)
      const changes = states.filter((state, i) => i > 0 && state !== states[i - 1])
      const noted = changes.filter((state) => state.kind === 'ended')
      expect(noted.length).toBeLessThanOrEqual(2)
    }),
    { numRuns: 2_000 },
  )
})

const late = new Error('late')
const stop = new Error('stop')
const cancelled = new Error('cancelled')
const timeOut: AttemptEvent = { kind: 'time_out', reason: late }
const interrupt: AttemptEvent = { kind: 'interrupt', reason: stop }
const cancel: AttemptEvent = { kind: 'cancel', reason: 'not needed', error: cancelled }
const completes: AttemptEvent = { kind: 'return', value: 7 }
const throws: AttemptEvent = { kind: 'throw', thrown: 'thrown' }
const graceOver: AttemptEvent = { kind: 'grace_over' }

const succeeded = { kind: 'succeeded', value: 7 }
const timedOut = (thrown: unknown) => ({ kind: 'failed', outcome: 'timed_out', thrown })
const failed = { kind: 'failed', outcome: 'failed', thrown: 'thrown' }
const isCancelled = (thrown: unknown) => ({ kind: 'cancelled', reason: 'not needed', thrown })

it.each<[string, AttemptEvent[], object]>([
  ['completes: it succeeds', [completes], succeeded],
  ['throws: it fails', [throws], failed],
  ['completes after its timeout: it timed out', [timeOut, completes], timedOut(late)],
  ['throws after its timeout: it timed out', [timeOut, throws], timedOut('thrown')],
  ['ignores its timeout: it timed out', [timeOut, graceOver], timedOut(late)],
  ['completes after an interruption: it succeeds', [interrupt, completes], succeeded],
  ['throws after an interruption: it is retried', [interrupt, throws], abandoned()],
  [
    'times out after an interruption: it timed out',
    [interrupt, timeOut, throws],
    timedOut('thrown'),
  ],
  [
    'is interrupted after its timeout: it timed out',
    [timeOut, interrupt, throws],
    timedOut('thrown'),
  ],
  ['completes after a cancellation: it succeeds', [cancel, completes], succeeded],
  ['throws after a cancellation: it is cancelled', [cancel, throws], isCancelled('thrown')],
  ['ignores a cancellation: it is cancelled', [cancel, graceOver], isCancelled(cancelled)],
  [
    'is cancelled after its timeout, and completes: it timed out',
    [timeOut, cancel, completes],
    timedOut(late),
  ],
  [
    'is cancelled after its timeout, and throws: it is cancelled',
    [timeOut, cancel, throws],
    isCancelled('thrown'),
  ],
  [
    'times out after a cancellation: it is cancelled',
    [cancel, timeOut, throws],
    isCancelled('thrown'),
  ],
  ['is abandoned: it is retried', [cancel, { kind: 'abandon', reason: stop }], abandoned()],
  [
    'commits its transaction, and throws: it has committed',
    [{ kind: 'commit' }, throws],
    { kind: 'committed' },
  ],
])('an attempt whose handler %s', (_, history, ending) => {
  expect(play(history).at(-1)).toMatchObject({ kind: 'ended', ending })
})

function abandoned() {
  return { kind: 'abandoned', reason: stop }
}

it('the end of a grace period that never began is an error', () => {
  expect(() => transition(RUNNING, graceOver)).toThrow('grace period')
  expect(() => transition(transition(RUNNING, interrupt), graceOver)).toThrow('grace period')
})

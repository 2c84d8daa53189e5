import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { limits } from '../errors/limits.ts'
import {
  type Backoff,
  backoffMs,
  compileRetryPolicy,
  decideAfterFailure,
  defaultRetryPolicy,
  type FailedAttempt,
  type RetryPolicyInput,
} from './retry.ts'
import { attemptOutcomes } from './run-state.ts'

/** The largest fraction that a random source gives. */
const ALMOST_ONE = 1 - 2 ** -53

const policies: {
  name: string
  input: RetryPolicyInput
  /** Delays after the first, second, ... failure, in seconds, without any jitter. */
  seconds: number[]
  /** The delay after the thousandth failure. */
  last: number
  jitter: number
}[] = [
  {
    name: 'the default: base 1 s, factor 2, cap 1 h, jitter 30 %',
    input: {},
    seconds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600],
    last: 3_600,
    jitter: 0.3,
  },
  {
    name: '2^n s cap 3600 jitter 10 %',
    input: {
      backoff: { kind: 'exponential', baseMs: 1_000, factor: 2, capMs: 3_600_000, jitter: 0.1 },
    },
    seconds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600],
    last: 3_600,
    jitter: 0.1,
  },
  {
    name: '2^n s cap 3600 jitter 10 %, where n is the number of the failure',
    input: { backoff: { kind: 'exponential', baseMs: 2_000, jitter: 0.1 } },
    seconds: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600, 3_600],
    last: 3_600,
    jitter: 0.1,
  },
  {
    name: '1 x 2^n cap 300 jitter 30 %',
    input: { backoff: { kind: 'exponential', baseMs: 1_000, capMs: 300_000, jitter: 0.3 } },
    seconds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300],
    last: 300,
    jitter: 0.3,
  },
  {
    name: '60 x 2^n jitter 50 %, without its own cap',
    input: {
      backoff: { kind: 'exponential', baseMs: 60_000, capMs: limits.delayMsMax, jitter: 0.5 },
    },
    seconds: [60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360],
    last: limits.delayMsMax / 1_000,
    jitter: 0.5,
  },
  {
    name: 'linear 60 s',
    input: { backoff: { kind: 'linear', stepMs: 60_000 } },
    seconds: [60, 120, 180, 240, 300, 360],
    last: 3_600,
    jitter: 0,
  },
  {
    name: 'fixed 5 s',
    input: { backoff: { kind: 'fixed', delayMs: 5_000 } },
    seconds: [5, 5, 5],
    last: 5,
    jitter: 0,
  },
  {
    name: 'a list, whose last delay repeats',
    input: { backoff: { kind: 'list', delaysMs: [1_000, 60_000, 3_600_000], jitter: 0.2 } },
    seconds: [1, 60, 3_600, 3_600],
    last: 3_600,
    jitter: 0.2,
  },
]

describe.each(policies)('the policy $name', ({ input, seconds, last, jitter }) => {
  const { backoff } = compileRetryPolicy(input)

  test('waits exactly this long without jitter', () => {
    expect(seconds.map((_, i) => backoffMs(backoff, i + 1, 0))).toEqual(
      seconds.map((s) => s * 1_000),
    )
    expect(backoffMs(backoff, 1_000, 0)).toBe(last * 1_000)
  })

  test('waits longer by the whole jitter when the fraction is close to 1', () => {
    expect(seconds.map((_, i) => backoffMs(backoff, i + 1, ALMOST_ONE))).toEqual(
      seconds.map((s) => Math.round(s * 1_000 * (1 + jitter))),
    )
  })

  test('survives being stored as JSON', () => {
    const policy = compileRetryPolicy(input)
    expect(JSON.parse(JSON.stringify(policy))).toEqual(policy)
  })
})

const delay = fc.oneof(fc.integer({ min: 0, max: limits.delayMsMax }), fc.constant(0))
const jitter = fc.double({ min: 0, max: 1, noNaN: true })
const anyBackoff: fc.Arbitrary<Backoff> = fc.oneof(
  fc.record({
    kind: fc.constant('exponential' as const),
    baseMs: delay,
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    capMs: delay,
    jitter,
  }),
  fc.record({ kind: fc.constant('linear' as const), stepMs: delay, capMs: delay, jitter }),
  fc.record({ kind: fc.constant('fixed' as const), delayMs: delay, jitter }),
  fc.record({
    kind: fc.constant('list' as const),
    delaysMs: fc.array(delay, { minLength: 1, maxLength: 100 }),
    jitter,
  }),
)
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('every policy that compiles gives an integer, bounded delay after any number of failures', () => {
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 0, max: 1_000 }), fraction, (backoff, n, f) => {
      const compiled = compileRetryPolicy({ backoff })
      expect(compiled.backoff).toEqual(backoff)
      const next = decideAfterFailure(aFailure({ failures: n, maxAttempts: 1_001 }), compiled, f)
      expect(next.kind).toBe('retry')
      const { delayMs } = next as { delayMs: number }
      expect(Number.isInteger(delayMs)).toBe(true)
      expect(delayMs).toBeGreaterThanOrEqual(0)
      expect(delayMs).toBeLessThanOrEqual(limits.delayMsMax)
    }),
  )
})

test('an exponential policy never waits shorter after one more failure', () => {
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 1, max: 999 }), (backoff, n) => {
      fc.pre(backoff.kind === 'exponential' || backoff.kind === 'linear')
      expect(backoffMs(backoff, n + 1, 0)).toBeGreaterThanOrEqual(backoffMs(backoff, n, 0))
    }),
  )
})

test('jitter never shortens a delay and never adds more than its share', () => {
  fc.assert(
    fc.property(anyBackoff, fc.integer({ min: 1, max: 50 }), fraction, (backoff, n, f) => {
      const least = backoffMs(backoff, n, 0)
      const jittered = backoffMs(backoff, n, f)
      expect(jittered).toBeGreaterThanOrEqual(least)
      expect(jittered).toBeLessThanOrEqual(Math.ceil(least * (1 + backoff.jitter)) + 1)
    }),
  )
})

function aFailure(changes: Partial<FailedAttempt> = {}): FailedAttempt {
  return {
    outcome: 'failed',
    codes: [],
    failures: 1,
    maxAttempts: 3,
    nonRetryable: false,
    retryAfterMs: null,
    ...changes,
  }
}

describe('after a failed attempt', () => {
  test.for([
    ['tries are left', {}, { kind: 'retry', delayMs: 1_000 }],
    ['the second of three failed', { failures: 2 }, { kind: 'retry', delayMs: 2_000 }],
    ['the last of three failed', { failures: 3 }, { kind: 'dead', reason: 'attempts_exhausted' }],
    ['more failed than allowed', { failures: 9 }, { kind: 'dead', reason: 'attempts_exhausted' }],
    ['its only attempt failed', { maxAttempts: 1 }, { kind: 'dead', reason: 'attempts_exhausted' }],
    ['it timed out', { outcome: 'timed_out' }, { kind: 'retry', delayMs: 1_000 }],
    ['it crashed', { outcome: 'crashed' }, { kind: 'retry', delayMs: 1_000 }],
    ['it was cancelled', { outcome: 'cancelled' }, { kind: 'dead', reason: 'policy' }],
    ['it is hopeless', { nonRetryable: true }, { kind: 'dead', reason: 'non_retryable' }],
    [
      'it is non-retryable and was the last attempt',
      { nonRetryable: true, failures: 3 },
      { kind: 'dead', reason: 'non_retryable' },
    ],
    [
      'it is non-retryable and requests a delay',
      { nonRetryable: true, retryAfterMs: 5 },
      { kind: 'dead', reason: 'non_retryable' },
    ],
    ['it says when', { retryAfterMs: 12_345 }, { kind: 'retry', delayMs: 12_345 }],
    ['it requests a retry at once', { retryAfterMs: 0 }, { kind: 'retry', delayMs: 0 }],
    [
      'it requests a delay, but no attempt is left',
      { retryAfterMs: 5, failures: 3 },
      { kind: 'dead', reason: 'attempts_exhausted' },
    ],
    [
      'it requests a thousand years',
      { retryAfterMs: 1_000 * 366 * 86_400_000 },
      { kind: 'retry', delayMs: limits.delayMsMax },
    ],
  ] as [string, Partial<FailedAttempt>, object][])('when %s', ([, changes, expected]) => {
    expect(decideAfterFailure(aFailure(changes), defaultRetryPolicy, 0)).toEqual(expected)
  })

  test('only the outcomes that the policy names are retried', () => {
    for (const outcome of ['failed', 'timed_out', 'crashed'] as const) {
      const policy = compileRetryPolicy({ retryOn: [outcome] })
      for (const other of Object.keys(attemptOutcomes) as (keyof typeof attemptOutcomes)[])
        expect(decideAfterFailure(aFailure({ outcome: other }), policy, 0).kind).toBe(
          other === outcome ? 'retry' : 'dead',
        )
    }
  })

  test.for([
    ['its code is listed', { retryOn: ['ECONNRESET'] }, ['ECONNRESET', 'Error'], 'retry'],
    ['its name is listed', { retryOn: ['TypeError'] }, ['TypeError'], 'retry'],
    ['only other codes are listed', { retryOn: ['ECONNRESET'] }, ['EPIPE', 'Error'], 'dead'],
    ['its code aborts', { abortOn: ['E_CARD'] }, ['E_CARD', 'Error'], 'dead'],
    ['another code aborts', { abortOn: ['E_CARD'] }, ['EPIPE', 'Error'], 'retry'],
    ['its outcome aborts', { abortOn: ['failed'] }, [], 'dead'],
    ['both name it', { retryOn: ['EPIPE'], abortOn: ['EPIPE'] }, ['EPIPE'], 'dead'],
  ] as [string, RetryPolicyInput, string[], string][])('when %s', ([, input, codes, kind]) => {
    expect(decideAfterFailure(aFailure({ codes }), compileRetryPolicy(input), 0).kind).toBe(kind)
  })

  test('a policy with an empty retryOn retries nothing', () => {
    const policy = compileRetryPolicy({ retryOn: [] })
    expect(decideAfterFailure(aFailure(), policy, 0)).toEqual({ kind: 'dead', reason: 'policy' })
  })
})

describe('an invalid policy is refused with the field name', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  test.for([
    ['retry', null],
    ['retry', 'exponential'],
    ['retry', []],
    ['retry.maxRetries', { maxRetries: 3 }],
    ['retry.retryOn', { retryOn: 'failed' }],
    ['retry.retryOn', { retryOn: 5 }],
    ['retry.retryOn', { retryOn: ['succeeded'] }],
    ['retry.retryOn', { retryOn: [null] }],
    ['retry.abortOn', { abortOn: ['cancelled'] }],
    ['retry.abortOn', { abortOn: [''] }],
    ['retry.abortOn', { abortOn: ['a\u0000'] }],
    ['retry.abortOn', { abortOn: Array.from({ length: 51 }, (_, i) => `E${i}`) }],
    ['retry.backoff.kind', { backoff: null }],
    ['retry.backoff.kind', { backoff: 'linear' }],
    ['retry.backoff.kind', { backoff: {} }],
    ['retry.backoff.kind', { backoff: { kind: 'quadratic' } }],
    ['retry.backoff.kind', { backoff: { kind: 'constructor' } }],
    ['retry.backoff.kind', { backoff: { kind: circular } }],
    ['retry.backoff.base', { backoff: { kind: 'exponential', base: 5 } }],
    ['retry.backoff.delaysMs', { backoff: { kind: 'fixed', delaysMs: [1] } }],
    ['retry.backoff.baseMs', { backoff: { kind: 'exponential', baseMs: -1 } }],
    ['retry.backoff.baseMs', { backoff: { kind: 'exponential', baseMs: '1000' } }],
    ['retry.backoff.baseMs', { backoff: { kind: 'exponential', baseMs: null } }],
    ['retry.backoff.baseMs', { backoff: { kind: 'exponential', baseMs: Number.NaN } }],
    ['retry.backoff.factor', { backoff: { kind: 'exponential', factor: 0.5 } }],
    ['retry.backoff.factor', { backoff: { kind: 'exponential', factor: 101 } }],
    ['retry.backoff.capMs', { backoff: { kind: 'exponential', capMs: 5n } }],
    ['retry.backoff.capMs', { backoff: { kind: 'linear', capMs: Number.POSITIVE_INFINITY } }],
    ['retry.backoff.stepMs', { backoff: { kind: 'linear', stepMs: {} } }],
    ['retry.backoff.delayMs', { backoff: { kind: 'fixed', delayMs: limits.delayMsMax + 1 } }],
    ['retry.backoff.jitter', { backoff: { kind: 'fixed', jitter: 1.1 } }],
    ['retry.backoff.jitter', { backoff: { kind: 'fixed', jitter: -0.1 } }],
    ['retry.backoff.jitter', { backoff: { kind: 'list', delaysMs: [1], jitter: '0.5' } }],
    ['retry.backoff.delaysMs', { backoff: { kind: 'list' } }],
    ['retry.backoff.delaysMs', { backoff: { kind: 'list', delaysMs: [] } }],
    ['retry.backoff.delaysMs', { backoff: { kind: 'list', delaysMs: new Array(101).fill(1) } }],
    ['retry.backoff.delaysMs[1]', { backoff: { kind: 'list', delaysMs: [1, undefined] } }],
    ['retry.backoff.delaysMs[0]', { backoff: { kind: 'list', delaysMs: new Array(2) } }],
  ] as [string, RetryPolicyInput][])('%s of case %#', ([field, input]) => {
    expect(() => compileRetryPolicy(input)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })

  test('an outcome that is listed twice counts once', () => {
    expect(compileRetryPolicy({ retryOn: ['failed', 'failed'] }).retryOn).toEqual(['failed'])
  })
})

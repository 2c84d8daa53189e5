/** Decides what follows a failed attempt: pure decisions, no clock and no effect. */
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'
import type { AttemptOutcome } from './run-state.ts'

/** The delay before the next attempt; `jitter` adds up to that fraction of the delay. */
export type Backoff =
  | { kind: 'exponential'; baseMs: number; factor: number; capMs: number; jitter: number }
  | { kind: 'linear'; stepMs: number; capMs: number; jitter: number }
  | { kind: 'fixed'; delayMs: number; jitter: number }
  | { kind: 'list'; delaysMs: readonly number[]; jitter: number }

/** When failed attempts are retried, complete with defaults. */
export interface RetryPolicy {
  /** The delay before the next attempt. */
  backoff: Backoff
  /** The attempt outcomes and error codes that are retried. */
  retryOn: readonly string[]
  /** Outcomes and error codes that are never retried, even if `retryOn` includes them. */
  abortOn?: readonly string[]
}

/**
 * A backoff as the caller writes it. By default `exponential` waits 1 s and doubles that up to 1 h,
 * with a jitter of 0.3; `linear` adds 60 s each time up to 1 h; `fixed` waits 1 s. `list` takes up
 * to 100 delays and repeats the last one. `jitter` adds up to that fraction of the delay.
 */
export type BackoffInput =
  | { kind: 'exponential'; baseMs?: number; factor?: number; capMs?: number; jitter?: number }
  | { kind: 'linear'; stepMs?: number; capMs?: number; jitter?: number }
  | { kind: 'fixed'; delayMs?: number; jitter?: number }
  | { kind: 'list'; delaysMs: readonly number[]; jitter?: number }

/** A policy as the caller writes it: fields that are left out take their defaults. */
export interface RetryPolicyInput {
  /**
   * The delay before the next attempt. @default exponential: 1 s, doubled each time up to 1 h, with
   * a jitter of 0.3
   */
  backoff?: BackoffInput
  /**
   * The failures that are retried: attempt outcomes (`failed`, `timed_out`, `crashed`), and codes
   * or names of errors (`ECONNRESET`, `TypeError`). @default all three outcomes
   */
  retryOn?: readonly string[]
  /** The failures that are not retried, even if `retryOn` includes them. @default none */
  abortOn?: readonly string[]
}

export const defaultRetryPolicy: RetryPolicy = Object.freeze({
  backoff: { kind: 'exponential', baseMs: 1_000, factor: 2, capMs: 3_600_000, jitter: 0.3 },
  retryOn: ['failed', 'timed_out', 'crashed'],
} as const)

/** The most outcomes and codes in one list. */
export const CODES_MAX = 50

function invalid(field: string, expected: string, received: unknown): never {
  const message = `${field} must be ${expected}; got ${shown(received)}.`
  throw new PunctualError('invalid_option', message, { field })
}

function numberIn(field: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  return invalid(field, `a number from ${min} to ${max}`, value)
}

/**
 * Checks for an object with no other properties than these: a misspelled name must not silently
 * mean a default.
 */
function checkShape(field: string, value: unknown, names: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    invalid(field, 'an object', value)
  for (const name of Object.keys(value))
    if (!names.includes(name)) {
      const at = `${field}.${name.slice(0, 80)}`
      throw new PunctualError(
        'invalid_option',
        `${at} is not known. ${field} takes ${names.join(', ')}.`,
        { field: at },
      )
    }
}

const backoffNames: Readonly<Record<string, readonly string[]>> = {
  exponential: ['kind', 'baseMs', 'factor', 'capMs', 'jitter'],
  linear: ['kind', 'stepMs', 'capMs', 'jitter'],
  fixed: ['kind', 'delayMs', 'jitter'],
  list: ['kind', 'delaysMs', 'jitter'],
}

function compileBackoff(input: BackoffInput): Backoff {
  const at = 'retry.backoff'
  const kind: unknown = (input as { kind?: unknown } | null)?.kind
  const names = typeof kind === 'string' && Object.hasOwn(backoffNames, kind) && backoffNames[kind]
  if (!names) return invalid(`${at}.kind`, 'exponential, linear, fixed or list', kind)
  checkShape(at, input, names)
  const delay = (name: string, value: number | undefined, otherwise: number) =>
    numberIn(`${at}.${name}`, value === undefined ? otherwise : value, 0, limits.delayMsMax)
  const { kind: shape, jitter: given = shape === 'exponential' ? 0.3 : 0 } = input
  const jitter = numberIn(`${at}.jitter`, given, 0, 1)
  switch (input.kind) {
    case 'exponential':
      return {
        kind: 'exponential',
        baseMs: delay('baseMs', input.baseMs, 1_000),
        factor: numberIn(`${at}.factor`, input.factor === undefined ? 2 : input.factor, 1, 100),
        capMs: delay('capMs', input.capMs, 3_600_000),
        jitter,
      }
    case 'linear':
      return {
        kind: 'linear',
        stepMs: delay('stepMs', input.stepMs, 60_000),
        capMs: delay('capMs', input.capMs, 3_600_000),
        jitter,
      }
    case 'fixed':
      return { kind: 'fixed', delayMs: delay('delayMs', input.delayMs, 1_000), jitter }
    case 'list': {
      const { delaysMs } = input
      if (!Array.isArray(delaysMs) || delaysMs.length === 0 || delaysMs.length > 100)
        return invalid(`${at}.delaysMs`, 'an array of 1 to 100 delays', delaysMs)
      const checked = Array.from(delaysMs, (ms, i) =>
        numberIn(`${at}.delaysMs[${i}]`, ms, 0, limits.delayMsMax),
      )
      return { kind: 'list', delaysMs: checked, jitter }
    }
  }
}

export function compileRetryPolicy(input: RetryPolicyInput): RetryPolicy {
  checkShape('retry', input, ['backoff', 'retryOn', 'abortOn'])
  const { backoff, retryOn = defaultRetryPolicy.retryOn, abortOn } = input
  return {
    backoff: backoff === undefined ? defaultRetryPolicy.backoff : compileBackoff(backoff),
    retryOn: compileCodes('retry.retryOn', retryOn),
    ...(abortOn !== undefined && { abortOn: compileCodes('retry.abortOn', abortOn) }),
  }
}

/** Outcomes to which no policy applies: the lifecycle handles them. */
const neverAsked: readonly string[] = [
  'succeeded',
  'cancelled',
  'terminated',
] satisfies AttemptOutcome[]

function compileCodes(field: string, codes: unknown): readonly string[] {
  const expected = `an array of at most ${CODES_MAX} outcomes (failed, timed_out, crashed) and error codes`
  if (!Array.isArray(codes) || codes.length > CODES_MAX) return invalid(field, expected, codes)
  for (const code of codes) {
    if (typeof code !== 'string' || code.length === 0 || code.length > limits.nameLength)
      invalid(field, `a list of strings of 1 to ${limits.nameLength} characters`, code)
    if (neverAsked.includes(code))
      invalid(field, 'a list of failed, timed_out, crashed and error codes', code)
    if (/\p{Cc}/u.test(code) || !code.isWellFormed())
      invalid(field, 'free of control characters and unpaired surrogates', code)
  }
  return [...new Set<string>(codes)]
}

/**
 * Returns the delay after the `failures`-th failure (1 = the first); `fraction` is random in [0,
 * 1).
 */
export function backoffMs(backoff: Backoff, failures: number, fraction: number): number {
  const n = Math.max(1, failures)
  const base = (() => {
    switch (backoff.kind) {
      case 'exponential': {
        // For many failures the power is infinite, and zero times infinity is not a number.
        const power = Math.min(Number.MAX_VALUE, backoff.factor ** (n - 1))
        return Math.min(backoff.capMs, backoff.baseMs * power)
      }
      case 'linear':
        return Math.min(backoff.capMs, backoff.stepMs * n)
      case 'fixed':
        return backoff.delayMs
      case 'list':
        return backoff.delaysMs[Math.min(n, backoff.delaysMs.length) - 1] as number
    }
  })()
  return Math.round(base * (1 + backoff.jitter * fraction))
}

export interface FailedAttempt {
  outcome: AttemptOutcome
  /** Names that the policy may match besides the outcome: the code and the name of the error. */
  codes: readonly string[]
  /** Failures so far, including this one; crashes are counted separately. */
  failures: number
  maxAttempts: number
  /** Whether the handler said that a retry cannot help. */
  nonRetryable: boolean
  /** The delay that the handler requested. */
  retryAfterMs: number | null
}

export type AfterFailure =
  | { kind: 'retry'; delayMs: number }
  | { kind: 'dead'; reason: 'attempts_exhausted' | 'non_retryable' | 'policy' }

export function decideAfterFailure(
  attempt: FailedAttempt,
  policy: RetryPolicy,
  fraction: number,
): AfterFailure {
  if (attempt.nonRetryable) return { kind: 'dead', reason: 'non_retryable' }
  const called = [attempt.outcome, ...attempt.codes]
  const named = (list: readonly string[] = []) => called.some((name) => list.includes(name))
  if (!named(policy.retryOn) || named(policy.abortOn)) return { kind: 'dead', reason: 'policy' }
  if (attempt.failures >= attempt.maxAttempts) return { kind: 'dead', reason: 'attempts_exhausted' }
  const delayMs = attempt.retryAfterMs ?? backoffMs(policy.backoff, attempt.failures, fraction)
  return { kind: 'retry', delayMs: Math.min(delayMs, limits.delayMsMax) }
}

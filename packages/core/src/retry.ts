/** What follows a failed attempt: pure decisions, no clock and no effect. */
import { PunctualError } from './errors.ts'
import { limits } from './limits.ts'
import type { AttemptOutcome } from './run-state.ts'

/** How long to wait before attempt n + 1; `jitter` adds up to that fraction of the delay. */
export type Backoff =
  | { kind: 'exponential'; baseMs: number; factor: number; capMs: number; jitter: number }
  | { kind: 'linear'; stepMs: number; capMs: number; jitter: number }
  | { kind: 'fixed'; delayMs: number; jitter: number }
  | { kind: 'list'; delaysMs: readonly number[]; jitter: number }

export interface RetryPolicy {
  backoff: Backoff
  /** The attempt outcomes that are tried again. */
  retryOn: readonly AttemptOutcome[]
}

/** A policy as people write it: whatever is left out takes its default. */
export interface RetryPolicyInput {
  backoff?:
    | ({ kind: 'exponential' } & Partial<Omit<Extract<Backoff, { kind: 'exponential' }>, 'kind'>>)
    | ({ kind: 'linear' } & Partial<Omit<Extract<Backoff, { kind: 'linear' }>, 'kind'>>)
    | ({ kind: 'fixed' } & Partial<Omit<Extract<Backoff, { kind: 'fixed' }>, 'kind'>>)
    | { kind: 'list'; delaysMs: readonly number[]; jitter?: number }
  retryOn?: readonly AttemptOutcome[]
}

export const defaultRetryPolicy: RetryPolicy = Object.freeze({
  backoff: { kind: 'exponential', baseMs: 1_000, factor: 2, capMs: 3_600_000, jitter: 0.3 },
  retryOn: ['failed', 'timed_out', 'crashed'],
} as const)

const retryable: readonly AttemptOutcome[] = ['failed', 'timed_out', 'crashed', 'cancelled']

function numberIn(field: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value
  throw new PunctualError(
    'invalid_option',
    `${field} must be a number from ${min} to ${max}, but ${JSON.stringify(value)} came.`,
    { field },
  )
}

function compileBackoff(input: NonNullable<RetryPolicyInput['backoff']>): Backoff {
  const at = 'retry.backoff'
  const delay = (name: string, value: number | undefined, otherwise: number) =>
    numberIn(`${at}.${name}`, value ?? otherwise, 0, limits.delayMsMax)
  const jitter = numberIn(
    `${at}.jitter`,
    input.jitter ?? (input.kind === 'exponential' ? 0.3 : 0),
    0,
    1,
  )
  switch (input.kind) {
    case 'exponential':
      return {
        kind: 'exponential',
        baseMs: delay('baseMs', input.baseMs, 1_000),
        factor: numberIn(`${at}.factor`, input.factor ?? 2, 1, 100),
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
      if (
        !Array.isArray(input.delaysMs) ||
        input.delaysMs.length === 0 ||
        input.delaysMs.length > 100
      )
        throw new PunctualError('invalid_option', `${at}.delaysMs must hold 1 to 100 delays.`, {
          field: `${at}.delaysMs`,
        })
      const delaysMs = input.delaysMs.map((ms, i) => delay(`delaysMs[${i}]`, ms, 0))
      return { kind: 'list', delaysMs, jitter }
    }
    default:
      throw new PunctualError(
        'invalid_option',
        `${at}.kind must be exponential, linear, fixed or list, but ${JSON.stringify((input as { kind?: unknown }).kind)} came.`,
        { field: `${at}.kind` },
      )
  }
}

export function compileRetryPolicy(input: RetryPolicyInput): RetryPolicy {
  const retryOn = input.retryOn ?? defaultRetryPolicy.retryOn
  for (const outcome of retryOn)
    if (!retryable.includes(outcome))
      throw new PunctualError(
        'invalid_option',
        `retry.retryOn takes ${retryable.join(', ')}, but ${JSON.stringify(outcome)} came.`,
        { field: 'retry.retryOn' },
      )
  return {
    backoff: input.backoff ? compileBackoff(input.backoff) : defaultRetryPolicy.backoff,
    retryOn: [...retryOn],
  }
}

/** The delay after the `failures`-th failure (1 = the first); `fraction` is random in [0, 1). */
export function backoffMs(backoff: Backoff, failures: number, fraction: number): number {
  const n = Math.max(1, failures)
  const base = (() => {
    switch (backoff.kind) {
      case 'exponential':
        return Math.min(backoff.capMs, backoff.baseMs * backoff.factor ** (n - 1))
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
  /** Failures so far, this one included; crashes are counted apart. */
  failures: number
  maxAttempts: number
  /** The handler said that trying again cannot help. */
  nonRetryable: boolean
  /** The handler said when to try again. */
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
  if (!policy.retryOn.includes(attempt.outcome)) return { kind: 'dead', reason: 'policy' }
  if (attempt.failures >= attempt.maxAttempts) return { kind: 'dead', reason: 'attempts_exhausted' }
  const delayMs = attempt.retryAfterMs ?? backoffMs(policy.backoff, attempt.failures, fraction)
  return { kind: 'retry', delayMs: Math.min(delayMs, limits.delayMsMax) }
}

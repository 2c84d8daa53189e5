/**
 * The outcome of an attempt as workers in any language report it: they report what happened, and
 * the server decides what follows, by the policy of the run and with the same function as workers
 * with a database connection.
 */

import { encodeJson } from '../check/json-value.ts'
import { type Failure, storableText } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'
import type { ClaimedRun, Settlement } from '../ports/work.ts'
import { decideAfterInterruption } from '../run/interruption.ts'
import { decideAfterFailure } from '../run/retry.ts'
import { decodeRunPolicy } from '../run/run-policy.ts'
import { traits } from '../run/run-state.ts'

/**
 * - `interrupted`: the worker stops, and the attempt has no result; it is retried at once.
 * - `skipped`: it was not started because it has expired.
 * - `awaiting`: its target accepted the work and reports the outcome later.
 * - `unknown`: it must not run twice, and nobody knows what its target did.
 */
export const wireOutcomes = [
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'interrupted',
  'skipped',
  'awaiting',
  'unknown',
] as const

export interface WireError {
  readonly name?: string
  readonly message?: string
  readonly stack?: string
  readonly code?: string
  /** False when a retry cannot help. */
  readonly retryable?: boolean
}

export interface WireOutcome {
  readonly run_id: string
  readonly fence: string
  readonly outcome: (typeof wireOutcomes)[number]
  readonly output?: unknown
  readonly error?: WireError
  /** Why it was cancelled or skipped. */
  readonly reason?: string
  readonly retry_after_ms?: number
  /** How long to await the report of the target. */
  readonly timeout_ms?: number
  readonly status_url?: string | null
  /** Null or missing when the handler was never called. */
  readonly started_ms_ago?: number | null
}

/**
 * Writes an outcome as text. Successes are frequent: only the output needs encoding in them, and it
 * is JSON already.
 */
export function writeOutcome(settlement: Settlement): string {
  const { run, startedAgoMs } = settlement
  if (settlement.kind === 'succeeded') {
    const output = settlement.output === null ? '' : `,"output":${settlement.output}`
    return `{"run_id":"${run.id}","fence":"${run.fence}","started_ms_ago":${startedAgoMs},"outcome":"succeeded"${output}}`
  }
  const base = { run_id: run.id, fence: run.fence.toString(), started_ms_ago: startedAgoMs }
  const text = (rest: Partial<WireOutcome>) => JSON.stringify({ ...base, ...rest })
  switch (settlement.kind) {
    case 'cancelled': {
      const { failure, reason } = settlement
      return text({ outcome: 'cancelled', reason, ...(failure && { error: failure }) })
    }
    case 'skipped':
      return text({ outcome: 'skipped', reason: settlement.reason })
    case 'unknown':
      return text({ outcome: 'unknown', reason: settlement.reason, error: settlement.failure })
    case 'awaiting': {
      const { timeoutMs, statusUrl } = settlement
      const wait = { timeout_ms: timeoutMs, status_url: statusUrl }
      return text({ outcome: 'awaiting', ...wait })
    }
    default:
      return text(failed(settlement))
  }
}

function failed(settlement: Extract<Settlement, { kind: 'retry' | 'dead' }>): Partial<WireOutcome> {
  const { kind, outcome, failure } = settlement
  if (outcome === 'cancelled') return { outcome: 'interrupted', error: failure }
  const reported = outcome === 'timed_out' ? 'timed_out' : 'failed'
  // A TypeScript worker has already decided by the same policy; the server still decides for
  // itself.
  if (kind === 'retry')
    return { outcome: reported, error: failure, retry_after_ms: settlement.delayMs }
  const { reason } = settlement
  const final = reason === 'non_retryable' || reason === 'outcome_not_storable'
  return { outcome: reported, error: { ...failure, ...(final && { retryable: false }) } }
}

/** Reads a success; if its output cannot be stored, returns the failure instead. */
export function readSuccess(
  wire: WireOutcome,
  outputBytes: number,
): { readonly output: string | null } | { readonly failed: WireOutcome } {
  const { output = null } = wire
  try {
    return { output: output === null ? null : encodeJson(output, 'output', outputBytes) }
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string }
    const refused = { name, message, ...(code !== undefined && { code }) }
    return { failed: { ...wire, outcome: 'failed', error: refused } }
  }
}

/** Decides what follows from any outcome but a success; `fraction` is random in [0, 1). */
export function readOutcome(wire: WireOutcome, run: ClaimedRun, fraction: number): Settlement {
  const startedAgoMs = wire.started_ms_ago ?? null
  const reason = storableText(wire.reason ?? '', limits.nameLength)
  switch (wire.outcome) {
    case 'cancelled': {
      const failure = wire.error ? failureOf(wire.error) : null
      return { kind: 'cancelled', run, startedAgoMs, failure, reason: reason || 'cancelled' }
    }
    case 'awaiting':
      return {
        ...{ kind: 'awaiting', run, startedAgoMs, timeoutMs: wire.timeout_ms ?? run.timeoutMs },
        statusUrl: wire.status_url ?? null,
      }
    case 'unknown': {
      const failure = failureOf(wire.error ?? {})
      // A run that may run again is retried by its policy.
      if ((run.traits & traits.atMostOnce) === 0) return afterFailure(wire, run, fraction)
      const ending = { outcome: 'failed', failure, reason: reason || 'unclear' } as const
      return { kind: 'unknown', run, startedAgoMs, ...ending }
    }
    case 'skipped':
      return { kind: 'skipped', run, startedAgoMs: null, reason: reason || 'skipped' }
    case 'interrupted':
      return interrupted(wire, run, startedAgoMs)
    default:
      return afterFailure(wire, run, fraction)
  }
}

function interrupted(wire: WireOutcome, run: ClaimedRun, startedAgoMs: number | null): Settlement {
  const failure = failureOf({
    name: 'AbortError',
    message: 'The worker is stopping.',
    ...wire.error,
  })
  const base = { run, startedAgoMs, outcome: 'cancelled', failure } as const
  const next = decideAfterInterruption(run)
  return next.kind === 'retry'
    ? { ...base, kind: 'retry', delayMs: 0 }
    : { ...base, kind: 'dead', reason: next.reason }
}

function afterFailure(wire: WireOutcome, run: ClaimedRun, fraction: number): Settlement {
  const failure = failureOf(wire.error ?? {})
  const outcome = wire.outcome === 'timed_out' ? 'timed_out' : 'failed'
  const next = decideAfterFailure(
    {
      outcome,
      codes: failure.code === undefined ? [failure.name] : [failure.code, failure.name],
      failures: run.attempt + 1 - run.crashes,
      maxAttempts: run.maxAttempts,
      nonRetryable: wire.error?.retryable === false,
      retryAfterMs: wire.retry_after_ms ?? null,
    },
    decodeRunPolicy(run.policy),
    fraction,
  )
  const base = { run, startedAgoMs: wire.started_ms_ago ?? null, outcome, failure } as const
  return next.kind === 'retry'
    ? { ...base, kind: 'retry', delayMs: next.delayMs }
    : { ...base, kind: 'dead', reason: next.reason }
}

function failureOf({ name, message, stack, code }: WireError): Failure {
  return {
    name: storableText(name || 'Error', limits.nameLength),
    message: storableText(message ?? '', limits.errorMessageLength),
    ...(stack !== undefined && { stack: storableText(stack, limits.errorStackLength) }),
    ...(code !== undefined && { code: storableText(code, limits.nameLength) }),
  }
}

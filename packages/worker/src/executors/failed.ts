/** Outcomes of executors that failed, and the errors that stand for them in a worker. */
import { NonRetryableError, RetryAfterError, UnclearOutcomeError } from '@punctual/core/errors'
import type { ExecutionOutcome, Reached } from './executor.ts'

export type FailedOutcome = Extract<ExecutionOutcome, { readonly kind: 'failed' }>

/** A failure with a stable code, by which retry policies can name it. */
export function failed(
  code: string,
  message: string,
  reached: Reached,
  more: Pick<FailedOutcome, 'retry' | 'retryAfterMs'> = {},
): FailedOutcome {
  return { kind: 'failed', failure: { name: 'TargetError', message, code }, reached, ...more }
}

/**
 * Thrown by `prepare`: the target was not reached, and another attempt would fail in the same way.
 */
export class PreparationError extends NonRetryableError {
  override readonly name = 'TargetError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The error that ends an attempt with this failure, which the attempt stores as it is. A run that is
 * delivered at most once, and whose target was perhaps reached, ends as `unknown`.
 */
export function errorOf(outcome: FailedOutcome, atMostOnce: boolean): Error {
  const { message, name, code, stack } = outcome.failure
  const isUnclear = atMostOnce && outcome.reached === 'perhaps'
  const error = isUnclear ? new UnclearOutcomeError(message) : plainError(outcome, message)
  Object.assign(error, { name, ...(code !== undefined && { code }) })
  // The stack of this function would say nothing about the target.
  Reflect.set(error, 'stack', stack)
  return error
}

function plainError({ retry = true, retryAfterMs }: FailedOutcome, message: string): Error {
  if (!retry) return new NonRetryableError(message)
  return retryAfterMs === undefined
    ? new Error(message)
    : new RetryAfterError(retryAfterMs, message)
}

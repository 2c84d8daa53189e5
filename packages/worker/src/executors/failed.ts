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

/** The error that ends an attempt with this failure, which the attempt stores as it is. */
export function errorOf({ failure, retry = true, retryAfterMs }: FailedOutcome): Error {
  const { message, name, code, stack } = failure
  const error = !retry
    ? new NonRetryableError(message)
    : retryAfterMs === undefined
      ? new Error(message)
      : new RetryAfterError(retryAfterMs, message)
  Object.assign(error, { name, ...(code !== undefined && { code }) })
  // The stack of this function would say nothing about the target.
  Reflect.set(error, 'stack', stack)
  return error
}

/**
 * A run that is delivered at most once and may have reached its target: nobody knows its outcome,
 * and a second request could be a second effect.
 */
export function unclearOutcome({ failure }: FailedOutcome): Error {
  const message = `The target may have received the request, and the run is delivered at most once: ${failure.message}`
  const error = new UnclearOutcomeError(message)
  return Object.assign(error, { name: failure.name, code: 'outcome_unknown' })
}

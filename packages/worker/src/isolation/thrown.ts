/**
 * An error of a handler in the form in which it crosses the isolation boundary: its text and how it
 * wants to be retried. The attempt treats the revived error like the original.
 */
import {
  type Failure,
  failureFrom,
  isNonRetryable,
  NonRetryableError,
  RetryAfterError,
  retryAfterMs,
} from '@punctual/core/errors'

export interface ThrownRecord extends Failure {
  readonly nonRetryable: boolean
  readonly retryAfterMs: number | null
}

export function recordThrown(thrown: unknown): ThrownRecord {
  const retry = { nonRetryable: isNonRetryable(thrown), retryAfterMs: retryAfterMs(thrown) }
  return { ...failureFrom(thrown), ...retry }
}

export function reviveThrown(record: ThrownRecord): Error {
  const error = revived(record)
  const fields = { name: record.name, stack: record.stack, code: record.code }
  for (const [name, value] of Object.entries(fields))
    Object.defineProperty(error, name, { value, writable: true, configurable: true })
  return error
}

function revived({ message, ...retry }: ThrownRecord): Error {
  if (retry.nonRetryable) return new NonRetryableError(message)
  if (retry.retryAfterMs !== null) return new RetryAfterError(retry.retryAfterMs, message)
  return new Error(message)
}

/**
 * What a handler has thrown, as it travels: its words, and what it asks for. What comes out at the other end is
 * treated by the attempt as the original would be.
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
  const asks = { nonRetryable: isNonRetryable(thrown), retryAfterMs: retryAfterMs(thrown) }
  return { ...failureFrom(thrown), ...asks }
}

export function reviveThrown(record: ThrownRecord): Error {
  const error = revived(record)
  const words = { name: record.name, stack: record.stack, code: record.code }
  for (const [name, value] of Object.entries(words))
    Object.defineProperty(error, name, { value, writable: true, configurable: true })
  return error
}

function revived({ message, ...asks }: ThrownRecord): Error {
  if (asks.nonRetryable) return new NonRetryableError(message)
  if (asks.retryAfterMs !== null) return new RetryAfterError(asks.retryAfterMs, message)
  return new Error(message)
}

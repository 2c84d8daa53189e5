/**
 * Tries again what a fault of the moment stopped: a deadlock, a lost connection, a day without partition.
 * Bounded by a deadline. `again` tells the work that an earlier try may have taken effect.
 */
import { type Clock, PunctualError } from '@punctual/core'
import {
  isConnectionFault,
  isDiskFull,
  isMissingPartition,
  isMissingSchema,
  isTransient,
} from './faults.ts'

export interface RetryOptions {
  readonly clock: Clock
  readonly deadlineMs: number
  /** Makes the missing day; called at most once. */
  readonly ensurePartitions?: () => Promise<void>
  readonly signal?: AbortSignal
}

export async function retrying<T>(
  options: RetryOptions,
  work: (again: boolean) => Promise<T>,
): Promise<T> {
  const endMs = options.clock.monotonicMs() + options.deadlineMs
  let again = false
  let ensured = false
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(again)
    } catch (error) {
      if (isMissingPartition(error) && options.ensurePartitions && !ensured) {
        ensured = true
        await options.ensurePartitions()
        continue
      }
      if (isMissingSchema(error))
        throw new PunctualError(
          'schema_missing',
          'The schema is missing or incomplete. Run `punctual migrate`.',
          { cause: error },
        )
      if (isDiskFull(error))
        throw new PunctualError(
          'database_full',
          `PostgreSQL has no room left, and nothing was stored: ${(error as Error).message}. Make room and try again.`,
          { cause: error },
        )
      const lost = isConnectionFault(error)
      if (!lost && !isTransient(error)) throw error
      again ||= lost
      const pauseMs = Math.min(1_000, 10 * 2 ** Math.min(attempt, 7))
      if (options.signal?.aborted || options.clock.monotonicMs() + pauseMs > endMs) {
        if (!lost) throw error
        throw new PunctualError(
          'database_unavailable',
          `PostgreSQL did not answer for ${options.deadlineMs} ms: ${(error as Error).message}`,
          { cause: error },
        )
      }
      await options.clock.sleep(pauseMs, options.signal)
    }
  }
}

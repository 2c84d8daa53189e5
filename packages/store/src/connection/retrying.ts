/**
 * Tries again what a fault of the moment stopped: a deadlock, a lost connection, a day without partition.
 * Bounded by a deadline. `again` tells the work that an earlier try may have taken effect.
 */
import type { Clock } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
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
  const begunMs = options.clock.monotonicMs()
  const endMs = begunMs + options.deadlineMs
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
      const nowMs = options.clock.monotonicMs()
      if (options.signal?.aborted || nowMs + pauseMs > endMs) {
        if (!lost) throw error
        // Work that takes long has long been answered when it is cut off: what is told is what is known.
        const tried = `try ${attempt}, after ${Math.round(nowMs - begunMs)} ms`
        throw new PunctualError(
          'database_unavailable',
          `PostgreSQL did not answer: ${(error as Error).message} (${tried})`,
          { cause: error },
        )
      }
      await options.clock.sleep(pauseMs, options.signal)
    }
  }
}

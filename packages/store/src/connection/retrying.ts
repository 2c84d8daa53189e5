/**
 * Retries work that a transient fault stopped: a deadlock, a lost connection, a day without
 * partitions. A deadline bounds it. `again` is true when an earlier try may have taken effect.
 */
import type { Clock } from '@punctual/core/clock'
import { PunctualError } from '@punctual/core/errors'
import {
  isConnectionFault,
  isDiskFull,
  isMissingPartition,
  isMissingSchema,
  isTransient,
  messageOf,
} from './faults.ts'

export interface RetryOptions {
  readonly clock: Clock
  readonly deadlineMs: number
  /** Creates the missing day; called at most once. */
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
          `PostgreSQL is out of disk space and stored nothing: ${messageOf(error)}. Free disk space and retry.`,
          { cause: error },
        )
      const lost = isConnectionFault(error)
      if (!lost && !isTransient(error)) throw error
      again ||= lost
      const pauseMs = Math.min(1_000, 10 * 2 ** Math.min(attempt, 7))
      const nowMs = options.clock.monotonicMs()
      if (options.signal?.aborted || nowMs + pauseMs > endMs) {
        if (!lost) throw error
        // A long try may have been answered before it was cut off: report only the tries and time.
        const tried = `try ${attempt}, after ${Math.round(nowMs - begunMs)} ms`
        throw new PunctualError(
          'database_unavailable',
          `PostgreSQL did not answer: ${messageOf(error)} (${tried})`,
          { cause: error },
        )
      }
      await options.clock.sleep(pauseMs, options.signal)
    }
  }
}

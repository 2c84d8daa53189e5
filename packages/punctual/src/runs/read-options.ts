/** Options for reading runs, waiting for them and reading their logs. */
import { integer } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import type { LogPosition, RunFilter } from '@punctual/core/run'

const LIST_MAX = 1_000
const DAYS_MAX = 3_660

/** Options of `waitFor`. */
export interface WaitOptions {
  /**
   * After this many milliseconds the wait rejects with `wait_timeout`; the run itself continues.
   * @default no limit
   */
  timeoutMs?: number
  /** Ends the wait with the signal's reason; the run itself continues. */
  signal?: AbortSignal
}

/** Which log lines to read. */
export interface LogOptions {
  /** Only lines after this position: pass the last line of a page to get the next page. */
  after?: LogPosition
  /** The most lines to return, up to 10,000. @default 10000 */
  limit?: number
  /** Returns the last N lines instead, up to 10,000; excludes `after` and `limit`. */
  last?: number
}

/** Which runs to list, and how many. */
export interface ListOptions extends RunFilter {
  /** The most runs to return, up to 1,000. @default 50 */
  limit?: number
  /** How many days back to search finished runs, up to 3,660. @default 90 */
  days?: number
}

export function checkList(options: ListOptions): ListOptions {
  const { limit, days } = options
  if (limit !== undefined) integer('limit', limit, 1, LIST_MAX)
  if (days !== undefined) integer('days', days, 0, DAYS_MAX)
  return options
}

export function checkLogOptions(options: LogOptions): LogOptions {
  const { after, limit, last } = options
  if (limit !== undefined) integer('limit', limit, 1, limits.logLinesPerPage)
  if (last !== undefined) integer('last', last, 1, limits.logLinesPerPage)
  if (after !== undefined) {
    integer('after.attempt', after?.attempt, 0, 32_767)
    integer('after.seq', after?.seq, -1, 2_147_483_647)
  }
  if (last !== undefined && (after !== undefined || limit !== undefined))
    throw new PunctualError(
      'invalid_option',
      'last excludes after and limit; pass last alone, or the others.',
      { field: 'last' },
    )
  return options
}

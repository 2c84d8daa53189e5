/** What reading runs, waiting for them and reading their logs takes. */
import { integer } from '@punctual/core/check'
import { limits, PunctualError } from '@punctual/core/errors'
import type { LogPosition, RunFilter } from '@punctual/core/run'

const LIST_MAX = 1_000
const DAYS_MAX = 3_660

/** How long to wait for a run. */
export interface WaitOptions {
  /** After this the wait rejects with `wait_timeout`; the run goes on. @default no limit */
  timeoutMs?: number
  /** Ends the wait with its reason; the run goes on. */
  signal?: AbortSignal
}

/** Which lines of a log are read. */
export interface LogOptions {
  /** Only lines after this one: give the last line of a page to get the next page. */
  after?: LogPosition
  /** The most lines to give, up to 10,000. @default 10000 */
  limit?: number
  /** The last so many lines instead, up to 10,000; not together with the others. */
  last?: number
}

/** Which runs are listed, and how many. */
export interface ListOptions extends RunFilter {
  /** The most runs to give, up to 1,000. @default 50 */
  limit?: number
  /** How many days back finished runs are looked for. @default 90 */
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
      'last excludes after and limit; give it alone, or the others.',
      { field: 'last' },
    )
  return options
}

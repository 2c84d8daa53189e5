/**
 * Resolves a submission whose key is taken: it returns the existing run, changes it, takes over its
 * key or is refused. A window makes a key last longer than its run, or a run wait for further
 * submissions.
 */
import { integer } from '../check/check-value.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'

export const conflictModes = ['return', 'replace', 'debounce', 'throttle', 'error'] as const

/** How to handle a submission while a run with the same key is live. */
export type OnConflict = (typeof conflictModes)[number]

/**
 * Milliseconds, or a string such as `500ms`, `5s`, `10m`, `24h` or `7d`, where a day has 24 hours.
 */
export type TimeSpan = number | string

/** The key of a run, and the handling of submissions with the same key. */
export interface KeyOptions {
  /**
   * At most one live run has this key: while one is live, submitting again returns it, or follows
   * `onConflict`. Up to 255 characters. @default none
   */
  key?: string
  /**
   * How to handle a submission while a run with the same `key` is live. `return`: return the live
   * run's id. `replace`: update the live run with this submission; if it has started, a new run
   * takes over the key. `debounce`: the same, and the run is due `window` after the last
   * submission. `throttle`: one run per `window`, live or ended. `error`: refuse the submission
   * with `key_conflict`.
   * @default 'return'
   */
  onConflict?: OnConflict
  /**
   * With `debounce`: how long no submission must arrive before the run is due. With `throttle` and
   * `return`: how long after a run was accepted its id is returned, even when it has ended.
   */
  window?: TimeSpan
  /**
   * With `debounce`: the maximum delay of the run after its first submission. @default unlimited
   */
  maxWait?: TimeSpan
}

/**
 * Null in compiled options means `return` without a window. `throttle` is `return` with a window.
 */
export type KeyConflict =
  | { readonly mode: 'return'; readonly windowMs: number }
  | { readonly mode: 'replace' | 'error' }
  | { readonly mode: 'debounce'; readonly windowMs: number; readonly maxWaitMs: number | null }

/** The effect of a submission: a new run, the existing run, or the existing run changed. */
export type SubmitOutcome = 'created' | 'existing' | 'replaced'

export function compileKeyConflict(
  options: {
    readonly [name in keyof KeyOptions | 'runAt' | 'delayMs']?: unknown
  },
): KeyConflict | null {
  const { key, onConflict, window, maxWait } = options
  if (onConflict === undefined && window === undefined && maxWait === undefined) return null
  if (key === undefined) refuseOption('key', 'set when onConflict or window is set', key)
  const mode = onConflict === undefined ? 'return' : oneOf('onConflict', conflictModes, onConflict)
  if (mode !== 'debounce' && maxWait !== undefined)
    refuseOption('maxWait', 'left out, unless onConflict is debounce', maxWait)
  if (mode === 'debounce') return debounceOf(options)
  if (mode === 'replace' || mode === 'error') {
    if (window !== undefined)
      refuseOption('window', 'left out, unless onConflict is debounce, throttle or return', window)
    return { mode }
  }
  if (mode === 'return' && window === undefined) return null
  return { mode: 'return', windowMs: spanOf('window', window) }
}

function debounceOf({ window, maxWait, runAt, delayMs }: Record<string, unknown>): KeyConflict {
  if (runAt !== undefined || delayMs !== undefined)
    refuseOption(
      runAt === undefined ? 'delayMs' : 'runAt',
      'left out with onConflict debounce, whose window sets the time',
      runAt ?? delayMs,
    )
  const windowMs = spanOf('window', window)
  const maxWaitMs = maxWait === undefined ? null : spanOf('maxWait', maxWait)
  if (maxWaitMs !== null && maxWaitMs < windowMs)
    refuseOption('maxWait', 'at least as long as window', maxWait)
  return { mode: 'debounce', windowMs, maxWaitMs }
}

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const SPAN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Converts a time span to milliseconds. */
export function spanOf(field: string, given: unknown): number {
  if (typeof given === 'number') return integer(field, given, 1, limits.windowMsMax)
  const [, count, unit] = (typeof given === 'string' && SPAN.exec(given)) || []
  const ms = Math.round(Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS])
  if (!(ms >= 1 && ms <= limits.windowMsMax))
    refuseOption(
      field,
      `milliseconds, or a string such as 500ms, 5s, 10m, 24h or 7d, from 1 ms to ${limits.windowMsMax / 86_400_000} days`,
      given,
    )
  return ms
}

/** The answer to a submission. */
export interface Submitted {
  /** The id of the run; pass it to `punctual.runs`. */
  readonly id: string
  /** False when a run with the same key already existed; `id` is then the id of that run. */
  readonly created: boolean
  /**
   * `existing`: a run with the same key exists, unchanged. `replaced`: that run was updated from
   * this submission.
   */
  readonly outcome: SubmitOutcome
}

/**
 * What becomes of a submission whose key is taken: it is answered with the run that is there, changes it, takes its key
 * over or is refused. A window makes a key last longer than its run, or a run wait for the last word.
 */
import { integer } from '../check/check-value.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'

const MODES = ['return', 'replace', 'debounce', 'throttle', 'error'] as const

/** What happens to a submission while a run with the same key is live. */
export type OnConflict = (typeof MODES)[number]

/** Milliseconds, or a text such as `500ms`, `5s`, `10m`, `24h` or `7d`, where a day has 24 hours. */
export type TimeSpan = number | string

/** The key of a run, and what happens to submissions with the same. */
export interface KeyOptions {
  /**
   * One live run per key: while one is live, submitting again returns it, or does what `onConflict` says. Up to 255
   * characters. @default none
   */
  key?: string
  /**
   * What happens while a run with the same `key` is live. `return`: its id is the answer. `replace`: it becomes what this
   * submission says, unless it has started: then a new run takes the key over. `debounce`: the same, and it is
   * due `window` after the last submission. `throttle`: one run per `window`, whether it is live or has ended. `error`:
   * the submission is refused with `key_conflict`.
   * @default 'return'
   */
  onConflict?: OnConflict
  /**
   * With `debounce`: how long it must be quiet before the run is due. With `throttle` and `return`: how long after a
   * run was accepted its id is the answer, also when it has ended.
   */
  window?: TimeSpan
  /** With `debounce`: the run is due at the latest so long after its first submission. @default for ever */
  maxWait?: TimeSpan
}

/** Null in compiled options means `return` without a window. Throttling is `return` with one. */
export type KeyConflict =
  | { readonly mode: 'return'; readonly windowMs: number }
  | { readonly mode: 'replace' | 'error' }
  | { readonly mode: 'debounce'; readonly windowMs: number; readonly maxWaitMs: number | null }

/** What a submission came to: a new run, the one that was there, or that one changed. */
export type SubmitOutcome = 'created' | 'existing' | 'replaced'

export function compileKeyConflict(
  options: {
    readonly [name in keyof KeyOptions | 'runAt' | 'delayMs']?: unknown
  },
): KeyConflict | null {
  const { key, onConflict, window, maxWait } = options
  if (onConflict === undefined && window === undefined && maxWait === undefined) return null
  if (key === undefined) refuseOption('key', 'given together with onConflict and window', key)
  const mode = onConflict === undefined ? 'return' : oneOf('onConflict', MODES, onConflict)
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
      'left out with onConflict debounce, whose window says when',
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

function spanOf(field: string, given: unknown): number {
  if (typeof given === 'number') return integer(field, given, 1, limits.windowMsMax)
  const [, count, unit] = (typeof given === 'string' && SPAN.exec(given)) || []
  const ms = Math.round(Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS])
  if (!(ms >= 1 && ms <= limits.windowMsMax))
    refuseOption(
      field,
      `milliseconds, or a text such as 500ms, 5s, 10m, 24h or 7d, from 1 ms to ${limits.windowMsMax / 86_400_000} days`,
      given,
    )
  return ms
}

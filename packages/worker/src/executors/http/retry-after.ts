/** Reads the header `Retry-After`: seconds, or a date of HTTP. */

/** A target cannot put a run off for longer than a day. */
export const RETRY_AFTER_MS_MAX = 86_400_000

const SECONDS = /^\d{1,15}$/
/** The parser of dates takes nearly any text for a date; HTTP dates begin with a weekday. */
const DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i

/** Returns undefined for a value that is missing, negative or no time. */
export function retryAfterIn(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MS_MAX)
  const atMs = DATE.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(atMs)) return undefined
  return Math.min(Math.max(0, atMs - nowMs), RETRY_AFTER_MS_MAX)
}

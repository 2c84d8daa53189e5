/** Aligns long rests: an idle process wakes up once for all its roles. */
const TOGETHER_MS = 5_000
/** Timers occasionally fire a little early. */
const EARLY_MS = 50

/** Returns how long to rest, by a monotonic clock. Short rests stay unchanged. */
export function restTogether(nowMs: number, restMs: number): number {
  if (restMs < TOGETHER_MS) return restMs
  return Math.floor((nowMs + restMs + EARLY_MS) / TOGETHER_MS) * TOGETHER_MS - nowMs
}

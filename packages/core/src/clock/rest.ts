/** Long rests end together: a process that has nothing to do wakes up once for all that it looks after. */
const TOGETHER_MS = 5_000
/** Timers fire a little early now and then. */
const EARLY_MS = 50

/** How long to rest when so long is asked for; of a clock that only goes forward. Short rests stay as they are. */
export function restTogether(nowMs: number, restMs: number): number {
  if (restMs < TOGETHER_MS) return restMs
  return Math.floor((nowMs + restMs + EARLY_MS) / TOGETHER_MS) * TOGETHER_MS - nowMs
}

/**
 * Decides whether and when to restart a server that ended by itself: almost immediately at first,
 * with a growing delay while it keeps failing, and not at all after too many failures in a row.
 */

const firstDelayMs = 100
const delayMaxMs = 10_000
/** Spans about four minutes: time to notice a full disk and free some space. */
const failuresMax = 30
/** A server that ran this long was healthy: its end resets the count. */
const healthyUptimeMs = 60_000

export class RestartPolicy {
  #failures = 0

  /** Milliseconds to wait before the next start, or undefined to give up. */
  nextDelayMs(uptimeMs: number): number | undefined {
    if (uptimeMs >= healthyUptimeMs) this.#failures = 0
    this.#failures += 1
    if (this.#failures > failuresMax) return undefined
    return Math.min(firstDelayMs * 2 ** (this.#failures - 1), delayMaxMs)
  }
}

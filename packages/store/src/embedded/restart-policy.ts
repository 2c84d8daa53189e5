/**
 * Decides whether and when a server that ended by itself is started again: at once at first, ever
 * more slowly while it keeps failing, and no more after a number of failures in a row.
 */

const firstDelayMs = 100
const delayMaxMs = 10_000
/** About four minutes: time to notice a full disk and to make room on it. */
const failuresMax = 30
/** A server that ran this long was healthy, and its end begins a new count. */
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

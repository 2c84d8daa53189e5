/**
 * This process's estimate of the database's clock, which decides what is due. Each sample places
 * the server's answer between two local readings; a sample that took much longer than the fastest
 * one is discarded.
 */
import type { Clock } from '@punctual/core/clock'

export class DatabaseClock {
  readonly #clock: Clock
  /** Before the first sample the best guess is this machine's own clock. */
  #offsetMs: number
  #bestRoundTripMs = Number.POSITIVE_INFINITY
  #sampledAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.wallMs() - clock.monotonicMs()
  }

  /** Milliseconds since the epoch by the database's clock, as estimated. */
  nowMs(): number {
    return this.at(this.#clock.monotonicMs())
  }

  /** The database's time at a reading of the local monotonic clock. */
  at(monotonicMs: number): number {
    return monotonicMs + this.#offsetMs
  }

  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#sampledAtMs
  }

  /** How far this machine's wall clock is ahead of the database's clock. */
  get skewMs(): number {
    return this.#clock.wallMs() - this.nowMs()
  }

  sample(sentAtMs: number, databaseMs: number): void {
    const receivedAtMs = this.#clock.monotonicMs()
    const roundTripMs = receivedAtMs - sentAtMs
    const stale = this.ageMs > 60_000
    if (!stale && roundTripMs > this.#bestRoundTripMs * 2 + 1) return
    this.#bestRoundTripMs = stale ? roundTripMs : Math.min(roundTripMs, this.#bestRoundTripMs)
    this.#offsetMs = databaseMs - (sentAtMs + receivedAtMs) / 2
    this.#sampledAtMs = receivedAtMs
  }
}

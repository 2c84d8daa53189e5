/**
 * This process's estimate of the database's clock, which decides what is due. Each sample brackets the
 * server's answer between two local readings; one that took much longer than the best is not believed.
 */
import type { Clock } from '@punctual/core/clock'

export class DatabaseClock {
  readonly #clock: Clock
  /** Until the first sample this machine's own clock is the best guess. */
  #offsetMs: number
  #bestRoundTripMs = Number.POSITIVE_INFINITY
  #sampledAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.wallMs() - clock.monotonicMs()
  }

  /** Milliseconds since the epoch by the database, as far as is known. */
  nowMs(): number {
    return this.at(this.#clock.monotonicMs())
  }

  /** The database's time at a moment of the local clock that only goes forward. */
  at(monotonicMs: number): number {
    return monotonicMs + this.#offsetMs
  }

  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#sampledAtMs
  }

  /** How far this machine's wall clock is ahead of the database's. */
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

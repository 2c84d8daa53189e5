/**
 * Wakes a loop for hints, at most once in a while: tenants cause hints, and none of them may decide
 * how often a role works for all. A hint that comes too soon is not lost but deferred.
 */
import type { Clock } from '@punctual/core/clock'

export class WakeLimit {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #wake: () => void
  #wokenMs = Number.NEGATIVE_INFINITY
  #deferred = false

  constructor(clock: Clock, everyMs: number, wake: () => void) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#wake = wake
  }

  hint(): void {
    if (this.#deferred) return
    const waitMs = this.#wokenMs + this.#everyMs - this.#clock.monotonicMs()
    if (waitMs <= 0) this.#now()
    else {
      this.#deferred = true
      this.#clock.after(waitMs, () => this.#now())
    }
  }

  #now(): void {
    this.#deferred = false
    this.#wokenMs = this.#clock.monotonicMs()
    this.#wake()
  }
}

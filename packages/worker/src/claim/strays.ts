/**
 * Stray leases: they belong to the session of this worker, and this worker does not know them,
 * because the answer of a claim was lost, or a call that returned runs failed. A search finds them
 * and returns their runs to the queue: once a minute, and in the next turn of the loop when such a
 * call has failed.
 */
import type { Clock } from '@punctual/core/clock'
import type { WorkStore } from '@punctual/core/ports'

const EVERY_MS = 60_000

export class Strays {
  readonly #store: Pick<WorkStore, 'strayLeases' | 'giveBack'>
  readonly #clock: Clock
  #searchedAtMs: number

  constructor(store: Pick<WorkStore, 'strayLeases' | 'giveBack'>, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#searchedAtMs = clock.monotonicMs()
  }

  /** A call failed that may have left a stray. */
  request(): void {
    this.#searchedAtMs = Number.NEGATIVE_INFINITY
  }

  get due(): boolean {
    return this.#clock.monotonicMs() - this.#searchedAtMs >= EVERY_MS
  }

  /** Returns the session's strays. `known`: the fences of all leases that this worker knows. */
  async giveBack(sessionId: string | null, known: readonly bigint[]): Promise<void> {
    if (sessionId === null) return
    const nowMs = this.#clock.monotonicMs()
    const strays = await this.#store.strayLeases(sessionId, known)
    if (strays.length > 0) await this.#store.giveBack(strays)
    this.#searchedAtMs = nowMs
  }
}

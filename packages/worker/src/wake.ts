/** A sleep that can be cut short, also by a wake that came just before it began. */
import type { Clock } from '@punctual/core'

export class Wake {
  readonly #clock: Clock
  #woken = false
  #sleeping: AbortController | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Woken and not yet awake: another wake changes nothing. */
  get pending(): boolean {
    return this.#woken
  }

  wake(): void {
    if (this.#woken) return
    this.#woken = true
    this.#sleeping?.abort()
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#woken && ms > 0) {
      this.#sleeping = new AbortController()
      await this.#clock.sleep(ms, this.#sleeping.signal)
      this.#sleeping = null
    }
    this.#woken = false
  }
}

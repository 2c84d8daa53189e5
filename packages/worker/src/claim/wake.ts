/** A sleep that can be cut short, also by a wake just before it begins. */
import type { Clock } from '@punctual/core/clock'

export class Wake {
  readonly #clock: Clock
  #woken = false
  #resume: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The sleep is cut short and has not ended yet: another wake changes nothing. */
  get pending(): boolean {
    return this.#woken
  }

  wake(): void {
    if (this.#woken) return
    this.#woken = true
    this.#resume?.()
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#woken && ms > 0) {
      let callOff = () => {}
      await new Promise<void>((resolve) => {
        this.#resume = resolve
        callOff = this.#clock.after(ms, resolve)
      })
      this.#resume = null
      callOff()
    }
    this.#woken = false
  }
}

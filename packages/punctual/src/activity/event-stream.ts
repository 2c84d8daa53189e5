/**
 * Events for a loop: `for await (const event of punctual.activity())`. Events that happen while the
 * loop is busy wait here, up to a bound; a loop that falls further behind ends with an error, so
 * that memory stays bounded.
 */
import { PunctualError } from '@punctual/core/errors'

const BEHIND_MAX = 10_000

export class EventStream<Event> implements AsyncIterableIterator<Event> {
  readonly #onClose: () => void
  #events: Event[] = []
  #waiting: { resolve(result: IteratorResult<Event>): void }[] = []
  #closed = false
  #fault: Error | null = null

  constructor(onClose: () => void) {
    this.#onClose = onClose
  }

  push(event: Event): void {
    if (this.#closed) return
    const waiting = this.#waiting.shift()
    if (waiting) waiting.resolve({ value: event, done: false })
    else if (this.#events.length < BEHIND_MAX) this.#events.push(event)
    else {
      this.#fault = new PunctualError(
        'activity_behind',
        `The activity loop is more than ${BEHIND_MAX} events behind and was ended. Do slow work elsewhere, or select fewer events.`,
      )
      this.close()
    }
  }

  /** Events that are waiting are still delivered; then the loop ends. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#onClose()
    for (const { resolve } of this.#waiting.splice(0)) resolve({ value: undefined, done: true })
  }

  async next(): Promise<IteratorResult<Event>> {
    const event = this.#events.shift()
    if (event !== undefined) return { value: event, done: false }
    const fault = this.#fault
    this.#fault = null
    if (fault) throw fault
    if (this.#closed) return { value: undefined, done: true }
    return new Promise((resolve) => this.#waiting.push({ resolve }))
  }

  /** Called when the program leaves the loop. */
  async return(): Promise<IteratorResult<Event>> {
    this.#events = []
    this.#fault = null
    this.close()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

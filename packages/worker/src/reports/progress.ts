/** Stores the latest progress of each run, at most once a second. */
import type { Clock } from '@punctual/core/clock'
import type { ClaimedRun, WorkStore } from '@punctual/core/ports'

const EVERY_MS = 1_000

export class Progress {
  readonly #store: Pick<WorkStore, 'reportProgress'>
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  #latest = new Map<string, { run: ClaimedRun; value: string }>()
  #scheduled = false

  constructor(
    store: Pick<WorkStore, 'reportProgress'>,
    clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#store = store
    this.#clock = clock
    this.#onError = onError
  }

  report(run: ClaimedRun, value: string): void {
    this.#latest.set(run.id, { run, value })
    if (this.#scheduled) return
    this.#scheduled = true
    void this.#flushThenRest()
  }

  /** The first value is stored at once, so that it is visible soon; later ones once a second. */
  async #flushThenRest(): Promise<void> {
    await this.#flush()
    await this.#clock.sleep(EVERY_MS)
    this.#scheduled = false
    const [left] = this.#latest.values()
    if (left) this.report(left.run, left.value)
  }

  async #flush(): Promise<void> {
    await Promise.resolve()
    const latest = [...this.#latest.values()]
    this.#latest = new Map()
    await this.#store.reportProgress(latest).catch(this.#onError)
  }
}

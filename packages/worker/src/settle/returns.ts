/**
 * Returns runs to the queue unchanged instead of settling them. If that fails, their leases are
 * unknown to this worker, and a search for strays returns them.
 */
import type { ClaimedRun, WorkStore } from '@punctual/core/ports'

export interface ReturnsOptions {
  readonly store: Pick<WorkStore, 'giveBack'>
  /** The attempt of a run has ended, and the run is in the queue again or a stray. */
  readonly onGivenBack: (run: ClaimedRun) => void
  /** A call failed. `what`: why the runs were to be returned. */
  readonly onFailed: (what: string, error: unknown) => void
}

export class Returns {
  readonly #options: ReturnsOptions
  readonly #ended = new Set<Promise<void>>()

  constructor(options: ReturnsOptions) {
    this.#options = options
  }

  /** Returns runs; never rejects. */
  async giveBack(what: string, runs: readonly ClaimedRun[]): Promise<void> {
    try {
      await this.#options.store.giveBack(runs)
    } catch (error) {
      this.#options.onFailed(what, error)
    }
  }

  /** Returns a run whose attempt has ended. */
  ended(run: ClaimedRun): void {
    const returning = this.giveBack('give back', [run]).then(() => {
      this.#options.onGivenBack(run)
      this.#ended.delete(returning)
    })
    this.#ended.add(returning)
  }

  /** Resolves when the runs whose attempts have ended are returned. */
  async idle(): Promise<void> {
    await Promise.all(this.#ended)
  }
}

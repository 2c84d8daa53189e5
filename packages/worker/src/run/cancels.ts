/**
 * Cancels of runs that this worker holds. A hint names them; because a hint may be lost, the store
 * is also asked every ten seconds. A running handler is signalled to stop, and a run that has not
 * started is settled as cancelled.
 */
import type { Clock } from '@punctual/core/clock'
import type { Settlement, WorkStore } from '@punctual/core/ports'
import type { Runner } from './runner.ts'

const EVERY_MS = 10_000

export interface CancelsOptions {
  readonly store: Pick<WorkStore, 'cancelRequests'>
  readonly clock: Clock
  readonly runner: Pick<Runner, 'attempts' | 'held' | 'takeUnstarted'>
  readonly settle: (settlement: Settlement) => void
  readonly onError: (error: unknown) => void
}

export class Cancels {
  readonly #options: CancelsOptions
  #checkedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: CancelsOptions) {
    this.#options = options
  }

  get due(): boolean {
    return this.#options.clock.monotonicMs() - this.#checkedAtMs > EVERY_MS
  }

  /** A user cancelled these runs. */
  hinted(runIds: readonly string[]): void {
    const ids = new Set(runIds)
    if (this.#options.runner.held().some(({ id }) => ids.has(id))) void this.check()
  }

  /** Reads which held runs are to be cancelled, and cancels them; never rejects. */
  async check(): Promise<void> {
    const { store, clock, runner, settle, onError } = this.#options
    const runs = runner.held()
    if (runs.length === 0) return
    this.#checkedAtMs = clock.monotonicMs()
    try {
      const requests = await store.cancelRequests(runs)
      for (const attempt of runner.attempts) {
        const reason = requests.get(attempt.run.fence)
        if (typeof reason === 'string') attempt.cancel(reason)
        else if (reason === null && !attempt.ended) attempt.leaseLost()
      }
      for (const run of runner.takeUnstarted(({ fence }) => requests.has(fence))) {
        const reason = requests.get(run.fence)
        if (typeof reason === 'string')
          settle({ kind: 'cancelled', run, startedAgoMs: null, failure: null, reason })
      }
    } catch (error) {
      onError(error)
    }
  }
}

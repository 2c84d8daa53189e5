/**
 * Prepares the start of runs: a run that has crashed, or must not run twice, is marked as started
 * first, and a run with a checkpoint receives it.
 */
import type { ClaimedRun, WorkStore } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'

export interface PreparationOptions {
  readonly store: Pick<WorkStore, 'checkpoints' | 'markStarted' | 'giveBack'>
  readonly onPrepared: (run: ClaimedRun, checkpoint: string | null) => void
  /** The run must not start: another worker owns it, or may own it. */
  readonly onRefused: (run: ClaimedRun) => void
  readonly onError: (error: unknown) => void
}

export function needsPreparation(run: ClaimedRun): boolean {
  return run.crashes > 0 || (run.traits & (traits.atMostOnce | traits.checkpointed)) !== 0
}

export class Preparation {
  readonly #options: PreparationOptions
  readonly #pending = new Map<ClaimedRun, Promise<void>>()

  constructor(options: PreparationOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#pending.size
  }

  /** The runs that are being prepared. */
  runs(): Iterable<ClaimedRun> {
    return this.#pending.keys()
  }

  /** Resolves when the runs of now are prepared; null when there are none. */
  get done(): Promise<unknown> | null {
    return this.size === 0 ? null : Promise.all(this.#pending.values())
  }

  begin(run: ClaimedRun): void {
    this.#pending.set(run, this.#prepare(run))
  }

  async #prepare(run: ClaimedRun): Promise<void> {
    const { store, onPrepared, onRefused, onError } = this.#options
    try {
      const states = run.traits & traits.checkpointed ? await store.checkpoints([run.id]) : null
      const marks = run.crashes > 0 || (run.traits & traits.atMostOnce) !== 0
      const owned = !marks || (await store.markStarted([run])).has(run.id)
      if (owned) {
        this.#pending.delete(run)
        return onPrepared(run, states?.get(run.id) ?? null)
      }
    } catch (error) {
      onError(error)
      // It is unknown whether the run was marked, but it was not started. If this fails, it is
      // found as a stray.
      await store.giveBack([run]).catch(onError)
    }
    this.#pending.delete(run)
    onRefused(run)
  }
}

/**
 * Hints between nodes: runs may be due, a run must stop, jobs have changed. Any hint may be lost.
 */

import type { Hints } from '@punctual/store/memory'
import type { WorkerHint } from '@punctual/worker'
import type { Chance } from './chance.ts'
import type { Machine, Timeline } from './timeline.ts'

export interface HintBoardOptions {
  readonly timeline: Timeline
  readonly chance: Chance
  readonly arrive: () => boolean
  readonly onJobsChanged: () => void
}

interface Listener {
  readonly machine: Machine
  readonly hear: (hint: WorkerHint) => void
}

export class HintBoard implements Hints {
  readonly #options: HintBoardOptions
  #listeners: Listener[] = []

  constructor(options: HintBoardOptions) {
    this.#options = options
  }

  listen(machine: Machine, hear: (hint: WorkerHint) => void): () => void {
    const listener = { machine, hear }
    this.#listeners = [...this.#listeners.filter((other) => other.machine.alive), listener]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener)
    }
  }

  queued(): void {
    this.#tell({ lanes: null, newLane: true })
  }

  cancels(runIds: readonly string[]): void {
    this.#tell({ lanes: [], newLane: false, cancels: runIds })
  }

  sessions(ids: readonly string[]): void {
    this.#tell({ lanes: [], newLane: false, sessions: ids })
  }

  jobsChanged(): void {
    const { timeline, chance, arrive, onJobsChanged } = this.#options
    if (arrive()) timeline.after(5 * chance.fraction(), null, onJobsChanged)
  }

  #tell(hint: WorkerHint): void {
    const { timeline, chance, arrive } = this.#options
    if (!arrive()) return
    for (const { machine, hear } of this.#listeners)
      timeline.after(5 * chance.fraction(), machine, () => hear(hint))
  }
}

/**
 * Compares what running commands use with their limits, a few times a second. One reading of the
 * processes serves all commands; where nothing runs, nothing is read.
 */
import type { Clock } from '@punctual/core/clock'
import type { ProcessTree } from './process-tree.ts'
import { listProcesses } from './processes.ts'

const CHECK_MS = 200

export type Exceeded = 'memory' | 'processes'

export interface Watched {
  readonly tree: ProcessTree
  readonly bytesMax: number
  readonly processesMax: number
  onExceeded(what: Exceeded): void
}

export class TreeWatch {
  readonly #clock: Clock
  readonly #watched = new Set<Watched>()
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(watched: Watched): void {
    this.#watched.add(watched)
    this.#cancel ??= this.#clock.after(CHECK_MS, () => this.#check())
  }

  remove(watched: Watched): void {
    this.#watched.delete(watched)
    if (this.#watched.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
  }

  #check(): void {
    const all = listProcesses()
    for (const watched of [...this.#watched]) {
      const found = watched.tree.find(all)
      const bytes = found.reduce((sum, each) => sum + each.bytes, 0)
      if (bytes > watched.bytesMax) watched.onExceeded('memory')
      else if (found.length > watched.processesMax) watched.onExceeded('processes')
    }
    this.#cancel =
      this.#watched.size > 0 ? this.#clock.after(CHECK_MS, () => this.#check()) : undefined
  }
}

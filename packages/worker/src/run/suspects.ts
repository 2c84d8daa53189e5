/**
 * Claimed runs that wait for capacity and whose start has to be prepared. A run with a single crash
 * starts like the others: usually another run caused the crash. Runs that one more crash would
 * quarantine run one at a time, so that a poison pill does not count against other runs.
 */
import { defaults } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'

const runsAlone = (run: ClaimedRun) => run.crashes >= defaults.crashesUntilQuarantine - 1

interface Waiting {
  readonly run: ClaimedRun
  readonly sinceMs: number
}

export class Suspects {
  #waiting: Waiting[] = []
  /** The run that runs alone now; the next one starts when both flags are set. */
  #alone: { readonly run: ClaimedRun; returned: boolean; settled: boolean } | null = null

  get size(): number {
    return this.#waiting.length
  }

  add(run: ClaimedRun, sinceMs: number): void {
    this.#waiting.push({ run, sinceMs })
  }

  /** Removes and returns the next run that may start; undefined when none may. */
  take(): ClaimedRun | undefined {
    const index = this.#waiting.findIndex(({ run }) => !runsAlone(run) || this.#alone === null)
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]?.run
  }

  /** A run that was taken starts. */
  started(run: ClaimedRun): void {
    if (runsAlone(run)) this.#alone = { run, returned: false, settled: false }
  }

  /**
   * The outcome of a run is stored. Until then the next run that runs alone does not start: if that
   * one is the poison pill, this one would count as having crashed with it. True when it may now.
   */
  settled(run: ClaimedRun): boolean {
    if (this.#alone?.run !== run) return false
    this.#alone.settled = true
    return this.#leaveAlone()
  }

  /** The handler of a run has returned. */
  returned(run: ClaimedRun): void {
    if (this.#alone?.run !== run) return
    this.#alone.returned = true
    this.#leaveAlone()
  }

  #leaveAlone(): boolean {
    if (!this.#alone?.returned || !this.#alone.settled) return false
    this.#alone = null
    return true
  }

  all(): ClaimedRun[] {
    return this.#waiting.map(({ run }) => run)
  }

  /** Removes the matching runs. */
  remove(leaves: (run: ClaimedRun) => boolean): void {
    this.#waiting = this.#waiting.filter(({ run }) => !leaves(run))
  }

  /** Removes and returns the runs that were added before. */
  takeAddedBefore(ms: number): ClaimedRun[] {
    const overdue = this.#waiting.filter(({ sinceMs }) => sinceMs < ms)
    this.#waiting = this.#waiting.filter(({ sinceMs }) => sinceMs >= ms)
    return overdue.map(({ run }) => run)
  }
}

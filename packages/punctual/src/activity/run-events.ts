/** What the work of this process tells those who listen. Nothing is made of it when nobody does. */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { ActivityHub } from './event-hub.ts'
import type { RunFacts } from './event-types.ts'

const factsOf = ({ id, handler, queue, attempt, jobId }: ClaimedRun): RunFacts => ({
  ...{ runId: id, handler, queue, attempt: attempt + 1, jobId },
})

export class RunEvents {
  readonly #hub: ActivityHub
  readonly #atMs: (monotonicMs?: number) => number

  /** `atMs`: the time of the database, now or at a moment of the local clock. */
  constructor(hub: ActivityHub, atMs: (monotonicMs?: number) => number) {
    this.#hub = hub
    this.#atMs = atMs
  }

  #about(run: ClaimedRun) {
    return { at: new Date(this.#atMs()), ...factsOf(run) }
  }

  started(run: ClaimedRun, monotonicMs: number): void {
    if (!this.#hub.wants('run.started')) return
    const at = new Date(this.#atMs(monotonicMs))
    const latenessMs = Math.max(0, at.getTime() - run.dueMs)
    const dueAt = new Date(run.dueMs)
    this.#hub.tell({ type: 'run.started', ...factsOf(run), at, dueAt, latenessMs })
  }

  succeeded(run: ClaimedRun): void {
    const hub = this.#hub
    if (hub.wants('run.succeeded')) hub.tell({ type: 'run.succeeded', ...this.#about(run) })
  }

  settled(settlement: Settlement): void {
    if (settlement.kind === 'succeeded') this.succeeded(settlement.run)
    else if (settlement.kind === 'cancelled') this.#cancelled(settlement.run, settlement.reason)
    else if (settlement.kind === 'skipped') this.#skipped(settlement.run, settlement.reason)
    else this.#failed(settlement)
  }

  #skipped(run: ClaimedRun, reason: string): void {
    if (this.#hub.wants('run.skipped'))
      this.#hub.tell({ type: 'run.skipped', ...this.#about(run), attempt: run.attempt, reason })
  }

  #cancelled(run: ClaimedRun, reason: string): void {
    if (this.#hub.wants('run.cancelled'))
      this.#hub.tell({ type: 'run.cancelled', ...this.#about(run), reason })
  }

  #failed(settlement: Extract<Settlement, { kind: 'retry' | 'dead' }>): void {
    const { run, outcome, failure: error } = settlement
    const hub = this.#hub
    // One that was interrupted has not failed.
    if (outcome !== 'cancelled' && hub.wants('run.failed'))
      hub.tell({ type: 'run.failed', ...this.#about(run), outcome, error })
    if (settlement.kind === 'dead') {
      if (!hub.wants('run.dead')) return
      hub.tell({ type: 'run.dead', ...this.#about(run), reason: settlement.reason, error })
    } else if (hub.wants('run.retrying')) {
      const { delayMs } = settlement
      hub.tell({ type: 'run.retrying', ...this.#about(run), outcome, error, delayMs })
    }
  }
}

/** Publishes what the work of this process does to runs. Creates no event without a listener. */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { ActivityHub } from './event-hub.ts'
import type { RunFacts } from './event-types.ts'

const factsOf = ({ id, handler, queue, attempt, jobId }: ClaimedRun): RunFacts => ({
  ...{ runId: id, handler, queue, attempt: attempt + 1, jobId },
})

export class RunEvents {
  readonly #hub: ActivityHub
  readonly #atMs: (monotonicMs?: number) => number

  /** `atMs` returns the database's time, now or at an instant of the local monotonic clock. */
  constructor(hub: ActivityHub, atMs: (monotonicMs?: number) => number) {
    this.#hub = hub
    this.#atMs = atMs
  }

  #facts(run: ClaimedRun) {
    return { at: new Date(this.#atMs()), ...factsOf(run) }
  }

  started(run: ClaimedRun, monotonicMs: number): void {
    if (!this.#hub.wants('run.started')) return
    const at = new Date(this.#atMs(monotonicMs))
    const latenessMs = Math.max(0, at.getTime() - run.dueMs)
    const dueAt = new Date(run.dueMs)
    this.#hub.publish({ type: 'run.started', ...factsOf(run), at, dueAt, latenessMs })
  }

  succeeded(run: ClaimedRun): void {
    const hub = this.#hub
    if (hub.wants('run.succeeded')) hub.publish({ type: 'run.succeeded', ...this.#facts(run) })
  }

  settled(settlement: Settlement): void {
    if (settlement.kind === 'succeeded') this.succeeded(settlement.run)
    else if (settlement.kind === 'cancelled') this.#cancelled(settlement.run, settlement.reason)
    else if (settlement.kind === 'skipped') this.#skipped(settlement.run, settlement.reason)
    else if (settlement.kind !== 'awaiting') this.#failed(settlement)
  }

  #skipped(run: ClaimedRun, reason: string): void {
    if (this.#hub.wants('run.skipped'))
      this.#hub.publish({ type: 'run.skipped', ...this.#facts(run), attempt: run.attempt, reason })
  }

  #cancelled(run: ClaimedRun, reason: string): void {
    if (this.#hub.wants('run.cancelled'))
      this.#hub.publish({ type: 'run.cancelled', ...this.#facts(run), reason })
  }

  #failed(settlement: Extract<Settlement, { kind: 'retry' | 'dead' | 'unknown' }>): void {
    const { run, outcome, failure: error } = settlement
    const hub = this.#hub
    // An attempt that was interrupted by a cancellation has not failed.
    if (outcome !== 'cancelled' && hub.wants('run.failed'))
      hub.publish({ type: 'run.failed', ...this.#facts(run), outcome, error })
    if (settlement.kind === 'dead') {
      if (!hub.wants('run.dead')) return
      hub.publish({ type: 'run.dead', ...this.#facts(run), reason: settlement.reason, error })
    } else if (settlement.kind === 'retry' && hub.wants('run.retrying')) {
      const { delayMs } = settlement
      hub.publish({ type: 'run.retrying', ...this.#facts(run), outcome, error, delayMs })
    }
  }
}

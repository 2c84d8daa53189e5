/**
 * What really happened, written down outside of the store: which handlers were called and how they ended, what
 * submitters and workers were told. The store is judged by it, and cannot touch it.
 */
import type { AuditFinding } from '@punctual/core/job'
import type { ClaimedRun, Settlement } from '@punctual/core/ports'

export interface Effect {
  readonly runId: string
  readonly fence: bigint
  readonly node: string
  readonly startedMs: number
  /** Whether the store had the start mark when the handler was called. */
  readonly marked: boolean
  end: 'returned' | 'threw' | null
}

export interface Told {
  readonly runId: string
  readonly fence: bigint
  readonly kind: Settlement['kind']
  readonly accepted: boolean
}

export class Ledger {
  readonly effects = new Map<string, Effect[]>()
  readonly told: Told[] = []
  /** Runs whose submission was acknowledged. */
  readonly acknowledged = new Set<string>()
  /** What auditors found to be wrong. */
  readonly findings: AuditFinding[] = []
  readonly #kept = new Map<string, number>()
  /** Runs whose attempt was not given what an earlier one had kept. */
  readonly forgotten = new Set<string>()
  /** Runs that were started by a worker that had stopped. */
  readonly afterStop = new Set<string>()
  /** Submissions that failed, as far as the submitter knows. */
  readonly doubtful = new Set<string>()

  started(run: ClaimedRun, node: string, startedMs: number, marked: boolean): Effect {
    const { id: runId, fence } = run
    const effect: Effect = { runId, fence, node, startedMs, marked, end: null }
    const of = this.effects.get(runId)
    if (of) of.push(effect)
    else this.effects.set(runId, [effect])
    return effect
  }

  tell({ run, kind }: Settlement, accepted: boolean): void {
    this.told.push({ runId: run.id, fence: run.fence, kind, accepted })
  }

  /** A handler was told that its checkpoint is kept. */
  keeps(runId: string, checkpoint: number): void {
    this.#kept.set(runId, Math.max(checkpoint, this.#kept.get(runId) ?? 0))
  }

  /** An attempt was given this checkpoint of those before it. */
  resumed(runId: string, checkpoint: number | null): void {
    const kept = this.#kept.get(runId) ?? 0
    if ((checkpoint ?? 0) < kept) this.forgotten.add(runId)
  }
}

/**
 * The true history, recorded outside the store: which handlers were called and how they ended,
 * and the answers that submitters and workers received. It judges the store, which cannot touch it.
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

export interface Answer {
  readonly runId: string
  readonly fence: bigint
  readonly kind: Settlement['kind']
  readonly accepted: boolean
}

export class Ledger {
  readonly effects = new Map<string, Effect[]>()
  readonly answers: Answer[] = []
  /** Runs whose submission was acknowledged. */
  readonly acknowledged = new Set<string>()
  /** Faults that auditors reported. */
  readonly findings: AuditFinding[] = []
  readonly #kept = new Map<string, number>()
  /** Runs with an attempt that did not receive an earlier attempt's checkpoint. */
  readonly forgotten = new Set<string>()
  /** Runs that a stopped worker started. */
  readonly afterStop = new Set<string>()
  /** Submissions that failed as far as the submitter knows. */
  readonly doubtful = new Set<string>()

  started(run: ClaimedRun, node: string, startedMs: number, marked: boolean): Effect {
    const { id: runId, fence } = run
    const effect: Effect = { runId, fence, node, startedMs, marked, end: null }
    const effects = this.effects.get(runId)
    if (effects) effects.push(effect)
    else this.effects.set(runId, [effect])
    return effect
  }

  tell({ run, kind }: Settlement, accepted: boolean): void {
    this.answers.push({ runId: run.id, fence: run.fence, kind, accepted })
  }

  /** A handler received the confirmation that its checkpoint is stored. */
  keeps(runId: string, checkpoint: number): void {
    this.#kept.set(runId, Math.max(checkpoint, this.#kept.get(runId) ?? 0))
  }

  /** An attempt received this checkpoint of the attempts before it. */
  resumed(runId: string, checkpoint: number | null): void {
    const kept = this.#kept.get(runId) ?? 0
    if ((checkpoint ?? 0) < kept) this.forgotten.add(runId)
  }
}

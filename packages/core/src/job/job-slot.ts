/** A slot of a job as it is listed and explained. */
import type { Run } from '../run/run.ts'
import type { SlotReason } from './slot-decision.ts'

/** A slot and its decision in the ledger. */
export interface JobSlot {
  /** The slot's instant; for a range of slots, that of the last one. */
  readonly slotAt: Date
  /** The first slot of the range; null for a single slot. */
  readonly fromAt: Date | null
  /** How many slots the entry covers. */
  readonly slots: number
  /** The decision; null when the slot has none. */
  readonly decision: 'run' | 'skip' | null
  /** The reason for the decision; null when there is none. */
  readonly reason: SlotReason | null
  /** The run that the slot became; null when it was skipped. */
  readonly runId: string | null
  /** When the decision was made. */
  readonly decidedAt: Date | null
}

/** Why a job ran, or did not run, at an instant. */
export interface SlotExplanation {
  /** The name of the job. */
  readonly job: string
  /**
   * The slot in question: the one at the given instant, or the last one before it; null when there
   * is none.
   */
  readonly slotAt: Date | null
  /** The decision for the slot; null when none was made. */
  readonly decision: 'run' | 'skip' | null
  /** The reason for the decision; null when none was made. */
  readonly reason: SlotReason | null
  /** The run that the slot became; null for a skip, or when the run is past its retention. */
  readonly run: Run | null
  /** The explanation in one sentence. */
  readonly text: string
}

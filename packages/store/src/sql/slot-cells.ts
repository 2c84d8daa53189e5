/** Decodes the codes of slots: the names that the numbers of core stand for. */
import { type SlotReason, slotDecisions, slotReasonOf } from '@punctual/core/job'
import { type Cell, number } from './cells.ts'

export function slotDecision(cell: Cell): 'run' | 'skip' {
  return number(cell) === slotDecisions.run ? 'run' : 'skip'
}

/** A newer version may have written a reason that this one does not know. */
export function slotReason(cell: Cell): SlotReason {
  return slotReasonOf.get(number(cell)) ?? 'on-time'
}

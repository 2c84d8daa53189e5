/** The job and slot of a run, as its handler receives them. */
import type { ClaimedRun } from '@punctual/core/ports'
import type { SlotOfRun } from '../handler/handler.ts'

export function slotOfRun({ jobId, slotMs, missedFromMs }: ClaimedRun): SlotOfRun | null {
  if (jobId === null) return null
  const slotAt = slotMs === null ? null : new Date(slotMs)
  const missed =
    slotAt === null || missedFromMs === null ? null : { from: new Date(missedFromMs), to: slotAt }
  return { id: jobId, slotAt, missed }
}

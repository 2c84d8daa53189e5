/** What passed without a decision while a job could not be planned, and what comes next. */
import { countSlots, lastSlot, nextSlotOf } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import type { StoredJob } from './rows.ts'

export interface SlotRange {
  readonly fromMs: number
  readonly slotMs: number
  readonly slots: number
}

export interface PassedSlots {
  /** The next slot after now; null when there is none. */
  readonly nextMs: number | null
  /** Null when nothing has passed. */
  readonly passed: SlotRange | null
}

/** Of a job with a rhythm, or one that runs once; one that waits for its runs to end has no slots that pass. */
export function passedSlots(
  job: StoredJob,
  timings: TimingCache,
  nowMs: number,
  cursorMs: number,
): PassedSlots {
  const next = nextSlotOf(job, job.rules, timings)
  const endMs = job.endAt?.getTime() ?? Number.POSITIVE_INFINITY
  // No slot lies before the start, which is what a job with a start counts from.
  const decidedMs = Math.max(cursorMs, (job.anchorMs ?? 0) - 1)
  const firstMs = job.rules.when.kind === 'once' ? onceAfter(job, cursorMs) : next(decidedMs)
  if (firstMs === null || firstMs >= endMs || job.runsLeft === 0)
    return { nextMs: null, passed: null }
  if (firstMs > nowMs) return { nextMs: firstMs, passed: null }
  const slotMs = lastSlot(next, firstMs, Math.min(nowMs, endMs - 1))
  const nextMs = next(slotMs)
  return {
    nextMs: nextMs !== null && nextMs < endMs ? nextMs : null,
    passed: { fromMs: firstMs, slotMs, slots: countSlots(next, firstMs, slotMs) },
  }
}

/** One whose time had passed when it was made has its slot then. */
function onceAfter(job: StoredJob, cursorMs: number): number | null {
  const slotMs = Math.max(job.anchorMs ?? 0, job.createdAt.getTime())
  return slotMs > cursorMs ? slotMs : null
}

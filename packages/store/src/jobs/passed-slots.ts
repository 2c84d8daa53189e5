/** The slots that passed undecided while a job was paused or unplannable, and the next one. */
import { countSlots, lastSlot, nextSlotOf } from '@punctual/core/job'
import type { TimingCache } from '@punctual/core/schedule'
import type { StoredJob } from './rows.ts'

export interface SlotRange {
  readonly fromMs: number
  readonly slotMs: number
  readonly slots: number
}

/** What decides about passed slots. */
export type PassingJob = Pick<
  StoredJob,
  'id' | 'rules' | 'anchorMs' | 'endAt' | 'runsLeft' | 'createdAt'
>

export interface PassedSlots {
  /** The next slot after now; null when none exists. */
  readonly nextMs: number | null
  /** Null when no slot has passed. */
  readonly passed: SlotRange | null
}

/** For jobs with a rhythm or a single run; slots that follow the end of a run do not pass. */
export function passedSlots(
  job: PassingJob,
  timings: TimingCache,
  nowMs: number,
  cursorMs: number,
): PassedSlots {
  const next = nextSlotOf(job, job.rules, timings)
  const endMs = job.endAt?.getTime() ?? Number.POSITIVE_INFINITY
  // No slot is before the start, which anchors the slots of a job with a start.
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

/** A job whose time had already passed when it was created has its slot at its creation. */
function onceAfter(job: PassingJob, cursorMs: number): number | null {
  const slotMs = Math.max(job.anchorMs ?? 0, job.createdAt.getTime())
  return slotMs > cursorMs ? slotMs : null
}

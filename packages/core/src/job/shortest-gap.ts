/**
 * How close slots of a job come to each other. Slots of a day repeat on other days, and the gaps of a minute within an
 * hour: so many slots ahead show every gap that a cron expression has, changes of the clocks aside.
 */
import type { TimingCache } from '../schedule/timing-cache.ts'
import type { JobRules } from './job-rules.ts'
import { nextSlotOf } from './plan-job.ts'

/** All seconds of an hour, and the way over its end. */
const SLOTS = 3_602

/** The first gap that is shorter than this; null when none is. */
export function gapBelow(
  minMs: number,
  rules: JobRules,
  job: { readonly id: string; readonly anchorMs: number | null },
  at: { readonly timings: TimingCache; readonly nowMs: number },
): number | null {
  const next = nextSlotOf(job, rules, at.timings)
  let beforeMs: number | null = null
  // Of a job that waits for the end of its run, the first slot tells how long it waits.
  if (rules.when.kind === 'after-end') beforeMs = at.nowMs
  for (let n = 0, slotMs = next(at.nowMs); slotMs !== null && n < SLOTS; n++) {
    if (beforeMs !== null && slotMs - beforeMs < minMs) return slotMs - beforeMs
    if (rules.when.kind === 'after-end') return null
    beforeMs = slotMs
    slotMs = next(slotMs)
  }
  return null
}

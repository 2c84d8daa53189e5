/**
 * How close together the slots of a job are. The slots of a day repeat on other days, and the gaps
 * of a minute within an hour, so this many slots ahead show every gap of a cron expression, clock
 * changes aside.
 */
import type { TimingCache } from '../schedule/timing-cache.ts'
import type { JobRules } from './job-rules.ts'
import { nextSlotOf } from './plan-job.ts'

/** All seconds of an hour, and the step into the next. */
const SLOTS = 3_602

/** Returns the first gap that is shorter than `minMs`; null when none is. */
export function gapBelow(
  minMs: number,
  rules: JobRules,
  job: { readonly id: string; readonly anchorMs: number | null },
  at: { readonly timings: TimingCache; readonly nowMs: number },
): number | null {
  const next = nextSlotOf(job, rules, at.timings)
  let beforeMs: number | null = null
  // A job that waits for its run to end has the distance of its first slot as its gap.
  if (rules.when.kind === 'after-end') beforeMs = at.nowMs
  for (let n = 0, slotMs = next(at.nowMs); slotMs !== null && n < SLOTS; n++) {
    if (beforeMs !== null && slotMs - beforeMs < minMs) return slotMs - beforeMs
    if (rules.when.kind === 'after-end') return null
    beforeMs = slotMs
    slotMs = next(slotMs)
  }
  return null
}

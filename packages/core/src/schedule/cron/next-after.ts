/**
 * Computes the next instant at which a cron pattern fires in a time zone.
 *
 * The rule, for a pattern and the local clock of its time zone:
 *
 * 1. A pattern is *fixed* when second, minute and hour have only single values and lists of them:
 * `30 2 * * *`, `0 9,17 * * 1-5`. With a star, a range or a step in one of the three it is an
 * *interval* pattern.
 * 2. An interval pattern fires at every instant at which the local clock shows a matching time, and
 * at no other: in both passes of a fold, and not at all for times that lie in a gap. So its
 * interval is constant in elapsed time wherever the clock change is a multiple of it.
 * 3. A fixed pattern fires once for every matching local time. A time in a gap is moved to the
 * first instant after the gap (`run-after`), moved by the length of the gap (`shift`), or left out
 * (`skip`). A time in a fold fires at its first instant, its last or both.
 * 4. Two times that fall on one instant are one fire.
 *
 * The search works segment by segment: within one, local time is the instant plus a constant. The
 * searched part of the local clock never recurs except by a fold, so a search whose match is far
 * away jumps there at once and does not visit the changes in between.
 */
import { DAY_MS, END_MS, FIRST_DAY, SECOND_MS } from '../zones/civil.ts'
import { clockFacePolicy, type DstPolicy } from '../zones/dst-policy.ts'
import type { Zone } from '../zones/zone.ts'
import type { Segment } from '../zones/zone-segments.ts'
import type { CronPattern } from './cron-pattern.ts'

/** Larger than any offset from UTC. */
const OFFSET_MAX_MS = DAY_MS
const FIRST_MS = FIRST_DAY * DAY_MS - OFFSET_MAX_MS

/**
 * Returns the first fire strictly after `afterMs`; null when there is none up to and including
 * `untilMs`, or before 2200.
 */
export function nextAfter(
  pattern: CronPattern,
  zone: Zone,
  dst: DstPolicy,
  afterMs: number,
  untilMs: number = END_MS,
): number | null {
  const { gap, fold } = pattern.fixed ? dst : clockFacePolicy
  const lastMs = Math.min(untilMs, END_MS)
  let fromMs = Math.max((Math.floor(afterMs / SECOND_MS) + 1) * SECOND_MS, FIRST_MS)
  // Each iteration moves to a later segment; a time zone has some hundred.
  while (fromMs <= lastMs) {
    const segment = zone.segmentAt(fromMs)
    const { startMs, endMs, offsetMs, previousOffsetMs, nextOffsetMs } = segment
    let wallMs = fromMs + offsetMs
    let wallEndMs = endMs + offsetMs
    // The second pass of a fold is at the start of its segment, the first at the end of the
    // previous segment.
    if (fold === 'first' && previousOffsetMs > offsetMs)
      wallMs = Math.max(wallMs, startMs + previousOffsetMs)
    else if (fold === 'last' && nextOffsetMs < offsetMs) wallEndMs = endMs + nextOffsetMs
    const matchMs = pattern.nextWall(wallMs / SECOND_MS) * SECOND_MS
    let foundMs = matchMs < wallEndMs ? matchMs - offsetMs : Number.POSITIVE_INFINITY
    if (gap !== 'skip' && fromMs < startMs + offsetMs - previousOffsetMs)
      foundMs = Math.min(foundMs, nextOfGap(pattern, segment, gap, fromMs))
    if (foundMs !== Number.POSITIVE_INFINITY) return foundMs <= lastMs ? foundMs : null
    const searched = endMs + nextOffsetMs >= wallMs
    fromMs = searched ? Math.max(endMs, matchMs - 2 * OFFSET_MAX_MS) : endMs
  }
  return null
}

/** Returns the next fire for a time in the gap before a segment. */
function nextOfGap(
  pattern: CronPattern,
  { startMs, offsetMs, previousOffsetMs }: Segment,
  gap: 'run-after' | 'shift',
  fromMs: number,
): number {
  const gapStartMs = startMs + previousOffsetMs
  const gapEndMs = startMs + offsetMs
  if (gap === 'run-after') {
    const some =
      fromMs <= startMs && pattern.nextWall(gapStartMs / SECOND_MS) * SECOND_MS < gapEndMs
    return some ? startMs : Number.POSITIVE_INFINITY
  }
  const wallMs = Math.max(gapStartMs, fromMs + previousOffsetMs)
  const matchMs = pattern.nextWall(wallMs / SECOND_MS) * SECOND_MS
  return matchMs < gapEndMs ? matchMs - previousOffsetMs : Number.POSITIVE_INFINITY
}

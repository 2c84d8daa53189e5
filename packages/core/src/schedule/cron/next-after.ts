/**
 * The next instant at which a cron pattern fires in a zone.
 *
 * The rule, for a pattern and the local clock of its zone:
 *
 * 1. A pattern is *fixed* when second, minute and hour hold only single values and lists of them: `30 2 * * *`,
 *    `0 9,17 * * 1-5`. With a star, a range or a step in one of the three it is an *interval* pattern.
 * 2. An interval pattern fires at every instant at which the local clock shows a matching time, and at no
 *    other: in both passes of a fold, and not at all for times that lie in a gap. So its cadence is one of
 *    elapsed time wherever the shift of the clocks is a multiple of it.
 * 3. A fixed pattern fires once for every matching local time. One that lies in a gap is moved to the first
 *    instant after it (`run-after`), or by the length of the gap (`shift`), or left out (`skip`). One that
 *    exists twice fires at its first instant, its last or both.
 * 4. Two times that fall on one instant are one fire.
 *
 * It works segment by segment: within one, local time is the instant plus a constant. The searched part of the
 * local clock never comes back except by a fold, so a search that found its match far away goes there
 * at once and does not visit the changes in between.
 */
import { DAY_MS, END_MS, FIRST_DAY, SECOND_MS } from '../zones/civil.ts'
import { clockFacePolicy, type DstPolicy } from '../zones/dst-policy.ts'
import type { Zone } from '../zones/zone.ts'
import type { Segment } from '../zones/zone-segments.ts'
import type { CronPattern } from './cron-pattern.ts'

/** No offset from UTC is larger. */
const OFFSET_MAX_MS = DAY_MS
const FIRST_MS = FIRST_DAY * DAY_MS - OFFSET_MAX_MS

/** Strictly later than `afterMs`; null when there is none up to and with `untilMs`, or before 2200. */
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
  // Each turn goes on to a later segment, of which a zone has some hundred.
  while (fromMs <= lastMs) {
    const segment = zone.segmentAt(fromMs)
    const { startMs, endMs, offsetMs, previousOffsetMs, nextOffsetMs } = segment
    let wallMs = fromMs + offsetMs
    let wallEndMs = endMs + offsetMs
    // The second pass of a fold is at the start of its segment, the first at the end of the one before.
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

/** The next fire that stands for a time in the gap before a segment. */
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

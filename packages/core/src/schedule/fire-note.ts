/** Describes what a clock change does to a fire, for the author of the schedule. */

import { periodsWithin, wallOf } from './every.ts'
import type { Timing } from './timing.ts'
import { civilFromDays, DAY_MS, SECOND_MS } from './zones/civil.ts'
import { clockFacePolicy, type DstPolicy } from './zones/dst-policy.ts'
import type { Segment } from './zones/zone-segments.ts'

/** Beyond this number, times are not listed. */
const TIMES_SHOWN = 3

/** Returns null for most fires. `afterMs` is the previous fire, or the start of the preview. */
export function noteOf(timing: Timing, atMs: number, afterMs: number): string | null {
  const segment = timing.zone.segmentAt(atMs)
  const wallMs = atMs + segment.offsetMs
  const { startMs, endMs, offsetMs, previousOffsetMs, nextOffsetMs } = segment
  if (wallMs < startMs + previousOffsetMs)
    return `repeated ${lengthOf(previousOffsetMs - offsetMs)}, second pass`
  if (wallMs >= endMs + nextOffsetMs)
    return `repeated ${lengthOf(offsetMs - nextOffsetMs)}, first pass`
  return previousOffsetMs < offsetMs ? gapNote(timing, segment, atMs, afterMs) : null
}

function gapNote(timing: Timing, segment: Segment, atMs: number, afterMs: number): string | null {
  const { startMs, offsetMs, previousOffsetMs } = segment
  const { gap } = policyOf(timing)
  const gapStartMs = startMs + previousOffsetMs
  const gapEndMs = startMs + offsetMs
  const missing = (fromMs: number, toMs: number, what: string) => {
    const times = wallsWithin(timing, fromMs, toMs)
    return times.length === 0 ? null : `${what}: ${timesText(times, atMs + offsetMs)}`
  }
  if (gap === 'skip') return afterMs < startMs ? missing(gapStartMs, gapEndMs, 'skipped') : null
  if (gap === 'run-after') return atMs === startMs ? missing(gapStartMs, gapEndMs, 'moved') : null
  const wallMs = atMs + previousOffsetMs
  return wallMs < gapEndMs ? missing(wallMs, wallMs + SECOND_MS, 'moved') : null
}

function policyOf(timing: Timing): DstPolicy {
  return timing.kind === 'cron' && !timing.pattern.fixed ? clockFacePolicy : timing.dst
}

/**
 * Returns the local times of a schedule in a range of local time, up to one more than are shown.
 */
function wallsWithin(timing: Timing, fromMs: number, toMs: number): number[] {
  const walls: number[] = []
  if (timing.kind === 'cron') {
    let wallMs = timing.pattern.nextWall(fromMs / SECOND_MS) * SECOND_MS
    for (; wallMs < toMs && walls.length <= TIMES_SHOWN; ) {
      walls.push(wallMs)
      wallMs = timing.pattern.nextWall(wallMs / SECOND_MS + 1) * SECOND_MS
    }
    return walls
  }
  const { period, count } = timing.every
  // A period with elapsed time has no fixed local times.
  if (period.elapsedMs !== 0) return walls
  const anchorWallMs = timing.anchorMs + timing.zone.offsetAt(timing.anchorMs)
  for (let n = periodsWithin(period, fromMs - anchorWallMs); n < (count ?? n + 1); n++) {
    const wallMs = wallOf(period, anchorWallMs, n)
    if (wallMs >= toMs) break
    if (wallMs >= fromMs) walls.push(wallMs)
  }
  return walls
}

function timesText(walls: readonly number[], fireWallMs: number): string {
  const day = (ms: number) => Math.floor(ms / DAY_MS)
  const sameDay = walls.every((wallMs) => day(wallMs) === day(fireWallMs))
  const shown = walls.slice(0, TIMES_SHOWN).map((wallMs) => {
    const time = localTime(wallMs)
    return sameDay ? time : `${localDate(wallMs)} ${time}`
  })
  const more = walls.length > TIMES_SHOWN ? ' and more' : ''
  const verb = walls.length === 1 ? 'does' : 'do'
  return `${shown.join(', ')}${more} ${verb} not exist${sameDay ? ' on this day' : ''}`
}

function lengthOf(ms: number): string {
  return ms === 3_600_000 ? 'hour' : `${ms / 60_000} minutes`
}

export function localDate(wallMs: number): string {
  const { year, month, day } = civilFromDays(Math.floor(wallMs / DAY_MS))
  return `${year}-${two(month)}-${two(day)}`
}

/** Formats 02:30, with seconds and milliseconds only when they are not zero. */
function localTime(wallMs: number): string {
  const time = localClock(wallMs)
  return time.endsWith(':00') ? time.slice(0, -3) : time
}

/** Formats 02:30:00, with milliseconds only when they are not zero. */
export function localClock(wallMs: number): string {
  const ms = ((wallMs % DAY_MS) + DAY_MS) % DAY_MS
  const seconds = Math.floor(ms / SECOND_MS)
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const fraction = ms % SECOND_MS
  const rest = fraction === 0 ? '' : `.${String(fraction).padStart(3, '0')}`
  return clock.map(two).join(':') + rest
}

export function two(value: number): string {
  return String(value).padStart(2, '0')
}

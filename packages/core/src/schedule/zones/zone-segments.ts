/**
 * Reads the rules of a time zone from Intl: the segments of time between two changes of its offset.
 *
 * Intl only returns the offset at an instant, so a change is found by sampling every few days and
 * bisecting the interval between two samples that differ. The closest two changes in the database
 * since 1970 that undo each other are 6 days 23 hours apart (Asia/Gaza around Ramadan); sampling
 * every five days sees both.
 */
import { DAY_MS, SECOND_MS } from './civil.ts'

/** A period of time with one offset from UTC. All times are milliseconds. */
export interface Segment {
  readonly startMs: number
  /** The first instant after the segment. */
  readonly endMs: number
  /** Local time is the instant plus this. */
  readonly offsetMs: number
  /**
   * Smaller than `offsetMs` where the clocks went forward at the start, larger where they went
   * back.
   */
  readonly previousOffsetMs: number
  readonly nextOffsetMs: number
}

const LOOK_EVERY_MS = 5 * DAY_MS

/** Returns the segments that cover a range of time; the first and the last are cut at its ends. */
export function segmentsBetween(timezone: string, fromMs: number, toMs: number): Segment[] {
  const offsetAt = offsetReader(timezone)
  const starts = [fromMs]
  const offsets = [offsetAt(fromMs)]
  let before = offsets[0] as number
  for (let lookedMs = fromMs; lookedMs < toMs; lookedMs += LOOK_EVERY_MS) {
    const nextMs = Math.min(lookedMs + LOOK_EVERY_MS, toMs)
    const after = offsetAt(nextMs)
    if (after === before) continue
    starts.push(firstWithOther(offsetAt, lookedMs, nextMs))
    offsets.push(after)
    before = after
  }
  return starts.map((startMs, i) => {
    const offsetMs = offsets[i] as number
    return {
      startMs,
      endMs: starts[i + 1] ?? toMs,
      offsetMs,
      previousOffsetMs: offsets[i - 1] ?? offsetMs,
      nextOffsetMs: offsets[i + 1] ?? offsetMs,
    }
  })
}

/** Returns the first second whose offset differs from that of `fromMs`. */
function firstWithOther(offsetAt: (ms: number) => number, fromMs: number, toMs: number): number {
  const before = offsetAt(fromMs)
  let low = Math.floor(fromMs / SECOND_MS)
  let high = Math.ceil(toMs / SECOND_MS)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * SECOND_MS) === before) low = middle
    else high = middle
  }
  return high * SECOND_MS
}

/**
 * Reads "2026, GMT+02:00", which is cheaper than the parts of a local time. The formatter is not
 * kept: it is needed about once in several years, and takes far more memory than the result.
 */
function offsetReader(timezone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    calendar: 'gregory',
    numberingSystem: 'latn',
    timeZone: timezone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  })
  return (ms) => {
    const text = format.format(ms)
    const sign = text.indexOf('GMT') + 3
    if (sign === text.length) return 0
    const [hours = 0, minutes = 0, seconds = 0] = text
      .slice(sign + 1)
      .split(':')
      .map(Number)
    const offsetMs = (hours * 3_600 + minutes * 60 + seconds) * SECOND_MS
    return text[sign] === '-' ? -offsetMs : offsetMs
  }
}

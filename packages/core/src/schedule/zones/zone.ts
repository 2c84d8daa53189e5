/**
 * A time zone as a table of segments, filled on demand.
 *
 * The table grows in blocks of four years: the first lookup costs one block (about a millisecond);
 * after that, no lookup within the block calls Intl. A time zone is one object per process.
 *
 * A block is read a few days beyond both of its ends, because a lookup near an end needs to know an
 * offset change just outside: gaps and folds last up to a whole day.
 */
import { DAY_MS, END_DAY, FIRST_DAY } from './civil.ts'
import { checkZoneName } from './zone-names.ts'
import { type Segment, segmentsBetween } from './zone-segments.ts'

const BLOCK_MS = 1_461 * DAY_MS
const MARGIN_MS = 4 * DAY_MS
/** Times outside get the result of the nearest end: schedules do not reach them. */
const TABLE_START_MS = (FIRST_DAY - 30) * DAY_MS
const TABLE_END_MS = (END_DAY + 30) * DAY_MS

export class Zone {
  /** The name in its canonical case. */
  readonly name: string
  readonly #blocks: (Segment[] | undefined)[] = []
  /** Schedules query in the order of time, so the result is mostly the previous one. */
  #latest: Segment | undefined
  #latestFromMs = Number.POSITIVE_INFINITY
  #latestToMs = Number.NEGATIVE_INFINITY

  constructor(name: string) {
    this.name = name
  }

  segmentAt(ms: number): Segment {
    if (ms >= this.#latestFromMs && ms < this.#latestToMs) return this.#latest as Segment
    const clamped = Math.min(Math.max(ms, TABLE_START_MS), TABLE_END_MS - 1)
    const index = Math.floor((clamped - TABLE_START_MS) / BLOCK_MS)
    this.#blocks[index] ??= this.#read(index)
    const found = segmentIn(this.#blocks[index] as Segment[], clamped)
    const blockStartMs = TABLE_START_MS + index * BLOCK_MS
    // In the margin of its block a segment does not know the change after the next.
    this.#latestFromMs = Math.max(found.startMs, blockStartMs)
    this.#latestToMs = Math.min(found.endMs, blockStartMs + BLOCK_MS)
    this.#latest = found
    return found
  }

  offsetAt(ms: number): number {
    return this.segmentAt(ms).offsetMs
  }

  #read(index: number): Segment[] {
    const startMs = TABLE_START_MS + index * BLOCK_MS
    return segmentsBetween(this.name, startMs - MARGIN_MS, startMs + BLOCK_MS + MARGIN_MS)
  }
}

function segmentIn(block: readonly Segment[], ms: number): Segment {
  let low = 0
  let high = block.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((block[middle] as Segment).startMs <= ms) low = middle
    else high = middle - 1
  }
  return block[low] as Segment
}

/** Zones by lower-case name; there are some six hundred names. */
const zones = new Map<string, Zone>()

/** Returns the time zone with this name. Throws `invalid_timezone`. */
export function zoneOf(name: string): Zone {
  const known = typeof name === 'string' ? zones.get(name.toLowerCase()) : undefined
  if (known !== undefined) return known
  const zone = new Zone(checkZoneName(name))
  zones.set(zone.name.toLowerCase(), zone)
  return zone
}

/** Finds future clock changes of a time zone. */
import { END_MS } from './civil.ts'
import type { Zone } from './zone.ts'
import type { Segment } from './zone-segments.ts'

/** Returns the first changes between two instants, as the segments that begin with them. */
export function clockChanges(
  zone: Zone,
  afterMs: number,
  beforeMs: number,
  changesMax: number,
): Segment[] {
  const changes: Segment[] = []
  let segment = zone.segmentAt(afterMs)
  const limitMs = Math.min(beforeMs, END_MS)
  while (segment.endMs < limitMs && changes.length < changesMax) {
    segment = zone.segmentAt(segment.endMs)
    // A segment may also end where the table of its zone does.
    if (segment.previousOffsetMs !== segment.offsetMs && segment.startMs > afterMs)
      if (changes.at(-1)?.startMs !== segment.startMs) changes.push(segment)
  }
  return changes
}

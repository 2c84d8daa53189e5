/** From what a local clock shows to the instants at which it does so: none in a gap, two in a fold. */
import { DAY_MS } from './civil.ts'
import type { DstPolicy } from './dst-policy.ts'
import type { Zone } from './zone.ts'

/**
 * The first instant after `afterMs` that stands for a local time under a policy; Infinity when there is none.
 * `wallMs` is the local time in milliseconds since 1970 as if it were UTC.
 */
export function instantAfter(
  zone: Zone,
  wallMs: number,
  { gap, fold }: DstPolicy,
  afterMs: number,
): number {
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.POSITIVE_INFINITY
  // No offset is as long as a day, so that all the instants are in the segments of these two days.
  let segment = zone.segmentAt(wallMs - DAY_MS)
  for (;;) {
    const { startMs, endMs, offsetMs, previousOffsetMs } = segment
    const atMs = wallMs - offsetMs
    if (atMs >= startMs && atMs < endMs) {
      lastMs = atMs
      if (firstMs === Number.POSITIVE_INFINITY) firstMs = atMs
    } else if (atMs < startMs && wallMs - previousOffsetMs >= startMs) {
      if (gap !== 'skip') firstMs = gap === 'shift' ? wallMs - previousOffsetMs : startMs
      lastMs = firstMs
    }
    if (endMs > wallMs + DAY_MS) break
    segment = zone.segmentAt(endMs)
  }
  if (fold !== 'last' && firstMs > afterMs) return firstMs
  return fold !== 'first' && lastMs > afterMs ? lastMs : Number.POSITIVE_INFINITY
}

/** The one instant for a local time that has to be somewhere, such as the start of a schedule. */
export function instantOf(zone: Zone, wallMs: number, { gap, fold }: DstPolicy): number {
  const somewhere: DstPolicy = { gap: gap === 'skip' ? 'run-after' : gap, fold: fold }
  return instantAfter(zone, wallMs, somewhere, Number.NEGATIVE_INFINITY)
}

/** Converts a local clock reading to the instants that show it: none in a gap, two in a fold. */
import { DAY_MS } from './civil.ts'
import type { DstPolicy } from './dst-policy.ts'
import type { Zone } from './zone.ts'

/**
 * Returns the first instant after `afterMs` for a local time under a policy; Infinity when there is
 * none. `wallMs` is the local time in milliseconds since 1970 as if it were UTC.
 */
export function instantAfter(
  zone: Zone,
  wallMs: number,
  { gap, fold }: DstPolicy,
  afterMs: number,
): number {
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.POSITIVE_INFINITY
  // No offset is as long as a day, so all the instants are in the segments of these two days.
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

/** Returns the one instant of a local time that must exist, such as the start of a schedule. */
export function instantOf(zone: Zone, wallMs: number, { gap, fold }: DstPolicy): number {
  const existing: DstPolicy = { gap: gap === 'skip' ? 'run-after' : gap, fold: fold }
  return instantAfter(zone, wallMs, existing, Number.NEGATIVE_INFINITY)
}

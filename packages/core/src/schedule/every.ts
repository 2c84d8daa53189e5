/**
 * Fires at a fixed rate: at the anchor, and then after every full number of periods.
 *
 * Elapsed time (hours and below) is added to the instant. Calendar time (days, weeks, months,
 * years) is added to the anchor's local time, which stays the same across clock changes; where it
 * lies in a gap or a fold, the policy decides. Every fire is computed from the anchor, not from the
 * previous fire, so that a cut at the end of a month does not persist: monthly from January 31 is
 * February 28, then March 31.
 *
 * The number of periods is estimated and then corrected, so that an old anchor costs no more than a
 * new one.
 */

import type { Period } from './parse-period.ts'
import {
  civilFromDays,
  DAY_MS,
  daysFromCivil,
  daysInMonth,
  END_DAY,
  END_MS,
} from './zones/civil.ts'
import type { DstPolicy } from './zones/dst-policy.ts'
import { instantAfter } from './zones/wall-instants.ts'
import type { Zone } from './zones/zone.ts'

export interface Every {
  readonly period: Period
  /** How many times it fires, including the anchor; null without an end. */
  readonly count: number | null
}

const AVERAGE_MONTH_MS = 30.436875 * DAY_MS
/** How far a number of days may differ from its average: two clock changes. */
const DAYS_SLACK_MS = 3 * DAY_MS
/** Months and years differ in length, and the end of a month is cut. */
const MONTHS_SLACK_MS = 10 * DAY_MS

/** Returns the first fire strictly after `afterMs`; null when there is none before 2200. */
export function everyNextAfter(
  { period, count }: Every,
  anchorMs: number,
  zone: Zone,
  dst: DstPolicy,
  afterMs: number,
): number | null {
  const { months, days, elapsedMs } = period
  if (!(afterMs < END_MS)) return null
  if (anchorMs > afterMs) return anchorMs
  if (months === 0 && days === 0) {
    const n = Math.floor((afterMs - anchorMs) / elapsedMs) + 1
    const atMs = anchorMs + n * elapsedMs
    return (count !== null && n >= count) || atMs >= END_DAY * DAY_MS ? null : atMs
  }
  const anchorWallMs = anchorMs + zone.offsetAt(anchorMs)
  for (let n = periodsWithin(period, afterMs - anchorMs); count === null || n < count; n++) {
    const wallMs = wallOf(period, anchorWallMs, n)
    const driftMs = n * elapsedMs
    if (wallMs + driftMs >= END_DAY * DAY_MS) return null
    const atMs = instantAfter(zone, wallMs, dst, afterMs - driftMs) + driftMs
    if (atMs !== Number.POSITIVE_INFINITY) return atMs
  }
  return null
}

/** Returns how many periods of calendar time surely fit into a length of time, at least one. */
export function periodsWithin({ months, days, elapsedMs }: Period, lengthMs: number): number {
  const slackMs = months === 0 ? DAYS_SLACK_MS : MONTHS_SLACK_MS
  const averageMs = months * AVERAGE_MONTH_MS + days * DAY_MS + elapsedMs
  return Math.max(1, Math.floor((lengthMs - slackMs) / averageMs))
}

/** Returns the anchor's local time moved by the calendar part of n periods; n may be negative. */
export function wallOf({ months, days }: Period, anchorWallMs: number, n: number): number {
  const anchorDay = Math.floor(anchorWallMs / DAY_MS)
  const timeOfDayMs = anchorWallMs - anchorDay * DAY_MS
  let day = anchorDay
  if (months !== 0) {
    const anchor = civilFromDays(anchorDay)
    const month = anchor.year * 12 + anchor.month - 1 + n * months
    const year = Math.floor(month / 12)
    const ofYear = month - year * 12 + 1
    day = daysFromCivil(year, ofYear, Math.min(anchor.day, daysInMonth(year, ofYear)))
  }
  return (day + n * days) * DAY_MS + timeOfDayMs
}

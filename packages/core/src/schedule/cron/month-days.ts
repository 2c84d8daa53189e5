/**
 * Computes which days of a month a cron pattern matches, as bits: bit 0 is the first of the month.
 *
 * Day of month and weekday combine as in Vixie cron: when both are restricted, a day must match one
 * of them, else it must match both. A field that begins with a star counts as unrestricted even
 * when its step leaves days out: a star with step 2 as the day and 1 as the weekday means the
 * Mondays on odd days.
 */

import { daysFromCivil, daysInMonth, weekdayOf } from '../zones/civil.ts'
import { firstBit } from './bits.ts'

/** Days that depend on the month. */
export interface SpecialDays {
  /** Bit n: n days before the last of the month. `L` is bit 0, `L-3` is bit 3. */
  readonly beforeLast: number
  /** Bit d - 1: the working day nearest to day d of the same month, `15W`. */
  readonly nearestWorkday: number
  /** `LW`, the last working day. */
  readonly lastWorkday: boolean
  /**
   * Weekdays as bits, by occurrence in the month: the last (`5L`) at 0, the nth (`5#2`) at 1 to 5.
   */
  readonly nth: readonly number[]
}

export interface DayFields {
  /** Bit 0 is the first of the month. */
  readonly days: number
  /** Bit 0 is Sunday. */
  readonly weekdays: number
  readonly special: SpecialDays | null
  /** Whether a day must match only one of the two fields. */
  readonly either: boolean
}

export function matchingDays(fields: DayFields, year: number, month: number): number {
  const length = daysInMonth(year, month)
  const weekdayOfFirst = weekdayOf(daysFromCivil(year, month, 1))
  let days = fields.days
  let onWeekdays = daysOnWeekdays(fields.weekdays, weekdayOfFirst)
  if (fields.special !== null) {
    days |= specialDays(fields.special, length, weekdayOfFirst)
    onWeekdays |= nthWeekdays(fields.special.nth, length, weekdayOfFirst)
  }
  const allDays = 0x7fffffff >>> (31 - length)
  return (fields.either ? days | onWeekdays : days & onWeekdays) & allDays
}

/** Rotates the seven bits of a week to begin with the first of the month, and repeats them. */
function daysOnWeekdays(weekdays: number, weekdayOfFirst: number): number {
  const week = ((weekdays >>> weekdayOfFirst) | (weekdays << (7 - weekdayOfFirst))) & 0x7f
  return (week | (week << 7) | (week << 14) | (week << 21) | (week << 28)) & 0x7fffffff
}

function specialDays(special: SpecialDays, length: number, weekdayOfFirst: number): number {
  const weekdayAt = (day: number) => (weekdayOfFirst + day - 1) % 7
  let found = 0
  for (let rest = special.beforeLast; rest !== 0; rest &= rest - 1) {
    const day = length - firstBit(rest)
    if (day >= 1) found |= 1 << (day - 1)
  }
  for (let rest = special.nearestWorkday; rest !== 0; rest &= rest - 1) {
    const day = firstBit(rest) + 1
    if (day <= length) found |= 1 << (nearestWorkday(day, length, weekdayAt(day)) - 1)
  }
  if (special.lastWorkday) found |= 1 << (nearestWorkday(length, length, weekdayAt(length)) - 1)
  return found
}

/**
 * Moves a Saturday to the Friday before and a Sunday to the Monday after, but never out of the
 * month.
 */
function nearestWorkday(day: number, length: number, weekday: number): number {
  if (weekday === 6) return day === 1 ? 3 : day - 1
  if (weekday === 0) return day === length ? day - 2 : day + 1
  return day
}

function nthWeekdays(nth: readonly number[], length: number, weekdayOfFirst: number): number {
  let found = 0
  nth.forEach((weekdays, n) => {
    const week = n === 0 ? 0x7f << (length - 7) : 0x7f << ((n - 1) * 7)
    found |= daysOnWeekdays(weekdays, weekdayOfFirst) & week
  })
  return found
}

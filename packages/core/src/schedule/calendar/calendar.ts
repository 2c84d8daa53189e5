/**
 * Calendars restrict when schedules may fire. A calendar has weekly windows and excluded dates,
 * such as public holidays; they apply in the calendar's time zone, or else in that of the schedule.
 *
 * An instant is allowed when it is in a window (or there are none) and its date is not excluded. An
 * included date is never excluded, but still needs a window.
 */

import { DAY_MS, weekdayOf } from '../zones/civil.ts'
import { type Zone, zoneOf } from '../zones/zone.ts'
import { refuseEntry } from './calendar-error.ts'
import { type DateSet, hasDate, parseDateSet } from './date-set.ts'
import { inWindow, parseWindows, type WeeklyWindows, type WindowInput } from './weekly-windows.ts'

/** When schedules may fire at all: weekly windows, and excluded dates; up to 1,000 entries. */
export interface CalendarInput {
  /** The time zone of its dates and windows. @default the time zone of the schedule */
  readonly timezone?: string
  /** Dates on which nothing fires: `2026-12-25`, `12-25` (every year), `2026-12-24/2027-01-02`. */
  readonly exclude?: readonly string[]
  /** Dates that `exclude` does not apply to. */
  readonly include?: readonly string[]
  /** Weekly windows: when given, nothing fires outside them. */
  readonly windows?: readonly WindowInput[]
}

export interface Calendar {
  readonly zone: Zone | null
  readonly exclude: DateSet
  readonly include: DateSet
  readonly windows: WeeklyWindows | null
}

const ENTRIES_MAX = 1_000
const NAMES = ['timezone', 'exclude', 'include', 'windows']

/** Throws `invalid_calendar` with the path of the entry, and `invalid_timezone`. */
export function parseCalendar(input: unknown): Calendar {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return refuseEntry('calendar', 'an object', input)
  for (const name of Object.keys(input))
    if (!NAMES.includes(name))
      refuseEntry('calendar', `an object with ${NAMES.join(', ')} only`, name)
  const { timezone, exclude = [], include = [], windows } = input as Record<string, unknown>
  const entries = [exclude, include, windows].map((list) => (Array.isArray(list) ? list.length : 0))
  const count = entries.reduce((sum, length) => sum + length, 0)
  if (count > ENTRIES_MAX)
    refuseEntry('calendar', `an object with at most ${ENTRIES_MAX} entries`, count)
  const calendar = {
    zone: timezone === undefined ? null : zoneOf(timezone as string),
    exclude: parseDateSet('exclude', exclude),
    include: parseDateSet('include', include),
    windows: windows === undefined ? null : parseWindows('windows', windows),
  }
  if (calendar.include.size > 0 && calendar.exclude.size === 0)
    refuseEntry('include', 'left out when nothing is excluded', include)
  if (entries[2] === 0 && windows !== undefined)
    refuseEntry(
      'windows',
      'a non-empty list, or left out',
      windows,
      'An empty list would allow no instant.',
    )
  return calendar
}

/** `zone` is the time zone of the schedule. */
export function calendarAllows(calendar: Calendar, zone: Zone, instantMs: number): boolean {
  const wallMs = instantMs + (calendar.zone ?? zone).offsetAt(instantMs)
  const day = Math.floor(wallMs / DAY_MS)
  if (
    calendar.windows !== null &&
    !inWindow(calendar.windows, weekdayOf(day), wallMs - day * DAY_MS)
  )
    return false
  return !hasDate(calendar.exclude, day) || hasDate(calendar.include, day)
}

/**
 * Calendars: when schedules may fire at all. A calendar has windows of the week and dates that are excluded,
 * such as public holidays; what it says holds in its own zone, or else in that of the schedule that uses it.
 *
 * An instant is allowed when it is in a window (or there are none) and its date is not excluded. A date that
 * is included is not excluded, whatever `exclude` says; it still needs a window.
 */

import { DAY_MS, weekdayOf } from '../zones/civil.ts'
import { type Zone, zoneOf } from '../zones/zone.ts'
import { refuseEntry } from './calendar-error.ts'
import { type DateSet, hasDate, parseDateSet } from './date-set.ts'
import { inWindow, parseWindows, type WeeklyWindows, type WindowInput } from './weekly-windows.ts'

/** When schedules may fire at all: windows of the week, and dates that are excluded; up to 1,000 entries. */
export interface CalendarInput {
  /** The zone in which its dates and windows are meant. @default the zone of the schedule */
  readonly timezone?: string
  /** Dates on which nothing fires: `2026-12-25`, `12-25` (every year), `2026-12-24/2027-01-02`. */
  readonly exclude?: readonly string[]
  /** Dates that are not excluded after all. */
  readonly include?: readonly string[]
  /** When given, only what is in one of them fires. */
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
    if (!NAMES.includes(name)) refuseEntry('calendar', `made of ${NAMES.join(', ')}`, name)
  const { timezone, exclude = [], include = [], windows } = input as Record<string, unknown>
  const entries = [exclude, include, windows].map((it) => (Array.isArray(it) ? it.length : 0))
  const count = entries.reduce((sum, length) => sum + length, 0)
  if (count > ENTRIES_MAX) refuseEntry('calendar', `at most ${ENTRIES_MAX} entries`, count)
  const calendar = {
    zone: timezone === undefined ? null : zoneOf(timezone as string),
    exclude: parseDateSet('exclude', exclude),
    include: parseDateSet('include', include),
    windows: windows === undefined ? null : parseWindows('windows', windows),
  }
  if (calendar.include.size > 0 && calendar.exclude.size === 0)
    refuseEntry('include', 'left out when nothing is excluded', include)
  if (entries[2] === 0 && windows !== undefined)
    refuseEntry('windows', 'left out or have an entry', windows, 'No window would allow nothing.')
  return calendar
}

/** `zone` is that of the schedule. */
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

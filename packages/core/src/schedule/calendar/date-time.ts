/** Parses dates and times in ISO 8601 form, with an offset or in the local time of a time zone. */
import { DAY_MS, daysFromCivil, daysInMonth, FIRST_YEAR, LAST_YEAR } from '../zones/civil.ts'

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d:?\d\d)?)?$/i

export interface DateTime {
  /** The local clock reading, in milliseconds since 1970 as if it were UTC. */
  readonly wallMs: number
  /** Null when the text has no offset: then it is local time. */
  readonly offsetMs: number | null
}

/** Returns the day number of YYYY-MM-DD; null for an invalid date and outside 1970 to 2199. */
export function parseDate(text: string): number | null {
  const match = DATE.exec(text)
  if (match === null) return null
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12) return null
  if (day < 1 || day > daysInMonth(year, month)) return null
  return daysFromCivil(year, month, day)
}

/**
 * A date alone means its midnight. Returns null for invalid text and for times outside 1970 to
 * 2199.
 */
export function parseDateTime(text: string): DateTime | null {
  const match = DATE_TIME.exec(text)
  if (match === null) return null
  const [, date = '', hour = '0', minute = '0', second = '0', fraction = '', offset] = match
  const day = parseDate(date)
  if (day === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second)
  const wallMs = day * DAY_MS + seconds * 1_000 + Number(fraction.padEnd(3, '0'))
  if (offset === undefined) return { wallMs, offsetMs: null }
  const offsetMs = /^z$/i.test(offset) ? 0 : parseOffset(offset)
  return offsetMs === null ? null : { wallMs, offsetMs }
}

function parseOffset(text: string): number | null {
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(-2))
  if (hours > 23 || minutes > 59) return null
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

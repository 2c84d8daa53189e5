/** Instants as callers write them. */
import { refuseOption } from './refuse-option.ts'

/** A `Date`, an ISO 8601 string with `Z` or an offset, or milliseconds since 1970. */
export type Instant = Date | string | number

/** Converts an instant to milliseconds since 1970. */
export function instantOf(field: string, value: unknown): number {
  const ms = timeOf(value)
  if (Number.isNaN(ms))
    refuseOption(
      field,
      'a Date, an ISO 8601 string with Z or an offset, or milliseconds since 1970',
      value,
    )
  // The limit is 9999-12-31: later years have no four-digit ISO form, and PostgreSQL ends in
  // 294276.
  if (ms < 0 || ms > 253_402_300_799_999)
    refuseOption(field, 'between the years 1970 and 9999', value)
  return ms
}

/** A time of day needs an offset: the time zone of the machine that reads it is arbitrary. */
const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/

/**
 * Returns milliseconds since 1970, or NaN for an invalid time. `Date` alone accepts "5", null and
 * February 30.
 */
function timeOf(runAt: unknown): number {
  if (runAt instanceof Date) return runAt.getTime()
  if (typeof runAt === 'number') return Math.trunc(runAt)
  const [text, year, month, day] = typeof runAt === 'string' ? (ISO_8601.exec(runAt) ?? []) : []
  if (text === undefined) return Number.NaN
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(day) > daysInMonth ? Number.NaN : new Date(text).getTime()
}

/** Instants as callers may write them. */
import { refuseOption } from './refuse-option.ts'

/** A `Date`, an ISO 8601 text with `Z` or an offset, or milliseconds since 1970. */
export type Instant = Date | string | number

/** Milliseconds since 1970 of a Date, an ISO 8601 text or a number. */
export function instantOf(field: string, value: unknown): number {
  const ms = timeOf(value)
  if (Number.isNaN(ms))
    refuseOption(
      field,
      'a Date, an ISO 8601 text with Z or an offset, or milliseconds since 1970',
      value,
    )
  // 9999-12-31: later years have no four-digit ISO form, and PostgreSQL ends in 294276.
  if (ms < 0 || ms > 253_402_300_799_999)
    refuseOption(field, 'between the years 1970 and 9999', value)
  return ms
}

/** A time of day needs an offset: the zone of the machine that happens to read it means nothing to the others. */
const ISO_8601 = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d))?$/

/** Milliseconds since 1970; NaN for what is no time. `Date` alone takes "5", null and February 30. */
function timeOf(runAt: unknown): number {
  if (runAt instanceof Date) return runAt.getTime()
  if (typeof runAt === 'number') return Math.trunc(runAt)
  const [text, year, month, day] = typeof runAt === 'string' ? (ISO_8601.exec(runAt) ?? []) : []
  if (text === undefined) return Number.NaN
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number(day) > daysInMonth ? Number.NaN : new Date(text).getTime()
}

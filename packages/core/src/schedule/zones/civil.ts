/**
 * Dates of the Gregorian calendar as day numbers (1970-01-01 is 0), by integer arithmetic alone: a
 * search for the next fire visits many days, and a `Date` for each of them would dominate its cost.
 */

export const SECOND_MS = 1_000
export const DAY_SECONDS = 86_400
export const DAY_MS = 86_400_000

/** The years of local time in which schedules fire; other years are never searched. */
export const FIRST_YEAR = 1970
export const LAST_YEAR = 2199

export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number
}

/**
 * Years begin in March here, so that the leap day is the last of its year (Hinnant's algorithm).
 */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  }
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** 0 is Sunday; day 0 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

/** The first day on which schedules can fire, and the first after the last such day. */
export const FIRST_DAY = daysFromCivil(FIRST_YEAR, 1, 1)
export const END_DAY = daysFromCivil(LAST_YEAR + 1, 1, 1)
/** No instant from here on is a fire, in any time zone. */
export const END_MS = (END_DAY + 1) * DAY_MS

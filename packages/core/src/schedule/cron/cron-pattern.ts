/**
 * A compiled cron pattern: one bit per value, so that finding the next matching minute is a machine
 * instruction, and a hundred thousand patterns fit into memory. It knows only local time, in
 * seconds since 1970 as if it were UTC; next-after.ts handles time zones.
 *
 * The matching days of a month follow from day of month, weekday and the special days together.
 * They are computed once per month and kept, because schedules ask for the same month repeatedly.
 */

import {
  civilFromDays,
  DAY_SECONDS,
  daysFromCivil,
  daysInMonth,
  END_DAY,
  FIRST_YEAR,
  LAST_YEAR,
} from '../zones/civil.ts'
import { firstBit, nextBit, nextBitOfSixty } from './bits.ts'
import { type DayFields, matchingDays } from './month-days.ts'

export interface CronFields extends DayFields {
  /** Bits 0 to 29 and 30 to 59, one word each. */
  readonly seconds: readonly [low: number, high: number]
  readonly minutes: readonly [low: number, high: number]
  readonly hours: number
  /** Bit 0 is January. */
  readonly months: number
  /** Bit 0 of the first word is 1970; null means every year. */
  readonly years: Uint32Array | null
  /**
   * Whether second, minute and hour have no star, range or step: fixed times of day instead of an
   * interval.
   */
  readonly fixed: boolean
}

export class CronPattern {
  readonly fixed: boolean
  readonly #dayFields: DayFields
  readonly #secondsLow: number
  readonly #secondsHigh: number
  readonly #minutesLow: number
  readonly #minutesHigh: number
  readonly #hours: number
  readonly #months: number
  readonly #years: Uint32Array | null
  /** The first matching second of a minute; the next two fields likewise. */
  readonly #firstOfMinute: number
  readonly #firstOfHour: number
  readonly #firstOfDay: number
  /** The month read last, and its matching days. */
  #year = 0
  #month = 0
  #monthStart = 0
  #monthEnd = 0
  #monthDays = 0

  constructor(fields: CronFields) {
    const { days, weekdays, special, either } = fields
    this.fixed = fields.fixed
    this.#dayFields = { days, weekdays, special, either }
    this.#secondsLow = fields.seconds[0]
    this.#secondsHigh = fields.seconds[1]
    this.#minutesLow = fields.minutes[0]
    this.#minutesHigh = fields.minutes[1]
    this.#hours = fields.hours
    this.#months = fields.months
    this.#years = fields.years
    this.#firstOfMinute = nextBitOfSixty(this.#secondsLow, this.#secondsHigh, 0)
    this.#firstOfHour =
      nextBitOfSixty(this.#minutesLow, this.#minutesHigh, 0) * 60 + this.#firstOfMinute
    this.#firstOfDay = firstBit(this.#hours) * 3_600 + this.#firstOfHour
  }

  /**
   * Returns the first matching local second from `wall` on; Infinity when there is none up to the
   * year 2199.
   */
  nextWall(wall: number): number {
    const day = Math.floor(wall / DAY_SECONDS)
    if (day >= END_DAY) return Number.POSITIVE_INFINITY
    if (day >= 0 && this.#matches(day)) {
      const second = this.#nextSecondOfDay(wall - day * DAY_SECONDS)
      if (second >= 0) return day * DAY_SECONDS + second
    }
    const next = this.#nextDay(day < 0 ? 0 : day + 1)
    return next < 0 ? Number.POSITIVE_INFINITY : next * DAY_SECONDS + this.#firstOfDay
  }

  #matches(day: number): boolean {
    if (day < this.#monthStart || day >= this.#monthEnd) this.#look(day)
    return ((this.#monthDays >>> (day - this.#monthStart)) & 1) === 1
  }

  /** Returns the next matching second of one day, or -1 when none is left. */
  #nextSecondOfDay(from: number): number {
    let hour = Math.trunc(from / 3_600)
    if (((this.#hours >>> hour) & 1) === 1) {
      const inHour = from - hour * 3_600
      let minute = Math.trunc(inHour / 60)
      if (nextBitOfSixty(this.#minutesLow, this.#minutesHigh, minute) === minute) {
        const second = nextBitOfSixty(this.#secondsLow, this.#secondsHigh, inHour - minute * 60)
        if (second < 60) return hour * 3_600 + minute * 60 + second
        minute++
      }
      minute = nextBitOfSixty(this.#minutesLow, this.#minutesHigh, minute)
      if (minute < 60) return hour * 3_600 + minute * 60 + this.#firstOfMinute
    }
    hour = nextBit(this.#hours, hour + 1)
    return hour < 0 ? -1 : hour * 3_600 + this.#firstOfHour
  }

  /** Searches month by month, at most 230 years; returns -1 when no day is left. */
  #nextDay(from: number): number {
    let day = from
    while (day < END_DAY) {
      if (day < this.#monthStart || day >= this.#monthEnd) this.#look(day)
      const rest = this.#monthDays & (-1 << (day - this.#monthStart))
      if (rest !== 0) return this.#monthStart + firstBit(rest)
      day = this.#startOfNextMonth()
    }
    return -1
  }

  #look(day: number): void {
    const { year, month, day: ofMonth } = civilFromDays(day)
    this.#year = year
    this.#month = month
    this.#monthStart = day - ofMonth + 1
    this.#monthEnd = this.#monthStart + daysInMonth(year, month)
    const matches = ((this.#months >>> (month - 1)) & 1) === 1 && this.#nextYear(year) === year
    this.#monthDays = matches ? matchingDays(this.#dayFields, year, month) : 0
  }

  /** Returns the start of the next month that the month and year fields match. */
  #startOfNextMonth(): number {
    const year = this.#nextYear(this.#year)
    const month = year === this.#year ? nextBit(this.#months, this.#month) : -1
    if (month >= 0) return daysFromCivil(year, month + 1, 1)
    const later = year === this.#year ? this.#nextYear(year + 1) : year
    return later > LAST_YEAR ? END_DAY : daysFromCivil(later, firstBit(this.#months) + 1, 1)
  }

  #nextYear(from: number): number {
    if (this.#years === null) return from
    for (let year = from; year <= LAST_YEAR; year++) {
      const bit = year - FIRST_YEAR
      if ((((this.#years[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1) return year
    }
    return LAST_YEAR + 1
  }
}

/** The seven fields of a cron expression: their names and permitted values. */
import { FIRST_YEAR, LAST_YEAR } from '../zones/civil.ts'

export interface CronField {
  readonly name: 'second' | 'minute' | 'hour' | 'day' | 'month' | 'weekday' | 'year'
  readonly min: number
  /** The highest value that may be written. */
  readonly max: number
  /** The number of distinct values: weekday 7 is Sunday again. */
  readonly size: number
  /** Names of the values from `min` on; the first three characters suffice. */
  readonly names: readonly string[]
  /** The highest value of a plain `H`: every month has 28 days. Null where `H` makes no sense. */
  readonly spreadMax: number | null
  /** Whether a range may extend over the end of the field: `22-2`, `FRI-MON`. */
  readonly wraps: boolean
}

const MONTHS =
  'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'
const WEEKDAYS = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'

function field(
  name: CronField['name'],
  min: number,
  max: number,
  more: Partial<CronField> = {},
): CronField {
  const size = max - min + 1
  return { name, min, max, size, names: [], spreadMax: max, wraps: true, ...more }
}

export const cronFields = {
  second: field('second', 0, 59),
  minute: field('minute', 0, 59),
  hour: field('hour', 0, 23),
  day: field('day', 1, 31, { spreadMax: 28 }),
  month: field('month', 1, 12, { names: MONTHS.split(' ') }),
  weekday: field('weekday', 0, 7, { size: 7, spreadMax: 6, names: WEEKDAYS.split(' ') }),
  year: field('year', FIRST_YEAR, LAST_YEAR, { spreadMax: null, wraps: false }),
} as const

/** The parsed content of a field. */
export interface FieldValues {
  /** The values; weekday 7 is stored as 0. */
  readonly values: Set<number>
  /**
   * Whether it begins with a star or is a question mark: as a day field it is then unrestricted.
   */
  open: boolean
  /** Whether it has only single values: no star, range or step. */
  single: boolean
  /** As in SpecialDays. */
  beforeLast: number
  nearestWorkday: number
  lastWorkday: boolean
  readonly nth: number[]
}

export function noValues(): FieldValues {
  return {
    values: new Set(),
    open: false,
    single: true,
    beforeLast: 0,
    nearestWorkday: 0,
    lastWorkday: false,
    nth: [0, 0, 0, 0, 0, 0],
  }
}

/**
 * Adds every `step`th value from `first` to `last`; continues over the end of the field when `last`
 * is smaller.
 */
export function addRange(
  cronField: CronField,
  into: FieldValues,
  first: number,
  last: number,
  step: number,
): void {
  const end = last < first ? last + cronField.size : last
  for (let value = first; value <= end; value += step)
    into.values.add(((value - cronField.min) % cronField.size) + cronField.min)
}

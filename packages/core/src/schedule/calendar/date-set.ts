/**
 * A set of dates: single ones (`2026-12-25`), yearly ones (`12-25`), and ranges of either that
 * include both ends (`2026-12-24/2027-01-02`, `12-24/01-02`).
 */

import { civilFromDays, daysFromCivil } from '../zones/civil.ts'
import { refuseEntry } from './calendar-error.ts'
import { parseDate } from './date-time.ts'

export interface DateSet {
  readonly size: number
  /** First and last day of each range, in order and disjoint. */
  readonly ranges: Int32Array
  /** Yearly dates: one word per month, bit 0 for its first day; null when there are none. */
  readonly yearly: Int32Array | null
}

/** A leap year, so that February 29 is a valid yearly date. */
const SOME_LEAP_YEAR = 2024
const NEW_YEAR = daysFromCivil(SOME_LEAP_YEAR, 1, 1)

export function parseDateSet(field: string, input: unknown): DateSet {
  if (!Array.isArray(input)) return refuseEntry(field, 'an array of dates', input)
  const ranges: [first: number, last: number][] = []
  const yearly = new Int32Array(12)
  for (const [i, entry] of input.entries()) {
    const at = `${field}[${i}]`
    const [first, last, ...more] = typeof entry === 'string' ? entry.split('/', 3) : []
    if (first === undefined || more.length > 0) return refuseDate(at, entry)
    if (/^\d\d-/.test(first)) addYearly(at, entry, [first, last ?? first], yearly)
    else ranges.push(rangeOf(at, entry, [first, last ?? first]))
  }
  return {
    size: input.length,
    ranges: merged(ranges),
    yearly: yearly.some((days) => days !== 0) ? yearly : null,
  }
}

export function hasDate({ ranges, yearly }: DateSet, day: number): boolean {
  if (yearly !== null) {
    const { month, day: ofMonth } = civilFromDays(day)
    if ((((yearly[month - 1] as number) >>> (ofMonth - 1)) & 1) === 1) return true
  }
  // Finds the last range that does not begin after the day.
  let low = 0
  let high = ranges.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle * 2] as number) <= day) low = middle + 1
    else high = middle
  }
  return low > 0 && day <= (ranges[low * 2 - 1] as number)
}

function rangeOf(field: string, entry: unknown, ends: [string, string]): [number, number] {
  const [first, last] = ends.map(parseDate) as [number | null, number | null]
  if (first === null || last === null) return refuseDate(field, entry)
  if (last >= first) return [first, last]
  return refuseEntry(field, 'a range that begins with its earlier day', entry, meant(ends))
}

function meant([first, last]: [string, string]): string {
  return `Did you mean ${last}/${first}?`
}

/** Adds a yearly range, which may extend over the end of the year: `12-24/01-02`. */
function addYearly(
  field: string,
  entry: unknown,
  ends: [string, string],
  yearly: Int32Array,
): void {
  const [first, last] = ends.map((end) => parseDate(`${SOME_LEAP_YEAR}-${end}`))
  if (typeof first !== 'number' || typeof last !== 'number') refuseDate(field, entry)
  const end = last < first ? last + 366 : last
  for (let at = first; at <= end; at++) {
    const { month, day } = civilFromDays(NEW_YEAR + ((at - NEW_YEAR) % 366))
    yearly[month - 1] = (yearly[month - 1] as number) | (1 << (day - 1))
  }
}

function merged(ranges: [first: number, last: number][]): Int32Array {
  const inOrder = ranges.sort((a, b) => a[0] - b[0])
  const disjoint: [first: number, last: number][] = []
  for (const [first, last] of inOrder) {
    const before = disjoint.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else disjoint.push([first, last])
  }
  return Int32Array.from(disjoint.flat())
}

function refuseDate(field: string, entry: unknown): never {
  return refuseEntry(
    field,
    'a date such as 2026-12-25, 12-25 for every year, or a range such as 2026-12-24/2027-01-02',
    entry,
  )
}

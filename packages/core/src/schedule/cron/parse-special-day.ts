/**
 * Parses the items that only day fields have: `L`, `L-3`, `LW` and `15W` as a day; `5L`, `5#2` and
 * `5#L` as a weekday.
 */
import type { CronField, FieldValues } from './cron-field.ts'
import { refuseAt, type Span } from './expression-error.ts'
import { readNumber, readValue, received } from './read-value.ts'

/** One less than the longest month: more days before its last would be in the previous month. */
const BEFORE_LAST_MAX = 30

/** Returns whether the item was a special day. */
export function addSpecialDay(field: CronField, item: Span, into: FieldValues): boolean {
  if (field.name === 'day') return addSpecialOfMonth(field, item, into)
  return field.name === 'weekday' && addNthWeekday(field, item, into)
}

function addSpecialOfMonth(field: CronField, item: Span, into: FieldValues): boolean {
  const { text, start, end } = item
  if (/^l/i.test(text[start] as string)) {
    if (end - start === 1) into.beforeLast |= 1
    else if (end - start === 2 && /^w$/i.test(text[start + 1] as string)) into.lastWorkday = true
    else into.beforeLast |= 1 << readBeforeLast(item)
    return true
  }
  if (end - start < 2 || !/^w$/i.test(text[end - 1] as string)) return false
  into.nearestWorkday |= 1 << (readValue(field, { text, start, end: end - 1 }) - 1)
  return true
}

function readBeforeLast(item: Span): number {
  const { text, start, end } = item
  const span = { text, start: start + 2, end }
  const days = text[start + 1] === '-' ? readNumber(span) : null
  if (days !== null && days >= 1 && days <= BEFORE_LAST_MAX) return days
  return refuseAt(
    item,
    `Expected L, LW or L-1 to L-${BEFORE_LAST_MAX}; got ${received(item)}`,
    'L is the last day of the month, L-3 is three days before it, LW is its last working day.',
  )
}

function addNthWeekday(field: CronField, item: Span, into: FieldValues): boolean {
  const { text, start, end } = item
  const hash = text.indexOf('#', start)
  if (hash < 0 || hash >= end) {
    // A name that ends with L is not possible: no weekday's name does.
    if (end - start < 2 || !/^l$/i.test(text[end - 1] as string)) return false
    addNth(into, 0, readValue(field, { text, start, end: end - 1 }))
    return true
  }
  const weekday = readValue(field, { text, start, end: hash })
  const which = { text, start: hash + 1, end }
  const n = /^l$/i.test(text.slice(hash + 1, end)) ? 0 : readNumber(which)
  if (n === null || n > 5 || (n === 0 && text[hash + 1] === '0'))
    return refuseAt(which, `Expected 1 to 5, or L for the last; got ${received(which)}`)
  addNth(into, n, weekday)
  return true
}

function addNth(into: FieldValues, n: number, weekday: number): void {
  into.nth[n] = (into.nth[n] as number) | (1 << (weekday % 7))
}

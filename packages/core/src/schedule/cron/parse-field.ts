/** Parses one field of a cron expression: a list of values, ranges, steps and special days. */
import { addRange, type CronField, type FieldValues, noValues } from './cron-field.ts'
import { refuseAt, type Span } from './expression-error.ts'
import { addSpecialDay } from './parse-special-day.ts'
import { oneOf, readStep, readValue, received, textOf } from './read-value.ts'
import { spreadOf } from './spread.ts'

/** `seed` is the job's id; without one `H` is refused. */
export function parseField(field: CronField, span: Span, seed: string | undefined): FieldValues {
  const into = noValues()
  const { text, start, end } = span
  into.open = text[start] === '*'
  if (textOf(span) === '?' && (field.name === 'day' || field.name === 'weekday')) {
    into.open = true
    into.single = false
    addRange(field, into, field.min, field.min + field.size - 1, 1)
    return into
  }
  for (let itemStart = start; ; ) {
    const comma = text.indexOf(',', itemStart)
    const itemEnd = comma < 0 || comma > end ? end : comma
    parseItem(field, { text, start: itemStart, end: itemEnd }, seed, into)
    if (itemEnd === end) return into
    itemStart = itemEnd + 1
  }
}

function parseItem(
  field: CronField,
  item: Span,
  seed: string | undefined,
  into: FieldValues,
): void {
  const { text, start, end } = item
  if (start === end)
    refuseAt(
      item,
      `Expected ${oneOf(field)}; got nothing`,
      'Write a list without spaces and without a trailing comma.',
    )
  const slash = text.indexOf('/', start)
  const stepped = slash >= 0 && slash < end
  const body = stepped ? { text, start, end: slash } : item
  if (!stepped && addSpecialDay(field, body, into)) return
  const step = stepped ? readStep(field, { text, start: slash + 1, end }) : null
  if (/^h$/i.test(text[start] as string)) addSpread(field, body, step, seed, into)
  else {
    const [first, last] = rangeOf(field, body, step !== null)
    if (last !== null) into.single = false
    addRange(field, into, first, last ?? first, step ?? 1)
  }
}

/**
 * Returns first and last value; the last is null for a single value. `a/n` extends to the end of
 * the field.
 */
function rangeOf(
  field: CronField,
  body: Span,
  stepped: boolean,
): [first: number, last: number | null] {
  const { text, start, end } = body
  const top = field.min + field.size - 1
  if (textOf(body) === '*') return [field.min, top]
  const dash = text.indexOf('-', start)
  if (dash < 0 || dash >= end) {
    const value = readValue(field, body)
    return stepped ? [value > top ? field.min : value, top] : [value, null]
  }
  const first = readValue(field, { text, start, end: dash })
  const last = readValue(field, { text, start: dash + 1, end })
  if (last < first && !field.wraps) {
    const hint = `Did you mean ${text.slice(dash + 1, end)}-${text.slice(start, dash)}?`
    refuseAt(body, `Expected ${oneOf(field)} after ${first}; got ${last}`, hint)
  }
  // Sunday as 7 acts like 0 at the start of a range, and like the day after Saturday at its end.
  return [first > top && last < first ? field.min : first, last]
}

/** Adds the values of `H`, `H/15`, `H(0-29)` or `H(0-29)/10`. */
function addSpread(
  field: CronField,
  body: Span,
  step: number | null,
  seed: string | undefined,
  into: FieldValues,
): void {
  const [first, last] = spreadRange(field, body)
  const size = last - first + 1
  if (seed === undefined)
    refuseAt(body, 'H is derived from a seed, but none was given', 'Pass the id of the job.')
  if (step === null) {
    into.values.add((first + spreadOf(seed, field.name, size)) % (field.min + field.size))
    return
  }
  if (step > size) refuseAt(body, `Expected ${step} or more values to step over; got ${size}`)
  into.single = false
  addRange(field, into, first + spreadOf(seed, field.name, step), last, step)
}

function spreadRange(field: CronField, body: Span): [first: number, last: number] {
  const { text, start, end } = body
  if (field.spreadMax === null)
    return refuseAt(body, `Expected ${oneOf(field)}; got H`, 'H does not spread over years.')
  if (end - start === 1) return [field.min, field.spreadMax]
  const dash = text.indexOf('-', start)
  if (text[start + 1] !== '(' || text[end - 1] !== ')' || dash < 0 || dash >= end)
    return refuseAt(body, `Expected H or H(from-to); got ${received(body)}`)
  const first = readValue(field, { text, start: start + 2, end: dash })
  const last = readValue(field, { text, start: dash + 1, end: end - 1 })
  if (last >= first) return [first, last]
  const hint = `Did you mean H(${last}-${first})?`
  return refuseAt(body, `Expected ${oneOf(field)} after ${first}; got ${last}`, hint)
}

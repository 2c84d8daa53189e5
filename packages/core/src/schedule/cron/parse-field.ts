/** Parses one field of a cron expression: a list of values, ranges, steps and special days. */
import { addRange, type CronField, type FieldValues, noValues } from './cron-field.ts'
import { refuseAt, type Span } from './expression-error.ts'
import { addSpecialDay } from './parse-special-day.ts'
import { came, oneOf, readStep, readValue, textOf } from './read-value.ts'
import { spreadOf } from './spread.ts'

/** `seed` is the job's; `H` is refused without one. */
export function parseField(of: CronField, span: Span, seed: string | undefined): FieldValues {
  const into = noValues()
  const { text, start, end } = span
  into.open = text[start] === '*'
  if (textOf(span) === '?' && (of.name === 'day' || of.name === 'weekday')) {
    into.open = true
    into.single = false
    addRange(of, into, of.min, of.min + of.size - 1, 1)
    return into
  }
  for (let itemStart = start; ; ) {
    const comma = text.indexOf(',', itemStart)
    const itemEnd = comma < 0 || comma > end ? end : comma
    parseItem(of, { text, start: itemStart, end: itemEnd }, seed, into)
    if (itemEnd === end) return into
    itemStart = itemEnd + 1
  }
}

function parseItem(of: CronField, item: Span, seed: string | undefined, into: FieldValues): void {
  const { text, start, end } = item
  if (start === end)
    refuseAt(
      item,
      `Expected ${oneOf(of)}; got nothing`,
      'A list is written without blanks and without a comma at its end.',
    )
  const slash = text.indexOf('/', start)
  const stepped = slash >= 0 && slash < end
  const body = stepped ? { text, start, end: slash } : item
  if (!stepped && addSpecialDay(of, body, into)) return
  const step = stepped ? readStep(of, { text, start: slash + 1, end }) : null
  if (/^h$/i.test(text[start] as string)) addSpread(of, body, step, seed, into)
  else {
    const [first, last] = rangeOf(of, body, step !== null)
    if (last !== null) into.single = false
    addRange(of, into, first, last ?? first, step ?? 1)
  }
}

/** From where to where; the second is null for a single value. `a/n` goes to the end of the field. */
function rangeOf(
  of: CronField,
  body: Span,
  stepped: boolean,
): [first: number, last: number | null] {
  const { text, start, end } = body
  const top = of.min + of.size - 1
  if (textOf(body) === '*') return [of.min, top]
  const dash = text.indexOf('-', start)
  if (dash < 0 || dash >= end) {
    const value = readValue(of, body)
    return stepped ? [value > top ? of.min : value, top] : [value, null]
  }
  const first = readValue(of, { text, start, end: dash })
  const last = readValue(of, { text, start: dash + 1, end })
  if (last < first && !of.wraps) {
    const hint = `Did you mean ${text.slice(dash + 1, end)}-${text.slice(start, dash)}?`
    refuseAt(body, `Expected ${oneOf(of)} after ${first}; got ${last}`, hint)
  }
  // Sunday as 7 begins a range like 0, and ends one as the day after Saturday.
  return [first > top && last < first ? of.min : first, last]
}

/** `H`, `H/15`, `H(0-29)`, `H(0-29)/10`. */
function addSpread(
  of: CronField,
  body: Span,
  step: number | null,
  seed: string | undefined,
  into: FieldValues,
): void {
  const [first, last] = spreadRange(of, body)
  const size = last - first + 1
  if (seed === undefined)
    refuseAt(body, 'H is spread by a seed, but none was given', 'Give the id of the job.')
  if (step === null) {
    into.values.add((first + spreadOf(seed, of.name, size)) % (of.min + of.size))
    return
  }
  if (step > size) refuseAt(body, `Expected ${step} or more values to step over; got ${size}`)
  into.single = false
  addRange(of, into, first + spreadOf(seed, of.name, step), last, step)
}

function spreadRange(of: CronField, body: Span): [first: number, last: number] {
  const { text, start, end } = body
  if (of.spreadMax === null)
    return refuseAt(body, `Expected ${oneOf(of)}; got H`, 'H does not spread over years.')
  if (end - start === 1) return [of.min, of.spreadMax]
  const dash = text.indexOf('-', start)
  if (text[start + 1] !== '(' || text[end - 1] !== ')' || dash < 0 || dash >= end)
    return refuseAt(body, `Expected H or H(from-to); got ${came(body)}`)
  const first = readValue(of, { text, start: start + 2, end: dash })
  const last = readValue(of, { text, start: dash + 1, end: end - 1 })
  if (last >= first) return [first, last]
  const hint = `Did you mean H(${last}-${first})?`
  return refuseAt(body, `Expected ${oneOf(of)} after ${first}; got ${last}`, hint)
}

/** Reads the smallest parts of a cron field: a number or a name, and the step behind a slash. */

import { nearMiss } from '../../check/near-miss.ts'
import { shown } from '../../errors/failure.ts'
import type { CronField } from './cron-field.ts'
import { printable, refuseAt, type Span } from './expression-error.ts'

const DIGITS_MAX = 9

export function textOf({ text, start, end }: Span): string {
  return text.slice(start, end)
}

/** What came instead of what was expected. */
export function came(span: Span): string {
  return span.start === span.end ? 'nothing' : printable(shown(textOf(span)))
}

/** An integer in ASCII digits; null for anything else. */
export function readNumber({ text, start, end }: Span): number | null {
  if (start === end || end - start > DIGITS_MAX) return null
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return null
    value = value * 10 + digit
  }
  return value
}

/** A value of the field, by number or by name. */
export function readValue(of: CronField, span: Span): number {
  const named = readName(of, span)
  if (named !== null) return named
  const value = readNumber(span)
  if (value !== null && value >= of.min && value <= of.max) return value
  return refuseAt(span, `Expected ${expectedOf(of)}; got ${came(span)}`, hintFor(of, span))
}

/** Weekdays and months by their English names or the first three letters, in any case. */
function readName(of: CronField, span: Span): number | null {
  const text = textOf(span).toUpperCase()
  if (text.length < 3) return null
  const index = of.names.findIndex((name) => name === text || name.slice(0, 3) === text)
  return index < 0 ? null : of.min + index
}

/** `a minute`, `an hour`. */
export function oneOf(of: CronField): string {
  return `${of.name === 'hour' ? 'an' : 'a'} ${of.name}`
}

function expectedOf(of: CronField): string {
  const names = of.names.length === 0 ? '' : ` or a name such as ${of.names[1]?.slice(0, 3)}`
  return `${oneOf(of)} from ${of.min} to ${of.max}${names}`
}

function hintFor(of: CronField, span: Span): string {
  const text = textOf(span)
  const value = readNumber(span)
  if (of.name === 'hour' && value === 24) return 'Midnight is hour 0.'
  if (of.name === 'weekday' && value !== null && value >= 1_000)
    return 'A year needs seven fields: second, minute, hour, day, month, weekday, year.'
  if (text === '?') return 'A question mark stands for a whole day or weekday field.'
  if (/^L$/i.test(text) && of.name === 'weekday')
    return 'Saturday is 6 or SAT; the last Friday of the month is 5L or FRIL.'
  const names = of.names.flatMap((name) => [name.slice(0, 3), name])
  const meant = /^[A-Za-z]+$/.test(text) ? nearMiss(text, names) : null
  return meant === null ? '' : `Did you mean ${meant}?`
}

const UNITS: Partial<Record<CronField['name'], string>> = { second: 's', minute: 'm', hour: 'h' }

/** How many values to go on; more than the field has would be a cadence that cron cannot keep. */
export function readStep(of: CronField, span: Span): number {
  const step = readNumber(span)
  if (step === null || step === 0)
    return refuseAt(span, `Expected a step of 1 or more; got ${came(span)}`)
  if (step <= of.size) return step
  const unit = UNITS[of.name]
  const hint =
    unit === undefined
      ? 'It would only ever match the first value.'
      : `It would only ever match the first value; for a longer interval write @every ${step}${unit}.`
  return refuseAt(span, `Expected a step of 1 to ${of.size}; got ${came(span)}`, hint)
}

/** Reads the smallest parts of a cron field: a number or a name, and the step after a slash. */

import { nearMiss } from '../../check/near-miss.ts'
import { shown } from '../../errors/failure.ts'
import type { CronField } from './cron-field.ts'
import { printable, refuseAt, type Span } from './expression-error.ts'

const DIGITS_MAX = 9

export function textOf({ text, start, end }: Span): string {
  return text.slice(start, end)
}

/** Formats the received text for a message. */
export function received(span: Span): string {
  return span.start === span.end ? 'nothing' : printable(shown(textOf(span)))
}

/** Reads an integer in ASCII digits; null for anything else. */
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

/** Reads a value of the field, by number or by name. */
export function readValue(field: CronField, span: Span): number {
  const named = readName(field, span)
  if (named !== null) return named
  const value = readNumber(span)
  if (value !== null && value >= field.min && value <= field.max) return value
  return refuseAt(
    span,
    `Expected ${expectedOf(field)}; got ${received(span)}`,
    hintFor(field, span),
  )
}

/** Reads weekdays and months by their English names or the first three characters, in any case. */
function readName(field: CronField, span: Span): number | null {
  const text = textOf(span).toUpperCase()
  if (text.length < 3) return null
  const index = field.names.findIndex((name) => name === text || name.slice(0, 3) === text)
  return index < 0 ? null : field.min + index
}

/** Formats `a minute`, `an hour`. */
export function oneOf(field: CronField): string {
  return `${field.name === 'hour' ? 'an' : 'a'} ${field.name}`
}

function expectedOf(field: CronField): string {
  const names = field.names.length === 0 ? '' : ` or a name such as ${field.names[1]?.slice(0, 3)}`
  return `${oneOf(field)} from ${field.min} to ${field.max}${names}`
}

function hintFor(field: CronField, span: Span): string {
  const text = textOf(span)
  const value = readNumber(span)
  if (field.name === 'hour' && value === 24) return 'Midnight is hour 0.'
  if (field.name === 'weekday' && value !== null && value >= 1_000)
    return 'A year needs seven fields: second, minute, hour, day, month, weekday, year.'
  if (text === '?') return 'A question mark stands for a whole day or weekday field.'
  if (/^L$/i.test(text) && field.name === 'weekday')
    return 'Saturday is 6 or SAT; the last Friday of the month is 5L or FRIL.'
  const names = field.names.flatMap((name) => [name.slice(0, 3), name])
  const meant = /^[A-Za-z]+$/.test(text) ? nearMiss(text, names) : null
  return meant === null ? '' : `Did you mean ${meant}?`
}

const UNITS: Partial<Record<CronField['name'], string>> = { second: 's', minute: 'm', hour: 'h' }

/** Reads a step. A step larger than the field would be an interval that cron cannot keep. */
export function readStep(field: CronField, span: Span): number {
  const step = readNumber(span)
  if (step === null || step === 0)
    return refuseAt(span, `Expected a step of 1 or more; got ${received(span)}`)
  if (step <= field.size) return step
  const unit = UNITS[field.name]
  const hint =
    unit === undefined
      ? 'It would only ever match the first value.'
      : `It would only ever match the first value; for a longer interval write @every ${step}${unit}.`
  return refuseAt(span, `Expected a step of 1 to ${field.size}; got ${received(span)}`, hint)
}

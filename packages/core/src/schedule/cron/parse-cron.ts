/**
 * Parses cron expressions into patterns: five fields, six with the second first, seven with the
 * year last, or one of the @ words.
 *
 * The dialect is Vixie cron (weekdays from 0 to 7, days match by either field) with common
 * additions: ranges over the end (`22-2`), `a/n` from a to the end, L, W, #, ? and H.
 */

import { nearMiss } from '../../check/near-miss.ts'
import { PunctualError } from '../../errors/errors.ts'
import { FIRST_YEAR } from '../zones/civil.ts'
import { bitsOf } from './bits.ts'
import { type CronField, cronFields, type FieldValues } from './cron-field.ts'
import { CronPattern } from './cron-pattern.ts'
import { checkExpression, isBlank, refuseAt, type Span } from './expression-error.ts'
import type { SpecialDays } from './month-days.ts'
import { parseField } from './parse-field.ts'
import { received, textOf } from './read-value.ts'

/** The day rules, see `DayRule`. */
export const dayRules = ['or', 'and'] as const
/**
 * How day of month and weekday combine when both are restricted: with `or`, as in Vixie cron, one
 * of them must match; with `and` both must.
 */
export type DayRule = (typeof dayRules)[number]

export interface CronOptions {
  /** @default 'or' */
  readonly dayRule?: DayRule
  /** The value from which `H` is derived: the id of the job. Without it `H` is refused. */
  readonly seed?: string | undefined
}

const words: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}

/** Throws `invalid_schedule`, and `never_fires` for a pattern without a day. */
export function parseCron(expression: string, options: CronOptions = {}): CronPattern {
  return parseCronSpan(checkExpression(expression), options)
}

/** `span` is the part of a text that contains the expression, without surrounding blanks. */
export function parseCronSpan(span: Span, options: CronOptions): CronPattern {
  refuseStrange(span)
  const fields = splitFields(span.text[span.start] === '@' ? wordSpan(span) : span)
  if (fields.length < 5 || fields.length > 7) return refuseCount(span, fields)
  const [minute, hour, day, month, weekday] = fields.length === 5 ? fields : fields.slice(1)
  const read = (field: CronField, part: Span | undefined) =>
    parseField(field, part as Span, options.seed)
  const pattern = patternOf(
    {
      second: fields.length === 5 ? null : read(cronFields.second, fields[0]),
      minute: read(cronFields.minute, minute),
      hour: read(cronFields.hour, hour),
      day: read(cronFields.day, day),
      month: read(cronFields.month, month),
      weekday: read(cronFields.weekday, weekday),
      year: fields.length === 7 ? read(cronFields.year, fields[6]) : null,
    },
    options.dayRule ?? 'or',
  )
  if (pattern.nextWall(0) !== Number.POSITIVE_INFINITY) return pattern
  throw new PunctualError(
    'never_fires',
    `${received(span)} never fires: no day from 1970 to 2199 matches its day, month and year.`,
    { field: 'expression', position: span.start },
  )
}

/** Second and year may be left out. */
type Values = Record<'minute' | 'hour' | 'day' | 'month' | 'weekday', FieldValues> &
  Record<'second' | 'year', FieldValues | null>

function patternOf(values: Values, dayRule: DayRule): CronPattern {
  const { second, minute, hour, day, month, weekday, year } = values
  return new CronPattern({
    seconds: second === null ? [1, 0] : bitsOfSixty(second),
    minutes: bitsOfSixty(minute),
    hours: bitsOf(hour.values, 0),
    days: bitsOf(day.values, 1),
    months: bitsOf(month.values, 1),
    weekdays: bitsOf(weekday.values, 0),
    years: year === null || year.values.size === cronFields.year.size ? null : yearBits(year),
    special: specialOf(day, weekday),
    either: dayRule === 'or' && !day.open && !weekday.open,
    fixed: (second === null || second.single) && minute.single && hour.single,
  })
}

function bitsOfSixty({ values }: FieldValues): [low: number, high: number] {
  const all = [...values]
  return [
    bitsOf(
      all.filter((value) => value < 30),
      0,
    ),
    bitsOf(
      all.filter((value) => value >= 30),
      30,
    ),
  ]
}

function yearBits({ values }: FieldValues): Uint32Array {
  const words = new Uint32Array(Math.ceil(cronFields.year.size / 32))
  for (const year of values) {
    const bit = year - FIRST_YEAR
    words[bit >>> 5] = (words[bit >>> 5] as number) | (1 << (bit & 31))
  }
  return words
}

function specialOf(day: FieldValues, weekday: FieldValues): SpecialDays | null {
  const { beforeLast, nearestWorkday, lastWorkday } = day
  const { nth } = weekday
  const some =
    beforeLast !== 0 || nearestWorkday !== 0 || lastWorkday || nth.some((bits) => bits !== 0)
  return some ? { beforeLast, nearestWorkday, lastWorkday, nth } : null
}

/** Refuses a character that no field contains and shows it by its code: it may be invisible. */
function refuseStrange({ text, start, end }: Span): void {
  const strange = text.slice(start, end).search(/[^0-9A-Za-z*,/#?()@ \t-]/)
  if (strange < 0) return
  const at = start + strange
  const code = (text.codePointAt(at) as number).toString(16).toUpperCase().padStart(4, '0')
  const what = `Expected digits, names and * , - / # ? L W H; got the character U+${code}`
  refuseAt({ text, start: at, end: at + 1 }, what)
}

function splitFields({ text, start, end }: Span): Span[] {
  const fields: Span[] = []
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && !isBlank(text, at)) continue
    if (at > from) fields.push({ text, start: from, end: at })
    from = at + 1
  }
  return fields
}

function refuseCount(span: Span, fields: readonly Span[]): never {
  const { text, end } = span
  const split = fields.find((field) => text[field.end - 1] === ',')
  const hint = split ? 'Write a list without spaces after its commas.' : ''
  const where = split ?? fields[7] ?? { text, start: end, end }
  return refuseAt(
    where,
    `Expected 5 fields (minute hour day month weekday), 6 with the second first or 7 with the year last; got ${fields.length}`,
    hint,
  )
}

/** Returns the expression that a word stands for. */
function wordSpan(span: Span): Span {
  const word = textOf(span).toLowerCase()
  const text = Object.hasOwn(words, word) ? words[word] : undefined
  if (text !== undefined) return { text, start: 0, end: text.length }
  if (word === '@reboot')
    return refuseAt(
      span,
      '@reboot is not a time',
      'Punctual runs on many machines, so it has no single start: submit a run from your program when it starts.',
    )
  const meant = nearMiss(word, [...Object.keys(words), '@every'])
  return refuseAt(
    span,
    `Expected ${Object.keys(words).join(', ')} or @every with a duration; got ${received(span)}`,
    meant === null ? '' : `Did you mean ${meant}?`,
  )
}

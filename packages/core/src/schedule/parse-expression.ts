/**
 * Distinguishes the forms of a schedule: a cron expression, `@every` with a duration, a duration
 * alone, or a repeating interval; each may be prefixed with `CRON_TZ=Zone` or `TZ=Zone`.
 */
import { PunctualError } from '../errors/errors.ts'
import type { CronPattern } from './cron/cron-pattern.ts'
import { checkExpression, isBlank, refuseAt, type Span } from './cron/expression-error.ts'
import { type CronOptions, parseCronSpan } from './cron/parse-cron.ts'
import { textOf } from './cron/read-value.ts'
import { type Period, parsePeriod, parsePeriodSpan } from './parse-period.ts'
import { parseRepeat, type Repeat } from './parse-repeat.ts'
import { type Zone, zoneOf } from './zones/zone.ts'

export type Expression = {
  /** The time zone of its prefix; null without a prefix. */
  readonly zone: Zone | null
} & (
  | { readonly kind: 'cron'; readonly pattern: CronPattern }
  | { readonly kind: 'every'; readonly period: Period }
  | { readonly kind: 'repeat'; readonly repeat: Repeat }
)

const EVERY = /^@every(?=[ \t]|$)/i
const ZONE = /^(?:CRON_)?TZ=/i

/** A number means milliseconds. Throws `invalid_schedule`, `invalid_timezone` and `never_fires`. */
export function parseExpression(expression: string | number, options: CronOptions): Expression {
  if (typeof expression === 'number')
    return { zone: null, kind: 'every', period: parsePeriod(expression) }
  const whole = checkExpression(expression)
  const prefix = ZONE.exec(textOf(whole))?.[0]
  if (prefix === undefined) return { zone: null, ...parseForm(whole, options) }
  const { text, end } = whole
  const start = whole.start + prefix.length
  let zoneEnd = start
  while (zoneEnd < end && !isBlank(text, zoneEnd)) zoneEnd++
  const zone = prefixZone({ text, start, end: zoneEnd })
  const rest = skipBlanks({ text, start: zoneEnd, end })
  return { zone, ...parseForm(rest, options) }
}

/**
 * Whether the seed matters: an H starts an item of a field, and no name of a month or weekday
 * starts with H.
 */
export function usesSpread(expression: string): boolean {
  return /(?:^|[ \t,])h/i.test(expression)
}

function parseForm(span: Span, options: CronOptions) {
  const text = textOf(span)
  const every = EVERY.exec(text)?.[0]
  if (every !== undefined) {
    const period = parsePeriodSpan(skipBlanks({ ...span, start: span.start + every.length }))
    return { kind: 'every', period } as const
  }
  if (/^r[^ \t]*\//i.test(text)) return { kind: 'repeat', repeat: parseRepeat(span) } as const
  // In a cron expression the first field is followed by a blank, and none begins with P.
  if (/^(?:p|[0-9.]+[a-z])[^ \t]*$/i.test(text))
    return { kind: 'every', period: parsePeriodSpan(span) } as const
  return { kind: 'cron', pattern: parseCronSpan(span, options) } as const
}

function prefixZone(span: Span): Zone {
  try {
    return zoneOf(textOf(span))
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error
    const { code, message } = error
    throw new PunctualError(code, message, { field: 'expression', position: span.start })
  }
}

function skipBlanks(span: Span): Span {
  let start = span.start
  while (start < span.end && isBlank(span.text, start)) start++
  if (start < span.end) return { ...span, start }
  return refuseAt({ ...span, start }, 'Expected a schedule; got nothing')
}

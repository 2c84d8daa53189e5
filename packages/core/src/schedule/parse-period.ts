/**
 * Parses the length of time between two fires: `90s`, `1h30m`, `2d`, `1w`, or in ISO 8601 form
 * `PT1H30M`, `P1D`, `P1M`.
 *
 * Days, weeks, months and years are calendar time: a day has 23 hours when the clocks go forward.
 * Hours and below are elapsed time. So 24h and 1d differ twice a year.
 */

import { checkExpression, refuseAt, type Span } from './cron/expression-error.ts'
import { readNumber, received } from './cron/read-value.ts'
import { DAY_MS, SECOND_MS } from './zones/civil.ts'

export interface Period {
  readonly months: number
  readonly days: number
  /** The part in hours and below. */
  readonly elapsedMs: number
}

const PERIOD_MS_MIN = SECOND_MS
/** A hundred years: a longer period would never fire again. */
const PERIOD_MS_MAX = 36_525 * DAY_MS
const MONTH_MS = 30.4375 * DAY_MS

interface Unit {
  readonly months?: number
  readonly days?: number
  readonly ms?: number
}

/** In the order in which they must be written. */
const SHORT_UNITS: Readonly<Record<string, Unit>> = {
  w: { days: 7 },
  d: { days: 1 },
  h: { ms: 3_600_000 },
  m: { ms: 60_000 },
  s: { ms: 1_000 },
  ms: { ms: 1 },
}
const ISO_UNITS: Readonly<Record<string, Unit>> = {
  Y: { months: 12 },
  M: { months: 1 },
  W: { days: 7 },
  D: { days: 1 },
  TH: { ms: 3_600_000 },
  TM: { ms: 60_000 },
  TS: { ms: 1_000 },
}

/** Parses milliseconds or a string. Throws `invalid_schedule`. */
export function parsePeriod(input: string | number): Period {
  if (typeof input !== 'number') return parsePeriodSpan(checkExpression(input))
  const text = String(input)
  const period = { months: 0, days: 0, elapsedMs: input }
  return checkLength(period, { text, start: 0, end: text.length })
}

/** `span` has no blanks around it. */
export function parsePeriodSpan(span: Span): Period {
  const { text, start, end } = span
  const iso = /^p$/i.test(text[start] as string)
  const units = iso ? ISO_UNITS : SHORT_UNITS
  const names = Object.keys(units)
  let months = 0
  let days = 0
  let elapsedMs = 0
  let time = ''
  let lastUnit = -1
  for (let at = iso ? start + 1 : start; at < end || lastUnit < 0; ) {
    if (iso && time === '' && /^t$/i.test(text[at] ?? '')) {
      time = 'T'
      at++
    }
    const part = readPart({ text, start: at, end }, iso)
    const unit = names.indexOf(time + part.unit)
    const one = units[time + part.unit]
    if (one === undefined || unit <= lastUnit || (!part.whole && one.ms === undefined))
      return refusePeriod(span, at)
    months += part.count * (one.months ?? 0)
    days += part.count * (one.days ?? 0)
    // Rounded to a thousandth: 1.1 hours are not an integer of milliseconds in binary.
    elapsedMs += Math.round(part.count * (one.ms ?? 0) * 1_000) / 1_000
    lastUnit = unit
    at = part.end
  }
  return checkLength({ months, days, elapsedMs }, span)
}

interface Part {
  readonly count: number
  readonly whole: boolean
  readonly unit: string
  readonly end: number
}

/** Reads digits with an optional fraction, and the unit after them. */
function readPart({ text, start, end }: Span, iso: boolean): Part {
  let at = start
  const skip = (chars: RegExp) => {
    const from = at
    while (at < end && chars.test(text[at] as string)) at++
    return { text, start: from, end: at }
  }
  const whole = readNumber(skip(/[0-9]/)) ?? Number.NaN
  const dotted = text[at] === '.' && at < end
  if (dotted) at++
  const digits = dotted ? skip(/[0-9]/) : { text, start: at, end: at }
  const fraction = dotted ? (readNumber(digits) ?? Number.NaN) / 10 ** (at - digits.start) : 0
  const unitSpan = iso ? { text, start: at, end: Math.min(at + 1, end) } : skip(/[A-Za-z]/)
  const unit = text.slice(unitSpan.start, unitSpan.end)
  const cased = iso ? unit.toUpperCase() : unit.toLowerCase()
  const count = whole + fraction
  // Without a number the unit is ignored.
  return { count, whole: !dotted, unit: Number.isNaN(count) ? '' : cased, end: unitSpan.end }
}

function refusePeriod(span: Span, at: number): never {
  const rest = { ...span, start: Math.min(at, span.end) }
  return refuseAt(
    rest,
    `Expected a duration such as 90s, 1h30m, 2d, 1w, PT1H30M, P1D or P1M; got ${received(rest)}`,
    'Units come from the longest to the shortest, each once; only hours and below may have a fraction.',
  )
}

function checkLength(period: Period, span: Span): Period {
  const { months, days, elapsedMs } = period
  const lengthMs = months * MONTH_MS + days * DAY_MS + elapsedMs
  const fine = lengthMs >= PERIOD_MS_MIN && lengthMs <= PERIOD_MS_MAX && Number.isInteger(elapsedMs)
  if (fine) return period
  return refuseAt(
    span,
    `Expected a duration from one second to a hundred years in whole milliseconds; got ${received(span)}`,
  )
}

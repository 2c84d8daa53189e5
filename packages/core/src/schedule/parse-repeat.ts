/**
 * Parses repeating intervals of ISO 8601, which fire at the start of each interval:
 * `R5/2026-01-01T00:00:00Z/PT1H` fires five times. Accepts start and duration, start and end of the
 * first interval, or duration and end of the last; `R/` without a number repeats without end.
 */
import { type DateTime, parseDateTime } from './calendar/date-time.ts'
import { refuseAt, type Span } from './cron/expression-error.ts'
import { readNumber, received, textOf } from './cron/read-value.ts'
import { type Every, wallOf } from './every.ts'
import { parsePeriod, parsePeriodSpan } from './parse-period.ts'
import type { DstPolicy } from './zones/dst-policy.ts'
import { instantOf } from './zones/wall-instants.ts'
import type { Zone } from './zones/zone.ts'

export interface Repeat {
  readonly every: Every
  /** Without an offset it is local time in the time zone of the schedule. */
  readonly at: DateTime
  /** Whether `at` is the start of the first interval or the end of the last. */
  readonly edge: 'start' | 'end'
}

const COUNT_MAX = 999_999_999

/** `span` begins with R and has no surrounding blanks. Throws `invalid_schedule`. */
export function parseRepeat(span: Span): Repeat {
  const { text, start, end } = span
  const parts: Span[] = []
  for (let from = start; from <= end; ) {
    const slash = text.indexOf('/', from)
    const to = slash < 0 || slash > end ? end : slash
    parts.push({ text, start: from, end: to })
    from = to + 1
  }
  const [repeats, left, right] = parts
  if (repeats === undefined || left === undefined || right === undefined || parts.length > 3)
    return refuseAt(
      { text, start: end, end },
      `Expected R5/start/duration, R5/start/end or R5/duration/end; got ${parts.length} parts`,
    )
  return repeatOf(readCount(repeats), left, right)
}

function repeatOf(count: number | null, left: Span, right: Span): Repeat {
  const start = isPeriod(left) ? null : readDateTime(left)
  const end = isPeriod(right) ? null : readDateTime(right)
  if (start !== null && end === null)
    return { every: { period: parsePeriodSpan(right), count }, at: start, edge: 'start' }
  if (start !== null && end !== null) {
    const ms = lengthOf(start, end, right)
    return { every: { period: parsePeriod(ms), count }, at: start, edge: 'start' }
  }
  const period = parsePeriodSpan(left)
  if (end === null)
    return refuseAt(right, 'Expected the date and time at which the last interval ends')
  if (count === null)
    return refuseAt(
      right,
      'Expected a number after R, because intervals without a start are counted from their end',
    )
  return { every: { period, count }, at: end, edge: 'end' }
}

/** Returns when the first interval starts. */
export function firstOf({ every, at, edge }: Repeat, zone: Zone, dst: DstPolicy): number {
  const atMs = at.offsetMs === null ? instantOf(zone, at.wallMs, dst) : at.wallMs - at.offsetMs
  if (edge === 'start') return atMs
  const { period, count } = every
  const back = -(count as number)
  const wallMs = wallOf(period, atMs + zone.offsetAt(atMs), back)
  const calendar = period.months !== 0 || period.days !== 0
  return (calendar ? instantOf(zone, wallMs, dst) : atMs) + back * period.elapsedMs
}

function isPeriod({ text, start }: Span): boolean {
  return /^p$/i.test(text[start] ?? '')
}

function readCount(span: Span): number | null {
  const digits = { ...span, start: span.start + 1 }
  if (digits.start === digits.end) return null
  const count = readNumber(digits)
  if (count !== null && count >= 1 && count <= COUNT_MAX) return count
  return refuseAt(digits, `Expected a repeat count from 1 to ${COUNT_MAX}; got ${received(digits)}`)
}

function readDateTime(span: Span): DateTime {
  const dateTime = parseDateTime(textOf(span))
  if (dateTime !== null) return dateTime
  return refuseAt(
    span,
    `Expected a date and time between 1970 and 2199 such as 2026-01-31T09:00:00Z; got ${received(span)}`,
  )
}

function lengthOf(start: DateTime, end: DateTime, span: Span): number {
  if (start.offsetMs === null || end.offsetMs === null)
    return refuseAt(span, 'Expected start and end with an offset, such as Z')
  const ms = end.wallMs - end.offsetMs - (start.wallMs - start.offsetMs)
  return ms >= 1_000 ? ms : refuseAt(span, 'Expected an end at least a second after the start')
}

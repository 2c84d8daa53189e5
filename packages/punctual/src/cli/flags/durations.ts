/** Durations and instants in flags and in output. */
import { PunctualError } from '@punctual/core/errors'

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `500ms`, `10s`, `5m`, `2h`, `1d`; a bare number is milliseconds. */
export function parseDuration(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (!match)
    throw new PunctualError(
      'invalid_option',
      `${flag} must be a duration such as 500ms, 10s, 5m, 2h or 1d; got ${JSON.stringify(text.slice(0, 80))}.`,
      { field: flag },
    )
  return Math.round(Number(match[1]) * UNITS_MS[(match[2] ?? 'ms') as keyof typeof UNITS_MS])
}

/** A duration as a flag takes it: `5m`, `90s`, `0`. */
export function shortDuration(ms: number): string {
  const units = Object.entries(UNITS_MS).reverse()
  const [unit, unitMs] = units.find(([, length]) => ms > 0 && ms % length === 0) ?? ['', 1]
  return `${ms / unitMs}${unit}`
}

/** An instant: an ISO 8601 string, or `+5m` from now. */
export function parseInstant(flag: string, text: string, nowMs: number): Date {
  if (text.startsWith('+')) return new Date(nowMs + parseDuration(flag, text.slice(1)))
  const instant = new Date(text)
  // `new Date('5')` is a day in 2001, so only text that begins like a date is accepted.
  if (/^\d{4}-\d\d/.test(text) && !Number.isNaN(instant.getTime())) return instant
  throw new PunctualError(
    'invalid_option',
    `${flag} must be a time such as 2030-01-31T12:00:00Z or +5m; got ${JSON.stringify(text.slice(0, 80))}.`,
    { field: flag },
  )
}

/** Two units at most: `3.2 s`, `4 m 10 s`, `2 h 5 m`, `3 d`. */
export function showDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`
  const seconds = Math.round(ms / 1_000)
  const [first, second] = (
    [
      [Math.floor(seconds / 86_400), 'd'],
      [Math.floor(seconds / 3_600) % 24, 'h'],
      [Math.floor(seconds / 60) % 60, 'm'],
      [seconds % 60, 's'],
    ] as const
  ).reduce<string[]>((parts, [count, unit]) => {
    if (count > 0 || parts.length > 0) parts.push(count > 0 ? `${count} ${unit}` : '')
    return parts
  }, [])
  return [first, second].filter(Boolean).join(' ')
}

/** Relative to now, in one unit: `12 s ago`, `in 5 m`. */
export function showAge(instant: Date, nowMs: number): string {
  const ms = nowMs - instant.getTime()
  if (Math.abs(ms) < 500) return 'now'
  const [largest, unit] = showDuration(roundAge(Math.abs(ms))).split(' ')
  return ms > 0 ? `${largest} ${unit} ago` : `in ${largest} ${unit}`
}

function roundAge(ms: number): number {
  return ms < 1_000 ? ms : Math.round(ms / 1_000) * 1_000
}

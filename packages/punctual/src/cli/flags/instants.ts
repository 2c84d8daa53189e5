/** Instants in flags: without an offset they are local times in a given time zone. */
import { PunctualError } from '@punctual/core/errors'
import { localInstant, zoneOf } from '@punctual/core/schedule'
import { parseDuration } from './durations.ts'

const DAY_MS = 86_400_000

/**
 * `2030-01-31T12:00:00Z`, `2030-01-31T12:00` in the zone, `2030-01-31`, `+5m` and `-5m` from now,
 * `now`.
 */
export function parseInstantIn(flag: string, text: string, tz: string, nowMs: number): Date {
  if (text === 'now') return new Date(Math.floor(nowMs))
  if (text.startsWith('+')) return relative(flag, text, nowMs, 1)
  if (text.startsWith('-')) return relative(flag, text, nowMs, -1)
  return localInstant(text, tz) ?? refuse(flag, text)
}

/** Also accepts a time of day, which means its latest occurrence up to now. */
export function parsePastInstant(flag: string, text: string, tz: string, nowMs: number): Date {
  if (!/^\d\d:\d\d(:\d\d)?$/.test(text)) return parseInstantIn(flag, text, tz, nowMs)
  const zone = zoneOf(tz)
  const dateOf = (ms: number) => new Date(ms + zone.offsetAt(ms)).toISOString().slice(0, 10)
  const today = localInstant(`${dateOf(nowMs)}T${text}`, tz) ?? refuse(flag, text)
  if (today.getTime() <= nowMs) return today
  return localInstant(`${dateOf(nowMs - DAY_MS)}T${text}`, tz) ?? refuse(flag, text)
}

function relative(flag: string, text: string, nowMs: number, sign: 1 | -1): Date {
  return new Date(Math.floor(nowMs + sign * parseDuration(flag, text.slice(1))))
}

function refuse(flag: string, text: string): never {
  const shown = JSON.stringify(text.slice(0, 80))
  throw new PunctualError(
    'invalid_option',
    `${flag} must be a time such as 2030-01-31T12:00:00Z, 2030-01-31T12:00 (local time) or +5m; got ${shown}.`,
    { field: flag },
  )
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `Sun 2026-03-29 03:00:00 +02:00`. */
export function showLocal(at: Date, tz: string): string {
  const offsetMs = zoneOf(tz).offsetAt(at.getTime())
  const local = new Date(at.getTime() + offsetMs)
  const [date, clock] = local.toISOString().replace('.000Z', '').replace('Z', '').split('T')
  const offset = new Date(Math.abs(offsetMs)).toISOString().slice(11, 19).replace(/:00$/, '')
  return `${WEEKDAYS[local.getUTCDay()]} ${date} ${clock} ${offsetMs < 0 ? '-' : '+'}${offset}`
}

/** The time zone that an expression names itself (`CRON_TZ=…`), or null. */
export function zoneIn(expression: string | number): string | null {
  const name = /^\s*(?:CRON_)?TZ=(\S+)/i.exec(String(expression))?.[1]
  return name === undefined ? null : zoneOf(name).name
}

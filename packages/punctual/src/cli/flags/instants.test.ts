import { describe, expect, test } from 'vitest'
import { parseInstantIn, parsePastInstant, showLocal, zoneIn } from './instants.ts'

const now = Date.parse('2026-03-29T06:30:00Z')
const iso = (text: string, tz = 'Europe/Berlin') =>
  parseInstantIn('--from', text, tz, now).toISOString()

describe('parseInstantIn', () => {
  test.for([
    ['2026-03-29T12:00:00Z', '2026-03-29T12:00:00.000Z'],
    ['2026-03-29T12:00:00+05:30', '2026-03-29T06:30:00.000Z'],
    ['2026-03-29T12:00', '2026-03-29T10:00:00.000Z'],
    ['2026-03-28 12:00', '2026-03-28T11:00:00.000Z'],
    ['2026-03-28', '2026-03-27T23:00:00.000Z'],
    ['2026-03-29T02:30', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['+5m', '2026-03-29T06:35:00.000Z'],
    ['-1d', '2026-03-28T06:30:00.000Z'],
    ['now', '2026-03-29T06:30:00.000Z'],
  ] as const)('reads %s in Berlin as %s', ([text, at]) => {
    expect(iso(text)).toBe(at)
  })

  test.for(['', 'soon', '5', '2026-02-30', '2026-13-01', '2026-01-01T25:00', '+later', '09:00'])(
    'refuses %j and names the flag',
    (text) => {
      expect(() => iso(text)).toThrow(/--from must be/)
    },
  )
})

test('a time of day means its latest occurrence up to now', () => {
  const past = (text: string) => parsePastInstant('--at', text, 'Europe/Berlin', now).toISOString()
  expect(past('08:30')).toBe('2026-03-29T06:30:00.000Z')
  expect(past('09:00')).toBe('2026-03-28T08:00:00.000Z')
  expect(() => past('25:00')).toThrow(/--at must be/)
})

test('an instant is shown in local time with its offset', () => {
  const shown = (text: string, tz: string) => showLocal(new Date(text), tz)
  expect(shown('2026-03-29T01:00:00Z', 'Europe/Berlin')).toBe('Sun 2026-03-29 03:00:00 +02:00')
  expect(shown('2026-03-29T01:00:00.250Z', 'America/New_York')).toBe(
    'Sat 2026-03-28 21:00:00.250 -04:00',
  )
  expect(shown('2026-03-29T01:00:00Z', 'Asia/Kolkata')).toBe('Sun 2026-03-29 06:30:00 +05:30')
})

test('an expression may name its own time zone', () => {
  expect(zoneIn('CRON_TZ=asia/tokyo 0 9 * * *')).toBe('Asia/Tokyo')
  expect(zoneIn('0 9 * * *')).toBeNull()
  expect(zoneIn(5_000)).toBeNull()
})

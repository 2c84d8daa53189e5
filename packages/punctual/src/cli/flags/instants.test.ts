import { describe, expect, test } from 'vitest'
import { parseMomentIn, parsePastMoment, showLocal, zoneIn } from './instants.ts'

const now = Date.parse('2026-03-29T06:30:00Z')
const iso = (text: string, tz = 'Europe/Berlin') =>
  parseMomentIn('--from', text, tz, now).toISOString()

describe('a moment', () => {
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
  ] as const)('%s in Berlin is %s', ([text, at]) => {
    expect(iso(text)).toBe(at)
  })

  test.for(['', 'soon', '5', '2026-02-30', '2026-13-01', '2026-01-01T25:00', '+later', '09:00'])(
    '%j is refused by the name of its flag',
    (text) => {
      expect(() => iso(text)).toThrow(/--from must be/)
    },
  )
})

test('a time of day is the last one up to now', () => {
  const past = (text: string) => parsePastMoment('--at', text, 'Europe/Berlin', now).toISOString()
  expect(past('08:30')).toBe('2026-03-29T06:30:00.000Z')
  expect(past('09:00')).toBe('2026-03-28T08:00:00.000Z')
  expect(() => past('25:00')).toThrow(/--at must be/)
})

test('a moment is shown in local time with its offset', () => {
  const shown = (text: string, tz: string) => showLocal(new Date(text), tz)
  expect(shown('2026-03-29T01:00:00Z', 'Europe/Berlin')).toBe('Sun 2026-03-29 03:00:00 +02:00')
  expect(shown('2026-03-29T01:00:00.250Z', 'America/New_York')).toBe(
    'Sat 2026-03-28 21:00:00.250 -04:00',
  )
  expect(shown('2026-03-29T01:00:00Z', 'Asia/Kolkata')).toBe('Sun 2026-03-29 06:30:00 +05:30')
})

test('an expression may name its zone itself', () => {
  expect(zoneIn('CRON_TZ=asia/tokyo 0 9 * * *')).toBe('Asia/Tokyo')
  expect(zoneIn('0 9 * * *')).toBeNull()
  expect(zoneIn(5_000)).toBeNull()
})

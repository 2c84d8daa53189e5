import { describe, expect, test } from 'vitest'
import { compileTiming, nextSlot, type TimingInput } from './timing.ts'

const from = Date.parse('2026-03-28T12:00:00Z')

function next(input: TimingInput): string | null {
  const ms = nextSlot(compileTiming(input), from)
  return ms === null ? null : new Date(ms).toISOString()
}

describe('a timing', () => {
  test('is compiled from each form of a schedule', () => {
    expect(next({ expression: '30 2 * * *' })).toBe('2026-03-29T02:30:00.000Z')
    expect(next({ expression: '@daily', tz: 'Europe/Berlin' })).toBe('2026-03-28T23:00:00.000Z')
    expect(next({ expression: '@every 90m', anchor: from })).toBe('2026-03-28T13:30:00.000Z')
    expect(next({ expression: '2d', anchor: new Date(from) })).toBe('2026-03-30T12:00:00.000Z')
    expect(next({ expression: 'P1M', anchor: from })).toBe('2026-04-28T12:00:00.000Z')
    expect(next({ expression: 60_000, anchor: from })).toBe('2026-03-28T12:01:00.000Z')
    expect(next({ expression: 'R/2026-03-28T12:00:00Z/PT7H' })).toBe('2026-03-28T19:00:00.000Z')
  })

  test('prefers the zone of its prefix to that of the option', () => {
    const input = { expression: 'CRON_TZ=Asia/Tokyo 0 9 * * *', tz: 'Europe/Berlin' }
    expect(next(input)).toBe('2026-03-29T00:00:00.000Z')
    expect(next({ expression: 'TZ=Asia/Tokyo @every 1d', anchor: 0 })).toBe(
      '2026-03-29T00:00:00.000Z',
    )
  })

  test('follows the given policies and day rule', () => {
    const berlin = { expression: '30 2 * * *', tz: 'Europe/Berlin' } as const
    expect(next(berlin)).toBe('2026-03-29T01:00:00.000Z')
    expect(next({ ...berlin, gap: 'shift' })).toBe('2026-03-29T01:30:00.000Z')
    expect(next({ ...berlin, gap: 'skip' })).toBe('2026-03-30T00:30:00.000Z')
    expect(next({ expression: '0 0 1 * MON', dayRule: 'and' })).toBe('2026-06-01T00:00:00.000Z')
  })

  test('has no slot left when it is over', () => {
    expect(next({ expression: '0 0 0 1 1 * 2025' })).toBeNull()
    expect(next({ expression: 'R2/2026-01-01/PT1H' })).toBeNull()
  })

  test.for([
    ['gap', { gap: 'later' }],
    ['fold', { fold: 'none' }],
    ['dayRule', { dayRule: 'xor' }],
    ['seed', { seed: 5 }],
    ['seed', { seed: 'x'.repeat(257) }],
  ])('refuses an invalid %s', ([field, more]) => {
    expect(() => compileTiming({ expression: '* * * * *', ...(more as object) })).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })

  test.for([undefined, Number.NaN, -1, 0.5, 1e16, new Date(Number.NaN), '2026-01-01'])(
    'a duration needs an anchor: case %#',
    (anchor) => {
      expect(() => compileTiming({ expression: '5m', anchor: anchor as number })).toThrow(
        expect.objectContaining({ code: 'invalid_option', field: 'anchor' }),
      )
    },
  )
})

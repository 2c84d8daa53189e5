import { describe, expect, test } from 'vitest'
import { compileTiming, nextSlot, type TimingInput } from './timing.ts'
import { TimingCache } from './timing-cache.ts'

const from = Date.parse('2026-03-28T12:00:00Z')
const berlin: TimingInput = { expression: '30 2 * * *', tz: 'Europe/Berlin' }

describe('the cache of timings', () => {
  test('compiles equal schedules once', () => {
    const cache = new TimingCache()
    expect(cache.timing(berlin)).toBe(cache.timing({ ...berlin }))
    expect(cache.size).toBe(1)
  })

  test.for<Partial<TimingInput>>([
    { expression: '31 2 * * *' },
    { tz: 'Europe/Paris' },
    { gap: 'skip' },
    { fold: 'both' },
    { dayRule: 'and' },
  ])('keeps different schedules separate: %j', (other) => {
    const cache = new TimingCache()
    expect(cache.timing(berlin)).not.toBe(cache.timing({ ...berlin, ...other }))
    expect(cache.size).toBe(2)
  })

  test('keeps seeds separate only where H uses them', () => {
    const cache = new TimingCache()
    expect(cache.timing({ ...berlin, seed: 'a' })).toBe(cache.timing({ ...berlin, seed: 'b' }))
    const spread = { expression: 'H H * * THU' }
    expect(cache.timing({ ...spread, seed: 'a' })).not.toBe(cache.timing({ ...spread, seed: 'b' }))
    expect(cache.timing({ ...spread, seed: 'a' })).toBe(cache.timing({ ...spread, seed: 'a' }))
  })

  test('returns the same slots as the timing itself, in any order of lookups', () => {
    const cache = new TimingCache()
    const input = { expression: '*/7 1-3 * * *', tz: 'America/New_York' }
    const timing = compileTiming(input)
    const start = Date.parse('2026-03-07T00:00:00Z')
    for (let i = 0; i < 3_000; i++) {
      // Moves back and forth, by steps that no slot is a multiple of.
      const afterMs = start + ((i * 7_919) % 3_000) * 61_001
      expect(cache.nextSlot(input, afterMs)).toBe(nextSlot(timing, afterMs))
    }
  })

  test('caches that no slot is left', () => {
    const cache = new TimingCache()
    const over = { expression: '0 0 0 1 1 * 2025' }
    expect(cache.nextSlot(over, from)).toBeNull()
    expect(cache.nextSlot(over, from + 1)).toBeNull()
    expect(cache.nextSlot(over, 0)).toBe(Date.parse('2025-01-01'))
  })

  test('shares a duration among jobs but keeps their anchors separate', () => {
    const cache = new TimingCache()
    for (let i = 0; i < 100; i++)
      expect(cache.nextSlot({ expression: '1h', anchor: from + i }, from + i)).toBe(
        from + i + 3_600_000,
      )
    expect(cache.size).toBe(1)
    expect(cache.timing({ expression: '1h', anchor: from })).toMatchObject({ anchorMs: from })
    expect(() => cache.nextSlot({ expression: '1h' }, from)).toThrow(
      expect.objectContaining({ field: 'anchor' }),
    )
  })

  test('reads a number as milliseconds, and a string of the same digits as an expression', () => {
    const cache = new TimingCache()
    expect(cache.nextSlot({ expression: 5_000, anchor: from }, from)).toBe(from + 5_000)
    expect(() => cache.nextSlot({ expression: '5000', anchor: from }, from)).toThrow('5 fields')
  })

  test('respects its limit, and keeps timings in use', () => {
    const cache = new TimingCache(100)
    const first = cache.timing(berlin)
    for (let i = 0; i < 1_000; i++) {
      cache.timing({ expression: `${i % 60} ${Math.floor(i / 60)} * * *` })
      expect(cache.timing(berlin)).toBe(first)
      expect(cache.size).toBeLessThanOrEqual(100)
    }
  })

  test('refuses invalid schedules, and caches nothing of them', () => {
    const cache = new TimingCache()
    const wrong = [
      { expression: 'x' },
      { expression: {} },
      { ...berlin, tz: 5 },
      { ...berlin, tz: {} },
    ]
    for (const input of wrong)
      expect(() => cache.timing(input as TimingInput)).toThrow(
        expect.objectContaining({ name: 'PunctualError' }),
      )
    expect(cache.size).toBe(0)
  })
})

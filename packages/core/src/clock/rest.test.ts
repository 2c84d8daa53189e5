import fc from 'fast-check'
import { expect, it } from 'vitest'
import { restTogether } from './rest.ts'

it('short rests are unchanged', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(4_999), (nowMs, restMs) => {
      expect(restTogether(nowMs, restMs)).toBe(restMs)
    }),
  )
})

it('long rests end together, slightly late at most and at most five seconds early', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 5_000, max: 600_000 }), (nowMs, restMs) => {
      const restedMs = restTogether(nowMs, restMs)
      expect((nowMs + restedMs) % 5_000).toBe(0)
      expect(restedMs).toBeLessThanOrEqual(restMs + 50)
      expect(restedMs).toBeGreaterThan(restMs - 5_000)
      expect(restedMs).toBeGreaterThan(0)
    }),
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { restTogether } from './rest.ts'

it('short rests are what was asked for', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.nat(4_999), (nowMs, restMs) => {
      expect(restTogether(nowMs, restMs)).toBe(restMs)
    }),
  )
})

it('long ones end together, not much later than asked for and not more than five seconds before', () => {
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

import { describe, expect, it } from 'vitest'
import type { QueueLimits } from '../flow/queue-limits.ts'
import { limitsAfterQuotas, limitsWithin } from './limits-within.ts'

const none: QueueLimits = { concurrency: null, rate: null, ageingMs: null, weight: null }
const aRate = (limit: number, perMs = 1_000, burst = 1) => ({ limit, perMs, burst })

describe('limits that a tenant sets', () => {
  it('default to the quotas, and may be narrower', () => {
    const quotas = { concurrentRuns: 10, dispatchesPerSecond: 50 }
    expect(limitsWithin(quotas, { ...none, weight: 2 })).toEqual({
      ...{ concurrency: 10, rate: aRate(50, 1_000, 5), ageingMs: null, weight: 2 },
    })
    const own = { ...none, concurrency: 3, rate: aRate(60, 60_000) }
    expect(limitsWithin(quotas, own)).toEqual(own)
    expect(limitsWithin({}, none)).toEqual(none)
  })

  it.each([
    [{ concurrency: 11 }, 'concurrentRuns', 11],
    [{ rate: aRate(51) }, 'dispatchesPerSecond', 51],
    [{ rate: aRate(1_000, 10_000) }, 'dispatchesPerSecond', 100],
    [{ rate: aRate(50, 1_000, 60) }, 'dispatchesPerSecond', 60],
  ])('%j exceeds the quota and is refused', (requested, name, used) => {
    const quotas = { concurrentRuns: 10, dispatchesPerSecond: 50 }
    expect(() => limitsWithin(quotas, { ...none, ...requested })).toThrow(
      expect.objectContaining({
        code: 'quota_exceeded',
        quota: expect.objectContaining({ name, used }),
      }),
    )
  })
})

describe('limits after a change of quotas', () => {
  it('follow the quota if they came from it', () => {
    const first = limitsAfterQuotas({}, { concurrentRuns: 10, dispatchesPerSecond: 50 }, none)
    const second = limitsAfterQuotas(
      { concurrentRuns: 10, dispatchesPerSecond: 50 },
      { concurrentRuns: 20, dispatchesPerSecond: 100 },
      first,
    )
    expect(second).toEqual({ ...none, concurrency: 20, rate: aRate(100, 1_000, 10) })
    const before = { concurrentRuns: 20, dispatchesPerSecond: 100 }
    expect(limitsAfterQuotas(before, {}, second)).toEqual(none)
  })

  it('stay as the tenant has set them, as far as the quota allows', () => {
    const own = { ...none, concurrency: 5, rate: aRate(30), ageingMs: 1_000 }
    expect(limitsAfterQuotas({}, { concurrentRuns: 10 }, own)).toEqual(own)
    expect(limitsAfterQuotas({}, { concurrentRuns: 2, dispatchesPerSecond: 10 }, own)).toEqual({
      ...{ concurrency: 2, rate: aRate(10, 1_000, 1), ageingMs: 1_000, weight: null },
    })
  })
})

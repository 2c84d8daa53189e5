import { PunctualError } from '@punctual/core/errors'
import { describe, expect, test, vi } from 'vitest'
import { FairShares, type Party } from './fair-shares.ts'

/** Takes permits and records the order in which they are granted. */
function takingFrom(shares: FairShares) {
  const order: Party[] = []
  return {
    order,
    take(party: Party): Promise<void> {
      return Promise.resolve(shares.take(party)).then(() => void order.push(party))
    },
  }
}

/** Lets all promises that can settle do so. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('shares of permits', () => {
  test('one tenant never holds all permits, and the installation may', () => {
    const shares = new FairShares({ permits: 8 })
    const taken = Array.from({ length: 8 }, () => shares.take(7))
    expect(taken.filter((waits) => waits === undefined)).toHaveLength(6)
    for (const waits of taken) waits?.catch(() => undefined)

    const own = new FairShares({ permits: 8 })
    for (let i = 0; i < 8; i++) expect(own.take(null)).toBeUndefined()
  })

  test('another tenant gets a permit at once while one uses its share and waits', () => {
    const shares = new FairShares({ permits: 8 })
    for (let i = 0; i < 40; i++) shares.take(1)?.catch(() => undefined)
    expect(shares.take(2)).toBeUndefined()
    expect(shares.waiting).toBe(34)
  })

  test('waiting tenants are served in turn, not in the order of their callers', async () => {
    const shares = new FairShares({ permits: 1 })
    const { order, take } = takingFrom(shares)
    await take(1)
    const waits = [take(1), take(1), take(1), take(2), take(3)]
    for (let i = 0; i < waits.length; i++) {
      await settled()
      shares.release(order.at(-1) ?? null)
    }
    await Promise.all(waits)
    expect(order).toEqual([1, 1, 2, 3, 1, 1])
  })

  test('a tenant that holds more than half gets no further permit while another waits', async () => {
    const shares = new FairShares({ permits: 4 })
    const { order, take } = takingFrom(shares)
    await Promise.all([take(1), take(1), take(1), take(2)])
    const waits = [take(1), take(2)]
    shares.release(1)
    await settled()
    expect(order.at(-1)).toBe(2)
    shares.release(2)
    await Promise.all(waits)
    expect(order.at(-1)).toBe(1)
  })

  test('a caller that waited too long is refused with a time to retry, and leaves the queue', async () => {
    vi.useFakeTimers()
    try {
      const shares = new FairShares({ permits: 2, waitMs: 50 })
      expect(shares.take(1)).toBeUndefined()
      const refused = Promise.resolve(shares.take(1)).catch((error: unknown) => error)
      vi.advanceTimersByTime(50)
      const error = await refused
      expect(error).toBeInstanceOf(PunctualError)
      expect(error).toMatchObject({ code: 'server_busy', retryAfterMs: 1_000 })
      expect(shares.waiting).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('a tenant has a bounded number of waiting callers', async () => {
    const shares = new FairShares({ permits: 2, waitersOfTenant: 3 })
    const waits = Array.from({ length: 5 }, () => shares.take(1))
    expect(waits[0]).toBeUndefined()
    expect(shares.waiting).toBe(3)
    await expect(waits[4]).rejects.toMatchObject({ code: 'server_busy' })
  })

  test('the installation waits as long as it takes', async () => {
    vi.useFakeTimers()
    try {
      const shares = new FairShares({ permits: 1, waitMs: 10 })
      expect(shares.take(null)).toBeUndefined()
      const waits = shares.take(null)
      vi.advanceTimersByTime(3_600_000)
      shares.release(null)
      await expect(waits).resolves.toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })
})

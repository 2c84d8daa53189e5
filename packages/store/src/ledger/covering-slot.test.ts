import type { Slot } from '@punctual/core/job'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findCovering } from './covering-slot.ts'

const ROW = {
  slots: 1,
  decision: 'skip',
  reason: 'paused',
  runId: null,
  decidedAt: new Date(0),
} as const

/** A slot every second; one row covers those up to `lastMs`, and each later one has its own. */
function ledgerOf(lastMs: number, untilMs: number) {
  let computed = 0
  const rowAt = (atMs: number): Slot => ({
    slotAt: new Date(atMs),
    fromAt: atMs === lastMs ? new Date(0) : null,
    ...ROW,
  })
  const read = async (fromMs: number) => {
    const slotsMs: number[] = []
    const firstMs = Math.ceil(fromMs / 1_000) * 1_000
    for (let ms = firstMs; ms <= untilMs && slotsMs.length < 100; ms += 1_000) slotsMs.push(ms)
    computed += slotsMs.length
    const decidedMs = slotsMs.find((ms) => ms >= lastMs)
    return { slotsMs, first: decidedMs === undefined ? null : rowAt(decidedMs) }
  }
  return { read, computed: () => computed }
}

it('finds the row of any number of slots, and reads few of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1_100, max: 30_000_000 }),
      fc.nat({ max: 30_000_000 }),
      fc.nat({ max: 999 }),
      async (slots, more, offMs) => {
        const lastMs = slots * 1_000
        const untilMs = lastMs + more * 1_000 + offMs
        const { read, computed } = ledgerOf(lastMs, untilMs)
        const found = await findCovering(0, { afterMs: 1_000_000, untilMs }, read)
        expect(found?.slotAt.getTime()).toBe(lastMs)
        expect(computed()).toBeLessThanOrEqual(6_400)
      },
    ),
  )
})

it('finds nothing, in a bounded search, where no row covers the slot', async () => {
  const untilMs = 1e12
  const { read, computed } = ledgerOf(Number.POSITIVE_INFINITY, untilMs)
  expect(await findCovering(0, { afterMs: 1_000_000, untilMs }, read)).toBeNull()
  expect(computed()).toBeLessThanOrEqual(6_400)
})

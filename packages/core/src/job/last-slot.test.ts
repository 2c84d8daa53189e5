import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileTiming, nextSlot } from '../schedule/timing.ts'
import { COUNT_MAX, countSlots, lastSlot, lastSlots, type NextSlot } from './last-slot.ts'

const DAY_MS = 86_400_000
const noon = Date.UTC(2026, 2, 20, 12)

function counting(expression: string): { next: NextSlot; calls: () => number } {
  const timing = compileTiming({ expression, tz: 'Europe/Berlin', anchor: 0 })
  let calls = 0
  return {
    next: (afterMs) => {
      calls++
      return nextSlot(timing, afterMs)
    },
    calls: () => calls,
  }
}

function walk(next: NextSlot, fromMs: number, untilMs: number): number[] {
  const slots = [fromMs]
  for (let s = next(fromMs); s !== null && s <= untilMs; s = next(s)) slots.push(s)
  return slots
}

/** Even, uneven, and in bursts months apart. */
const expression = fc.constantFrom(
  ...['*/7 * * * *', '0 3 * * *', '*/5 9-10 * * MON', '0 0 1 * *', '30 2 29 2 *', '*/20 * * * * *'],
  ...['0 0 1,2,3 1 *', '90s', 'PT5H', 'P1M', '* * 1 1 *'],
)

test('the last slots of a range and their count equal those of a naive walk', () => {
  fc.assert(
    fc.property(
      expression,
      fc.integer({ min: 0, max: 40 * DAY_MS }),
      fc.integer({ min: 0, max: 3 * DAY_MS }),
      fc.integer({ min: 0, max: 50 }),
      (text, startMs, lengthMs, count) => {
        const { next } = counting(text)
        const fromMs = next(noon + startMs) as number
        const untilMs = fromMs + lengthMs
        const slots = walk(next, fromMs, untilMs)
        expect(lastSlot(next, fromMs, untilMs)).toBe(slots.at(-1))
        expect(countSlots(next, fromMs, untilMs)).toBe(slots.length)
        expect(lastSlots(next, fromMs, untilMs, count)).toEqual(
          count === 0 ? [] : slots.slice(-count),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('the last slots of years of seconds cost little more than the requested count', () => {
  const { next, calls } = counting('* * * * * *')
  const fromMs = Date.UTC(2000, 0, 1)
  const slots = lastSlots(next, fromMs, noon, 1_000)
  expect(slots).toEqual(Array.from({ length: 1_000 }, (_, i) => noon - (999 - i) * 1_000))
  expect(lastSlot(next, fromMs, noon)).toBe(noon)
  expect(calls()).toBeLessThan(10_000)
})

test('the last slots of a burst long ago are found without walking it', () => {
  const { next, calls } = counting('* * * 1 1 *')
  const fromMs = next(Date.UTC(2025, 11, 1)) as number
  const slots = lastSlots(next, fromMs, noon, 10)
  expect(slots).toHaveLength(10)
  expect(next(slots.at(-1) as number)).toBeGreaterThan(noon)
  expect(calls()).toBeLessThan(3_000)
})

test('slots are counted up to a hundred thousand', () => {
  const { next } = counting('* * * * * *')
  expect(countSlots(next, noon, noon + 10 * DAY_MS)).toBe(COUNT_MAX)
})

test('a schedule that has ended still has a last slot', () => {
  const next: NextSlot = (afterMs) => (afterMs < 5_000 ? 5_000 : null)
  expect(lastSlot(next, 5_000, 1e12)).toBe(5_000)
  expect(lastSlots(next, 5_000, 1e12, 3)).toEqual([5_000])
  expect(countSlots(next, 5_000, 1e12)).toBe(1)
})

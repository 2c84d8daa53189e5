/**
 * For any rules and any division of time into ticks and outages, every slot gets exactly one
 * decision, in order, without hole or double, and the number of runs is never exceeded.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileTiming, nextSlot } from '../schedule/timing.ts'
import { decideSlots, type SlotRules } from './decide-slots.ts'
import { countSlots, type NextSlot } from './last-slot.ts'
import type { SlotDecision } from './slot-decision.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const start = Date.UTC(2026, 2, 28, 18)

const rhythm = fc.constantFrom(
  ...[
    '* * * * *',
    '*/5 * * * *',
    '30 2 * * *',
    '*/10 * * * * *',
    '0 */2 * * MON-FRI',
    '15 1,3 * * *',
  ],
  ...['7m', 'PT1H', 'P1D', '25s'],
)
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe')
const misfire = fc.record({
  policy: fc.constantFrom('all' as const, 'latest' as const, 'none' as const),
  graceMs: fc.constantFrom(SECOND, 60 * SECOND, HOUR),
  maxAgeMs: fc.constantFrom(0, 10 * 60 * SECOND, HOUR, 50 * HOUR),
  maxCount: fc.constantFrom(0, 1, 3, 1_000),
  dripMs: fc.constantFrom(0, 250),
})
/** Mostly ticks of a few seconds, sometimes an outage. */
const ticks = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 20 * SECOND }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 10 * 60 * SECOND }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 * HOUR }) },
  ),
  { minLength: 1, maxLength: 40 },
)
const worlds = fc.record({
  ...{ rhythm, zone, misfire, ticks },
  aheadMs: fc.constantFrom(0, SECOND, 20 * SECOND, HOUR),
  runsLeft: fc.option(fc.integer({ min: 1, max: 20 })),
  endsAfterMs: fc.option(fc.integer({ min: 1, max: 60 * HOUR })),
  closed: fc.constantFrom('never' as const, 'nights' as const, 'always' as const),
  asked: fc.boolean(),
  jitterMs: fc.constantFrom(0, 5 * SECOND),
})
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never

function rulesOf(world: World, next: NextSlot): SlotRules {
  const hourOf = (ms: number) => new Date(ms).getUTCHours()
  const allows = { never: null, nights: (ms: number) => hourOf(ms) >= 6, always: () => false }
  return {
    ...{ next, misfire: world.misfire, jitterMs: world.jitterMs, allows: allows[world.closed] },
    skipRequested: world.asked ? (ms) => (ms / SECOND) % 7 === 0 : null,
  }
}

test('every slot has exactly one decision, in order, for any division of time', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const timing = compileTiming({ expression: world.rhythm, tz: world.zone, anchor: start })
      const next: NextSlot = (afterMs) => nextSlot(timing, afterMs)
      const endMs = world.endsAfterMs === null ? null : start + world.endsAfterMs
      const rules = rulesOf(world, next)
      const firstMs = next(start - 1) as number
      const decisions: SlotDecision[] = []
      let nowMs = start
      let position = { nextMs: firstMs as number | null, endMs, runsLeft: world.runsLeft }
      for (const tickMs of world.ticks) {
        nowMs += tickMs
        if (position.nextMs === null) break
        const window = { nowMs, untilMs: nowMs + world.aheadMs }
        const plan = decideSlots({ ...position, nextMs: position.nextMs }, rules, window)
        decisions.push(...plan.decisions)
        // No due slot is left, unless the job is over.
        if (plan.nextMs !== null) expect(plan.nextMs).toBeGreaterThan(window.untilMs)
        for (const made of plan.decisions) {
          expect(made.slotMs).toBeLessThanOrEqual(window.untilMs)
          if (made.decision === 'run') {
            const lateMs = made.reason === 'on-time' ? world.jitterMs : 0
            expect(made.dueMs).toBeGreaterThanOrEqual(made.slotMs + lateMs)
            if (made.reason !== 'on-time') expect(made.dueMs).toBeGreaterThanOrEqual(nowMs)
          }
        }
        position = { ...position, nextMs: plan.nextMs, runsLeft: plan.runsLeft }
      }
      let expectedMs: number | null = firstMs
      for (const { fromMs, slotMs, slots } of decisions) {
        expect(fromMs).toBe(expectedMs)
        expect(slots).toBe(countSlots(next, fromMs, slotMs))
        expectedMs = next(slotMs)
      }
      const over = endMs !== null && (expectedMs === null || expectedMs >= endMs)
      const runs = decisions.filter(({ decision }) => decision === 'run').length
      const spent = world.runsLeft !== null && runs === world.runsLeft
      expect(position.nextMs).toBe(over || spent ? null : expectedMs)
      expect(position.runsLeft).toBe(world.runsLeft === null ? null : world.runsLeft - runs)
      if (endMs !== null) for (const { slotMs } of decisions) expect(slotMs).toBeLessThan(endMs)
    }),
    { numRuns: 500 },
  )
})

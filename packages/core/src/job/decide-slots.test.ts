import { describe, expect, test } from 'vitest'
import { decideSlots, type JobPosition, type SlotRules } from './decide-slots.ts'
import { defaultMisfire, type MisfireRules } from './job-rules.ts'
import { COUNT_MAX } from './last-slot.ts'
import type { SlotDecision } from './slot-decision.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = Date.UTC(2026, 0, 10, 12)
const AHEAD = 20_000

const every =
  (periodMs: number) =>
  (afterMs: number): number =>
    (Math.floor(afterMs / periodMs) + 1) * periodMs

interface Case extends Partial<Omit<SlotRules, 'misfire'>> {
  misfire?: Partial<MisfireRules>
}

function decide(
  nextMs: number,
  rules: Case = {},
  position: Partial<JobPosition> = {},
  nowMs = now,
) {
  return decideSlots(
    { nextMs, endMs: null, runsLeft: null, ...position },
    {
      ...{ next: every(MINUTE), jitterMs: 0, allows: null, skipRequested: null, ...rules },
      misfire: { ...defaultMisfire, ...rules.misfire },
    },
    { nowMs, untilMs: nowMs + AHEAD },
  )
}

/** Formats a decision, such as `run late -2` or `skip misfire -10..-2 x9`: minutes from noon. */
function shown({ decision, reason, slotMs, fromMs, slots }: SlotDecision): string {
  const at = (ms: number) => (ms - now) / MINUTE
  const range = fromMs === slotMs ? at(slotMs) : `${at(fromMs)}..${at(slotMs)}`
  return `${decision} ${reason} ${range}${slots === 1 ? '' : ` x${slots}`}`
}

const shownOf = (plan: { decisions: readonly SlotDecision[] }) => plan.decisions.map(shown)

describe('slots that are near', () => {
  test('run, and the cursor points to the first slot after them', () => {
    const plan = decide(now)
    expect(shownOf(plan)).toEqual(['run on-time 0'])
    expect(plan.nextMs).toBe(now + MINUTE)
    expect(plan.decisions[0]).toMatchObject({ dueMs: now })
  })

  test('leave a cursor beyond the window unchanged', () => {
    const plan = decide(now + MINUTE)
    expect(plan).toEqual({ decisions: [], nextMs: now + MINUTE, runsLeft: null })
  })

  test('have their due time delayed by the jitter, but not their slot', () => {
    const plan = decide(now, { jitterMs: 7_000 })
    expect(plan.decisions[0]).toMatchObject({ slotMs: now, dueMs: now + 7_000 })
  })

  test('run on time up to exactly the grace, and are missed a millisecond later (case 110)', () => {
    const graceMs = 5 * MINUTE
    const at = (nowMs: number) =>
      decide(now, { misfire: { policy: 'none', graceMs }, next: every(DAY) }, {}, nowMs)
    expect(shownOf(at(now + graceMs))).toEqual(['run on-time 0'])
    expect(shownOf(at(now + graceMs + 1))).toEqual(['skip misfire 0'])
  })

  test('a slot exactly at the end of the window is decided', () => {
    expect(shownOf(decide(now + AHEAD, { next: () => null }))).toHaveLength(1)
    expect(shownOf(decide(now + AHEAD + 1, { next: () => null }))).toHaveLength(0)
  })

  test('a thousand planners at one instant decide the same', () => {
    const plans = Array.from({ length: 1_000 }, () => JSON.stringify(decide(now - 9 * MINUTE)))
    expect(new Set(plans).size).toBe(1)
  })
})

describe('missed slots', () => {
  test('under none are one skip, and slots within the grace period run', () => {
    const plan = decide(now - 10 * MINUTE, { misfire: { policy: 'none' } })
    expect(shownOf(plan)).toEqual(['skip misfire -10..-2 x9', 'run on-time -1', 'run on-time 0'])
    expect(plan.nextMs).toBe(now + MINUTE)
  })

  test('under latest are one run with the whole range, due now', () => {
    const plan = decide(now - 10 * MINUTE, { misfire: { policy: 'latest' }, jitterMs: 7_000 })
    expect(shownOf(plan)).toEqual(['run coalesced -10..-2 x9', 'run on-time -1', 'run on-time 0'])
    expect(plan.decisions[0]).toMatchObject({ dueMs: now })
  })

  test('under latest a single slot is late, not coalesced', () => {
    expect(shownOf(decide(now - 2 * MINUTE, { misfire: { policy: 'latest' } }))[0]).toBe(
      'run late -2',
    )
  })

  test('under all each run, in order', () => {
    const plan = decide(now - 4 * MINUTE)
    expect(shownOf(plan)).toEqual([
      ...['run late -4', 'run late -3', 'run late -2', 'run on-time -1', 'run on-time 0'],
    ])
  })

  test('under all become one run together when they are older than maxAge', () => {
    const plan = decide(now - 6 * MINUTE, { misfire: { maxAgeMs: 4 * MINUTE } })
    expect(shownOf(plan).slice(0, 3)).toEqual([
      ...['run coalesced -6..-4 x3', 'run late -3', 'run late -2'],
    ])
  })

  test('under all become one run together beyond maxCount; the newest stay single', () => {
    const plan = decide(now - 9 * MINUTE, { misfire: { maxCount: 2 } })
    expect(shownOf(plan).slice(0, 3)).toEqual([
      ...['run coalesced -9..-4 x6', 'run late -3', 'run late -2'],
    ])
  })

  test('under all with a maxCount of 0 are one run', () => {
    expect(shownOf(decide(now - 9 * MINUTE, { misfire: { maxCount: 0 } }))[0]).toBe(
      'run coalesced -9..-2 x8',
    )
  })

  test('that are caught up are due at the drip interval', () => {
    const plan = decide(now - 6 * MINUTE, {
      misfire: { maxCount: 2, dripMs: 30_000 },
    })
    const late = plan.decisions.filter(({ reason }) => reason !== 'on-time')
    expect(late.map((slot) => slot.decision === 'run' && slot.dueMs - now)).toEqual([
      0, 30_000, 60_000,
    ])
  })

  test('are caught up within seven days, however long the drip; the oldest are one run', () => {
    const misfire = { maxCount: 10_000, maxAgeMs: 366 * DAY, dripMs: 60 * MINUTE }
    const { decisions } = decide(now - 60 * DAY, { misfire })
    const late = decisions.filter(({ reason }) => reason !== 'on-time')
    const dues = late.map((slot) => (slot.decision === 'run' ? slot.dueMs - now : 0))
    expect(dues).toEqual(Array.from({ length: 169 }, (_, n) => n * 60 * MINUTE))
    expect(late[0]).toMatchObject({ reason: 'coalesced', slots: 60 * 24 * 60 - 1 - 168 })
  })

  test('of a one-off job are late or skipped, and the job is over', () => {
    const once = (misfire: Partial<MisfireRules>) =>
      decide(now - 3 * DAY, { next: () => null, misfire })
    expect(shownOf(once({}))[0]).toMatch(/^run late/)
    expect(shownOf(once({ policy: 'latest' }))[0]).toMatch(/^run late/)
    expect(shownOf(once({ policy: 'none' }))[0]).toMatch(/^skip misfire/)
    expect(once({}).nextMs).toBeNull()
  })
})

describe('a long outage', () => {
  const outages = [
    { policy: 'none' },
    { policy: 'latest' },
    { policy: 'all' },
    { policy: 'all', maxAgeMs: 366 * DAY, maxCount: 10_000 },
  ] as const
  test.for(outages)(
    'of a job that fires every second is cheap after a year: %j (case 108)',
    (misfire) => {
      let calls = 0
      const next = (afterMs: number) => {
        calls++
        return every(1_000)(afterMs)
      }
      const plan = decide(now - 365 * DAY, { next, misfire })
      expect(plan.decisions.length).toBeLessThanOrEqual(10_002)
      expect(calls).toBeLessThan(400_000)
      // Missed slots all have their reason, and none is recorded as on time.
      const [first] = plan.decisions
      expect(first).toMatchObject({ fromMs: now - 365 * DAY, slots: COUNT_MAX })
      for (const { reason, slotMs } of plan.decisions)
        expect(reason === 'on-time').toBe(slotMs >= now - defaultMisfire.graceMs)
    },
  )

  test('is decided without a hole: each decision begins after the previous one', () => {
    const next = every(1_000)
    const plan = decide(now - 365 * DAY, { next, misfire: { maxAgeMs: 366 * DAY } })
    let nextMs: number = now - 365 * DAY
    for (const { fromMs, slotMs } of plan.decisions) {
      expect(fromMs).toBe(nextMs)
      nextMs = next(slotMs)
    }
    expect(plan.nextMs).toBe(nextMs)
  })
})

describe('calendars and requested skips', () => {
  const odd = (slotMs: number) => (slotMs / MINUTE) % 2 === 1
  const not = (...minutes: number[]) => {
    const slots = new Set(minutes.map((m) => now + m * MINUTE))
    return (slotMs: number) => slots.has(slotMs)
  }

  test('skip single slots, and consecutive skips are one row', () => {
    const allows = (slotMs: number) => slotMs >= now - 2 * MINUTE
    expect(shownOf(decide(now - 4 * MINUTE, { allows }))).toEqual([
      ...['skip calendar -4..-3 x2', 'run late -2', 'run on-time -1', 'run on-time 0'],
    ])
    expect(shownOf(decide(now - 1 * MINUTE, { skipRequested: not(-1) }))).toEqual([
      ...['skip asked -1', 'run on-time 0'],
    ])
  })

  test('a calendar precedes a requested skip, and a row has only one reason', () => {
    const plan = decide(now - 4 * MINUTE, { allows: odd, skipRequested: not(-3, -2) })
    expect(shownOf(plan)).toEqual([
      ...['skip calendar -4', 'skip asked -3', 'skip calendar -2', 'run on-time -1'],
      ...['skip calendar 0'],
    ])
  })

  test('a range with one slot that may run is a run', () => {
    const misfire = { policy: 'latest' } as const
    expect(shownOf(decide(now - 5 * MINUTE, { misfire, allows: odd }))[0]).toBe(
      'run coalesced -5..-2 x4',
    )
    expect(shownOf(decide(now - 3 * MINUTE, { misfire, skipRequested: not(-2) }))[0]).toBe(
      'run coalesced -3..-2 x2',
    )
  })

  test('a range without a slot that may run is a skip', () => {
    const misfire = { policy: 'latest' } as const
    expect(shownOf(decide(now - 5 * MINUTE, { misfire, allows: () => false }))[0]).toBe(
      // Merged with the near slots, which are skipped for the same reason.
      'skip calendar -5..0 x6',
    )
    expect(shownOf(decide(now - 2 * MINUTE, { misfire, skipRequested: not(-2) }))[0]).toBe(
      'skip asked -2',
    )
    expect(shownOf(decide(now - 3 * MINUTE, { misfire, skipRequested: not(-3, -2) }))[0]).toBe(
      'skip asked -3..-2 x2',
    )
  })

  test('an open window late in a long outage is found (a weekend and a Monday)', () => {
    const monday = now - 12 * HOUR
    const plan = decide(now - 3 * DAY, {
      ...{ misfire: { policy: 'latest' }, next: every(1_000) },
      allows: (slotMs) => slotMs >= monday && slotMs < monday + HOUR,
    })
    expect(plan.decisions[0]).toMatchObject({ decision: 'run', reason: 'coalesced' })
  })
})

describe('the end of a job', () => {
  test('stops decisions at the end instant', () => {
    const plan = decide(now - 1 * MINUTE, {}, { endMs: now })
    expect(shownOf(plan)).toEqual(['run on-time -1'])
    expect(plan.nextMs).toBeNull()
  })

  test('bounds missed slots, too', () => {
    for (const policy of ['none', 'latest', 'all'] as const) {
      const plan = decide(now - 9 * MINUTE, { misfire: { policy } }, { endMs: now - 5 * MINUTE })
      expect(plan.decisions.at(-1)?.slotMs).toBe(now - 6 * MINUTE)
      expect(plan.nextMs).toBeNull()
    }
  })

  test('is reached when the position is past it', () => {
    expect(decide(now, {}, { endMs: now })).toEqual({
      ...{ decisions: [], nextMs: null, runsLeft: null },
    })
  })

  test('is reached with the last allowed run; skips do not count', () => {
    const skipRequested = (slotMs: number) => slotMs === now - 3 * MINUTE
    const plan = decide(now - 4 * MINUTE, { skipRequested }, { runsLeft: 2 })
    expect(shownOf(plan)).toEqual(['run late -4', 'skip asked -3', 'run late -2'])
    expect(plan).toMatchObject({ nextMs: null, runsLeft: 0 })
  })

  test('a run for many slots counts as one run', () => {
    const plan = decide(now - 9 * MINUTE, { misfire: { policy: 'latest' } }, { runsLeft: 2 })
    expect(shownOf(plan)).toEqual(['run coalesced -9..-2 x8', 'run on-time -1'])
    expect(plan).toMatchObject({ nextMs: null, runsLeft: 0 })
  })
})

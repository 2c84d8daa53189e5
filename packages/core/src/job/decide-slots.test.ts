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
      ...{ next: every(MINUTE), jitterMs: 0, allows: null, asked: null, ...rules },
      misfire: { ...defaultMisfire, ...rules.misfire },
    },
    { nowMs, untilMs: nowMs + AHEAD },
  )
}

/** `run late 11:58`, `skip misfire 11:50-11:58 x9`: minutes before or after noon. */
function shown({ decision, reason, slotMs, fromMs, slots }: SlotDecision): string {
  const at = (ms: number) => (ms - now) / MINUTE
  const range = fromMs === slotMs ? at(slotMs) : `${at(fromMs)}..${at(slotMs)}`
  return `${decision} ${reason} ${range}${slots === 1 ? '' : ` x${slots}`}`
}

const told = (plan: { decisions: readonly SlotDecision[] }) => plan.decisions.map(shown)

describe('slots that are near', () => {
  test('run, and the cursor stands on the first that is not', () => {
    const plan = decide(now)
    expect(told(plan)).toEqual(['run on-time 0'])
    expect(plan.nextMs).toBe(now + MINUTE)
    expect(plan.decisions[0]).toMatchObject({ dueMs: now })
  })

  test('leave a cursor that is further ahead where it is', () => {
    const plan = decide(now + MINUTE)
    expect(plan).toEqual({ decisions: [], nextMs: now + MINUTE, runsLeft: null })
  })

  test('are moved by the jitter, and their slot is not', () => {
    const plan = decide(now, { jitterMs: 7_000 })
    expect(plan.decisions[0]).toMatchObject({ slotMs: now, dueMs: now + 7_000 })
  })

  test('run on time up to exactly the grace, and are missed a millisecond later (case 110)', () => {
    const graceMs = 5 * MINUTE
    const at = (nowMs: number) =>
      decide(now, { misfire: { policy: 'none', graceMs }, next: every(DAY) }, {}, nowMs)
    expect(told(at(now + graceMs))).toEqual(['run on-time 0'])
    expect(told(at(now + graceMs + 1))).toEqual(['skip misfire 0'])
  })

  test('a slot that is exactly at the end of the window is decided', () => {
    expect(told(decide(now + AHEAD, { next: () => null }))).toHaveLength(1)
    expect(told(decide(now + AHEAD + 1, { next: () => null }))).toHaveLength(0)
  })

  test('a thousand clocks of one instant decide the same', () => {
    const plans = Array.from({ length: 1_000 }, () => JSON.stringify(decide(now - 9 * MINUTE)))
    expect(new Set(plans).size).toBe(1)
  })
})

describe('missed slots', () => {
  test('under none are one skip, and what is within the grace runs', () => {
    const plan = decide(now - 10 * MINUTE, { misfire: { policy: 'none' } })
    expect(told(plan)).toEqual(['skip misfire -10..-2 x9', 'run on-time -1', 'run on-time 0'])
    expect(plan.nextMs).toBe(now + MINUTE)
  })

  test('under latest are one run with the whole range, due now', () => {
    const plan = decide(now - 10 * MINUTE, { misfire: { policy: 'latest' }, jitterMs: 7_000 })
    expect(told(plan)).toEqual(['run coalesced -10..-2 x9', 'run on-time -1', 'run on-time 0'])
    expect(plan.decisions[0]).toMatchObject({ dueMs: now })
  })

  test('under latest a single one is late, not coalesced', () => {
    expect(told(decide(now - 2 * MINUTE, { misfire: { policy: 'latest' } }))[0]).toBe('run late -2')
  })

  test('under all run each, in order', () => {
    const plan = decide(now - 4 * MINUTE)
    expect(told(plan)).toEqual([
      ...['run late -4', 'run late -3', 'run late -2', 'run on-time -1', 'run on-time 0'],
    ])
  })

  test('under all become one run together when they are older than maxAge', () => {
    const plan = decide(now - 6 * MINUTE, { misfire: { maxAgeMs: 4 * MINUTE } })
    expect(told(plan).slice(0, 3)).toEqual([
      ...['run coalesced -6..-4 x3', 'run late -3', 'run late -2'],
    ])
  })

  test('under all become one run together beyond maxCount, the newest stay single', () => {
    const plan = decide(now - 9 * MINUTE, { misfire: { maxCount: 2 } })
    expect(told(plan).slice(0, 3)).toEqual([
      ...['run coalesced -9..-4 x6', 'run late -3', 'run late -2'],
    ])
  })

  test('under all with a maxCount of nothing are one run', () => {
    expect(told(decide(now - 9 * MINUTE, { misfire: { maxCount: 0 } }))[0]).toBe(
      'run coalesced -9..-2 x8',
    )
  })

  test('that are made up for follow each other at the drip rate', () => {
    const plan = decide(now - 6 * MINUTE, {
      misfire: { maxCount: 2, dripMs: 30_000 },
    })
    const late = plan.decisions.filter(({ reason }) => reason !== 'on-time')
    expect(late.map((of) => of.decision === 'run' && of.dueMs - now)).toEqual([0, 30_000, 60_000])
  })

  test('of a job that runs once are late, or skipped, and that is all', () => {
    const once = (misfire: Partial<MisfireRules>) =>
      decide(now - 3 * DAY, { next: () => null, misfire })
    expect(told(once({}))[0]).toMatch(/^run late/)
    expect(told(once({ policy: 'latest' }))[0]).toMatch(/^run late/)
    expect(told(once({ policy: 'none' }))[0]).toMatch(/^skip misfire/)
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
  test.for(outages)('of seconds for a year costs little: %j (case 108)', (misfire) => {
    let calls = 0
    const next = (afterMs: number) => {
      calls++
      return every(1_000)(afterMs)
    }
    const plan = decide(now - 365 * DAY, { next, misfire })
    expect(plan.decisions.length).toBeLessThanOrEqual(10_002)
    expect(calls).toBeLessThan(400_000)
    // What was missed has its reason in full, and nothing of it passes for on time.
    const [first] = plan.decisions
    expect(first).toMatchObject({ fromMs: now - 365 * DAY, slots: COUNT_MAX })
    for (const { reason, slotMs } of plan.decisions)
      expect(reason === 'on-time').toBe(slotMs >= now - defaultMisfire.graceMs)
  })

  test('is decided without hole: each decision begins behind the one before', () => {
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

describe('calendars and asked skips', () => {
  const odd = (slotMs: number) => (slotMs / MINUTE) % 2 === 1
  const not = (...minutes: number[]) => {
    const slots = new Set(minutes.map((m) => now + m * MINUTE))
    return (slotMs: number) => slots.has(slotMs)
  }

  test('skip slots one by one, and what follows each other is one row', () => {
    const allows = (slotMs: number) => slotMs >= now - 2 * MINUTE
    expect(told(decide(now - 4 * MINUTE, { allows }))).toEqual([
      ...['skip calendar -4..-3 x2', 'run late -2', 'run on-time -1', 'run on-time 0'],
    ])
    expect(told(decide(now - 1 * MINUTE, { asked: not(-1) }))).toEqual([
      ...['skip asked -1', 'run on-time 0'],
    ])
  })

  test('a calendar comes before an asked skip, and the reasons are not mixed in a row', () => {
    const plan = decide(now - 4 * MINUTE, { allows: odd, asked: not(-3, -2) })
    expect(told(plan)).toEqual([
      ...['skip calendar -4', 'skip asked -3', 'skip calendar -2', 'run on-time -1'],
      ...['skip calendar 0'],
    ])
  })

  test('a range that has one slot left to run is a run', () => {
    const misfire = { policy: 'latest' } as const
    expect(told(decide(now - 5 * MINUTE, { misfire, allows: odd }))[0]).toBe(
      'run coalesced -5..-2 x4',
    )
    expect(told(decide(now - 3 * MINUTE, { misfire, asked: not(-2) }))[0]).toBe(
      'run coalesced -3..-2 x2',
    )
  })

  test('a range of which nothing is left to run is a skip', () => {
    const misfire = { policy: 'latest' } as const
    expect(told(decide(now - 5 * MINUTE, { misfire, allows: () => false }))[0]).toBe(
      // Together with those that are near, for the same reason.
      'skip calendar -5..0 x6',
    )
    expect(told(decide(now - 2 * MINUTE, { misfire, asked: not(-2) }))[0]).toBe('skip asked -2')
    expect(told(decide(now - 3 * MINUTE, { misfire, asked: not(-3, -2) }))[0]).toBe(
      'skip asked -3..-2 x2',
    )
  })

  test('a window late in an outage of seconds is found (a weekend and a Monday)', () => {
    const monday = now - 12 * HOUR
    const plan = decide(now - 3 * DAY, {
      ...{ misfire: { policy: 'latest' }, next: every(1_000) },
      allows: (slotMs) => slotMs >= monday && slotMs < monday + HOUR,
    })
    expect(plan.decisions[0]).toMatchObject({ decision: 'run', reason: 'coalesced' })
  })
})

describe('the end of a job', () => {
  test('no slot is decided from the end on', () => {
    const plan = decide(now - 1 * MINUTE, {}, { endMs: now })
    expect(told(plan)).toEqual(['run on-time -1'])
    expect(plan.nextMs).toBeNull()
  })

  test('bounds what was missed, too', () => {
    for (const policy of ['none', 'latest', 'all'] as const) {
      const plan = decide(now - 9 * MINUTE, { misfire: { policy } }, { endMs: now - 5 * MINUTE })
      expect(plan.decisions.at(-1)?.slotMs).toBe(now - 6 * MINUTE)
      expect(plan.nextMs).toBeNull()
    }
  })

  test('has come when the position is behind it', () => {
    expect(decide(now, {}, { endMs: now })).toEqual({
      ...{ decisions: [], nextMs: null, runsLeft: null },
    })
  })

  test('comes with the last run that may be made; skips do not count', () => {
    const asked = (slotMs: number) => slotMs === now - 3 * MINUTE
    const plan = decide(now - 4 * MINUTE, { asked }, { runsLeft: 2 })
    expect(told(plan)).toEqual(['run late -4', 'skip asked -3', 'run late -2'])
    expect(plan).toMatchObject({ nextMs: null, runsLeft: 0 })
  })

  test('a run for many slots is one run', () => {
    const plan = decide(now - 9 * MINUTE, { misfire: { policy: 'latest' } }, { runsLeft: 2 })
    expect(told(plan)).toEqual(['run coalesced -9..-2 x8', 'run on-time -1'])
    expect(plan).toMatchObject({ nextMs: null, runsLeft: 0 })
  })
})

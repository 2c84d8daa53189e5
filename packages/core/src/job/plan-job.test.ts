import { describe, expect, test } from 'vitest'
import { parseCalendar } from '../schedule/calendar/calendar.ts'
import { TimingCache } from '../schedule/timing-cache.ts'
import type { DueJob } from './due-job.ts'
import { jitterOf } from './jitter.ts'
import type { JobRules } from './job-rules.ts'
import { type PlanningContext, planJob } from './plan-job.ts'

const MINUTE = 60_000
const now = Date.UTC(2026, 0, 10, 12)
const job: DueJob = {
  cursorMs: 0,
  ...{ id: '019a8c00-1234-7000-8000-00000000000a', tenantId: 1, nextMs: now, version: 1 },
  ...{ timing: 1, anchorMs: null, endMs: null, runsLeft: null, hasSkips: false, failures: 0 },
  suspended: false,
}
const cron: JobRules = {
  when: { kind: 'cron', expression: '* * * * *' },
  ...{ timezone: 'UTC', overlap: 'skip' },
}
const afterEnd: JobRules = { ...cron, when: { kind: 'after-end', expression: '10m' } }

function plan(changes: Partial<DueJob>, rules: JobRules, context: Partial<PlanningContext> = {}) {
  return planJob({ ...job, ...changes }, rules, {
    window: { nowMs: now, untilMs: now + 20_000 },
    ...{ timings: new TimingCache(), calendars: new Map(), skips: undefined, ...context },
  })
}

describe('a job with a schedule', () => {
  test('is planned by its rules, and keeps its anchor', () => {
    const rules = { ...cron, jitterMs: 10_000 }
    const planned = plan({ anchorMs: 5 }, rules)
    expect(planned).toMatchObject({ nextMs: now + MINUTE, anchorMs: 5 })
    expect(planned.decisions).toMatchObject([{ dueMs: now + jitterOf(job.id, 10_000) }])
  })

  test('counts a fixed rate from its anchor', () => {
    const every: JobRules = { ...cron, when: { kind: 'every', expression: '7m' } }
    expect(plan({ anchorMs: now - 7 * MINUTE }, every).nextMs).toBe(now + 7 * MINUTE)
  })

  test('skips requested slots and slots that its calendars exclude', () => {
    const skips = new Set([now])
    expect(plan({ hasSkips: true }, cron, { skips }).decisions).toMatchObject([
      { decision: 'skip', reason: 'asked' },
    ])
    const calendars = new Map([['off', parseCalendar({ exclude: ['2026-01-10'] })]])
    expect(plan({}, { ...cron, calendars: ['off'] }, { calendars }).decisions).toMatchObject([
      { decision: 'skip', reason: 'calendar' },
    ])
  })

  test('with a calendar that does not exist cannot be planned', () => {
    expect(() => plan({}, { ...cron, calendars: ['gone'] })).toThrow('gone')
  })

  test('is over after its run if it is one-off', () => {
    const once: JobRules = { ...cron, when: { kind: 'once' } }
    const planned = plan({ anchorMs: now }, once)
    expect(planned.decisions).toHaveLength(1)
    expect(planned.nextMs).toBeNull()
  })
})

describe('a job that waits for its runs to end', () => {
  test('creates one run and has no next slot until the run has ended', () => {
    const planned = plan({}, afterEnd)
    expect(planned.decisions).toMatchObject([{ decision: 'run', slotMs: now }])
    expect(planned).toMatchObject({ nextMs: null, anchorMs: null, runsLeft: null })
  })

  test('fires one period after the end, when that is near', () => {
    const endedMs = now - 10 * MINUTE + 5_000
    const planned = plan({ nextMs: endedMs, anchorMs: endedMs }, afterEnd)
    expect(planned.decisions).toMatchObject([{ slotMs: now + 5_000, dueMs: now + 5_000 }])
  })

  test('moves its cursor to that instant, when it is far', () => {
    const planned = plan({ nextMs: now, anchorMs: now }, afterEnd)
    expect(planned).toMatchObject({ decisions: [], nextMs: now + 10 * MINUTE, anchorMs: null })
  })

  test('counts days in its time zone and hours as elapsed time', () => {
    const daily: JobRules = {
      ...{ ...afterEnd, timezone: 'Europe/Berlin' },
      when: { kind: 'after-end', expression: 'P1D' },
    }
    const endedMs = Date.UTC(2026, 2, 28, 12)
    expect(plan({ nextMs: endedMs, anchorMs: endedMs }, daily).nextMs).toBe(
      Date.UTC(2026, 2, 29, 11),
    )
  })

  test('counts its runs, and is over after the last', () => {
    expect(plan({ runsLeft: 2 }, afterEnd)).toMatchObject({ runsLeft: 1, nextMs: null })
    expect(plan({ runsLeft: 1 }, afterEnd)).toMatchObject({ runsLeft: 0, nextMs: null })
    expect(plan({ runsLeft: 0, nextMs: now, anchorMs: now }, afterEnd)).toMatchObject({
      ...{ decisions: [], runsLeft: 0, nextMs: null },
    })
  })

  test('ends at its end', () => {
    expect(plan({ endMs: now }, afterEnd)).toMatchObject({ decisions: [], nextMs: null })
  })

  test.for(['all', 'latest'] as const)('under %s runs late after an outage, once', (policy) => {
    const nextMs = now - 300 * MINUTE
    expect(plan({ nextMs }, { ...afterEnd, misfire: { policy } }).decisions).toEqual([
      { decision: 'run', reason: 'late', slotMs: nextMs, fromMs: nextMs, slots: 1, dueMs: now },
    ])
  })

  test('under none skips the missed slot, and continues from now', () => {
    const nextMs = now - 300 * MINUTE
    const planned = plan({ nextMs }, { ...afterEnd, misfire: { policy: 'none' } })
    expect(planned.decisions).toMatchObject([{ decision: 'skip', slotMs: nextMs, slots: 1 }])
    expect(planned).toMatchObject({ nextMs: now + 10 * MINUTE, runsLeft: null })
  })

  test('tries one period later when a calendar excludes the slot', () => {
    const calendars = new Map([['off', parseCalendar({ exclude: ['2026-01-10'] })]])
    const planned = plan({}, { ...afterEnd, calendars: ['off'] }, { calendars })
    expect(planned.decisions).toMatchObject([{ decision: 'skip', reason: 'calendar' }])
    expect(planned.nextMs).toBe(now + 10 * MINUTE)
  })
})

import { describe, expect, it } from 'vitest'
import { TimingCache } from '../schedule/timing-cache.ts'
import { compileJob } from './compile-job.ts'
import { gapBelow } from './shortest-gap.ts'

const at = { timings: new TimingCache(), nowMs: Date.UTC(2030, 4, 6, 10, 20, 30) }
const job = { id: '019a8c00-1234-7000-8000-00000000000a', anchorMs: Date.UTC(2030, 0, 1) }

const rulesOf = (when: object) =>
  compileJob({ name: 'x', handler: 'x', ...when } as never, { timezone: 'UTC', jitterMs: 0 }).rules

describe('the shortest gap between slots', () => {
  it.each([
    [{ cron: '* * * * *' }, 60_000],
    [{ cron: '*/5 * * * *' }, 300_000],
    // The two slots are two seconds apart, once a day.
    [{ cron: '0,2 30 4 * * *' }, 2_000],
    // From the end of one minute to the start of the next, in one hour of the day only.
    [{ cron: '1,59 10,11 3 * * *' }, 2_000],
    // Forty minutes, but one minute across the full hour.
    [{ cron: '0,59 * * * *' }, 60_000],
    [{ cron: '0 9 * * 1' }, 7 * 86_400_000],
    [{ every: '90s' }, 90_000],
    [{ everyAfterEnd: '10s' }, 10_000],
  ])('of %j is %i ms', (when, gapMs) => {
    const rules = rulesOf(when)
    expect(gapBelow(gapMs, rules, job, at)).toBeNull()
    expect(gapBelow(gapMs + 1, rules, job, at)).toBe(gapMs)
  })

  it('is null for a one-off job', () => {
    const rules = rulesOf({ at: '2031-01-01T00:00:00Z' })
    expect(gapBelow(1_000_000_000, rules, job, at)).toBeNull()
  })
})

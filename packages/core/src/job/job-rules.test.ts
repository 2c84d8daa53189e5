import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileJob } from './compile-job.ts'
import type { JobOptions } from './job-options.ts'
import { decodeRules, defaultMisfire, encodeRules, type JobRules, misfireOf } from './job-rules.ts'

const rules: JobRules = {
  when: { kind: 'cron', expression: '0 9 * * *' },
  timezone: 'Europe/Berlin',
  overlap: 'skip',
  misfire: { policy: 'latest', graceMs: 5_000 },
  calendars: ['b', 'a'],
}

describe('rules as text', () => {
  test('are the same text for any order of properties', () => {
    const shuffled = (value: object): fc.Arbitrary<object> =>
      fc
        .shuffledSubarray(Object.entries(value), { minLength: Object.keys(value).length })
        .map((entries) => Object.fromEntries(entries))
    fc.assert(
      fc.property(shuffled(rules), shuffled(rules.misfire as object), (outer, inner) => {
        expect(encodeRules({ ...outer, misfire: inner } as JobRules)).toBe(encodeRules(rules))
      }),
    )
  })

  test('are decoded unchanged, and lists keep their order', () => {
    expect(decodeRules(encodeRules(rules))).toEqual(rules)
    expect(encodeRules(rules)).toContain('["b","a"]')
  })

  test('contain nothing that differs from job to job', () => {
    const text = (more: Partial<JobOptions>) =>
      compileJob(
        { name: 'a', handler: 'h', cron: '0 9 * * *', ...more },
        { timezone: 'UTC', jitterMs: 0, payloadBytes: 1_048_576 },
      ).rulesText
    expect(
      text({ name: 'b', startAt: '2030-01-01', endAt: '2031-01-01', maxRuns: 3, payload: 1 }),
    ).toBe(text({}))
    expect(text({ timezone: 'utc', misfire: {}, dst: {}, calendars: [], jitterMs: 0 })).toBe(
      text({}),
    )
    expect(text({ overlap: 'allow' })).not.toBe(text({}))
  })
})

test('misfire rules are completed with the defaults', () => {
  expect(misfireOf({ ...rules, misfire: { dripMs: 5 } })).toEqual({ ...defaultMisfire, dripMs: 5 })
  expect(defaultMisfire).toEqual({
    ...{ policy: 'all', graceMs: 60_000, maxAgeMs: 3_600_000, maxCount: 1_000, dripMs: 0 },
  })
})

import { describe, expect, test } from 'vitest'
import { PunctualError } from '../errors/errors.ts'
import { traits } from '../run/run-state.ts'
import { compileJob } from './compile-job.ts'
import type { JobOptions } from './job-options.ts'

const installation = { timezone: 'UTC', jitterMs: 0, payloadBytes: 1_048_576 }
const compile = (options: object) =>
  compileJob({ name: 'backup', handler: 'dump', cron: '0 2 * * *', ...options }, installation)
const rulesOf = (options: object) => compile(options).rules
const when = (options: object) =>
  compileJob({ name: 'a', handler: 'h', ...options } as JobOptions, installation)

function refusal(compiling: () => unknown): { code: string; field: unknown; message: string } {
  try {
    compiling()
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error
    return { code: error.code, field: (error as { field?: unknown }).field, message: error.message }
  }
  throw new Error('It was not refused.')
}

describe('a job as it is declared', () => {
  test('has defaults for everything except name, handler and schedule', () => {
    expect(compile({})).toMatchObject({
      ...{ name: 'backup', payload: 'null', startMs: null, endMs: null, onceMs: null },
      ...{ delayMs: null, maxRuns: null, description: null, owner: null, source: null },
      rules: {
        when: { kind: 'cron', expression: '0 2 * * *' },
        ...{ timezone: 'UTC', overlap: 'skip' },
      },
      run: { handler: 'dump', queue: 'default', priority: 5, maxAttempts: 3, timeoutMs: 300_000 },
      traits: 1 << traits.overlapShift,
    })
    expect(Object.keys(rulesOf({})).sort()).toEqual(['overlap', 'timezone', 'when'])
  })

  test('sets its schedule in exactly one way', () => {
    expect(when({ every: '5m' }).rules.when).toEqual({ kind: 'every', expression: '5m' })
    expect(when({ every: 90_000 }).rules.when).toEqual({ kind: 'every', expression: 90_000 })
    expect(when({ everyAfterEnd: '1h' }).rules.when).toEqual({
      kind: 'after-end',
      expression: '1h',
    })
    const at = '2026-05-01T00:00:00Z'
    expect(when({ at })).toMatchObject({
      rules: { when: { kind: 'once' } },
      onceMs: Date.parse(at),
    })
    expect(when({ delayMs: 1_500 })).toMatchObject({
      rules: { when: { kind: 'once' } },
      delayMs: 1_500,
    })
  })

  test('compiles every option', () => {
    const job = compile({
      payload: { a: 1 },
      ...{ timezone: 'europe/berlin', startAt: '2026-01-01', endAt: new Date('2027-01-01') },
      ...{ maxRuns: 7, jitterMs: 9_000, calendars: ['holidays', 'holidays', 'nights'] },
      ...{ dst: { gap: 'skip', fold: 'both' }, dayRule: 'and', pauseAfterFailures: 3 },
      misfire: { policy: 'latest', graceMs: 1_000, maxAgeMs: 0, maxCount: 0, dripMs: 5 },
      ...{ overlap: 'queue-one', description: 'Dumps.', owner: 'ops', labels: { team: 'db' } },
      ...{ source: 'crontab', createdBy: 'ann', queue: 'slow', priority: 9, maxAttempts: 1 },
      ...{ timeoutMs: 60_000, retry: { retryOn: ['failed'] } },
    })
    expect(job.rules).toEqual({
      when: { kind: 'cron', expression: '0 2 * * *' },
      ...{ timezone: 'Europe/Berlin', overlap: 'queue-one', gap: 'skip', fold: 'both' },
      ...{ dayRule: 'and', jitterMs: 9_000, calendars: ['holidays', 'nights'] },
      misfire: { policy: 'latest', graceMs: 1_000, maxAgeMs: 0, maxCount: 0, dripMs: 5 },
      pauseAfterFailures: 3,
    })
    expect(job).toMatchObject({
      ...{
        startMs: Date.UTC(2025, 11, 31, 23),
        endMs: Date.UTC(2027, 0),
        maxRuns: 7,
        payload: '{"a":1}',
      },
      ...{ description: 'Dumps.', owner: 'ops', source: 'crontab' },
      run: {
        ...{ queue: 'slow', priority: 9, maxAttempts: 1, timeoutMs: 60_000, createdBy: 'ann' },
        labels: '{"team":"db"}',
      },
    })
  })

  test('sets the trait bits of its runs', () => {
    expect(compile({ overlap: 'allow' }).traits).toBe(0)
    expect(compile({ overlap: 'terminate-previous', pauseAfterFailures: 1 }).traits).toBe(
      traits.failuresCounted | (5 << traits.overlapShift),
    )
    expect(when({ everyAfterEnd: '1h', overlap: 'allow' }).traits).toBe(traits.rearms)
  })

  test('has the jitter of the installation, unless it sets its own or is exact', () => {
    const jitter = (options: object) =>
      compileJob(
        { name: 'a', handler: 'h', cron: '* * * * *', ...options },
        { timezone: 'Asia/Tokyo', jitterMs: 500, payloadBytes: 1_048_576 },
      ).rules
    expect(jitter({})).toMatchObject({ jitterMs: 500, timezone: 'Asia/Tokyo' })
    expect(jitter({ jitterMs: 7 })).toMatchObject({ jitterMs: 7 })
    expect(jitter({ exact: true })).not.toHaveProperty('jitterMs')
    expect(jitter({ jitterMs: 0 })).not.toHaveProperty('jitterMs')
  })

  test('may set a misfire policy alone', () => {
    expect(rulesOf({ misfire: 'none' }).misfire).toEqual({ policy: 'none' })
  })
})

describe('an instant of a job', () => {
  const atOf = (at: unknown, timezone = 'America/New_York') =>
    when({ at, timezone } as object).onceMs

  test('without an offset is local time in the job time zone, on any machine', () => {
    expect(atOf('2030-01-31T12:00')).toBe(Date.UTC(2030, 0, 31, 17))
    expect(atOf('2030-07-31T12:00:05')).toBe(Date.UTC(2030, 6, 31, 16, 0, 5))
    expect(atOf('2030-01-31')).toBe(Date.UTC(2030, 0, 31, 5))
    expect(compile({ startAt: '2030-01-31T12:00', timezone: 'Asia/Tokyo' }).startMs).toBe(
      Date.UTC(2030, 0, 31, 3),
    )
  })

  test('with an offset is that instant', () => {
    expect(atOf('2030-01-31T12:00:00Z')).toBe(Date.UTC(2030, 0, 31, 12))
    expect(atOf('2030-01-31T12:00:00+05:30')).toBe(Date.UTC(2030, 0, 31, 6, 30))
  })

  test('may be the last representable instant, and not a later one (case 42)', () => {
    expect(atOf('9999-12-31T23:59:59.999Z')).toBe(253_402_300_799_999)
    for (const at of [
      '294276-12-31',
      '+294276-12-31T00:00:00Z',
      new Date(8.64e15),
      8.64e15 + 1,
      1e300,
    ])
      expect(refusal(() => atOf(at))).toMatchObject({ code: 'invalid_option', field: 'at' })
  })
})

describe('a job is refused', () => {
  const cases: readonly (readonly [object, string, RegExp])[] = [
    [{ cronn: '* * * * *' }, 'cronn', /not an option of a job/],
    [{ name: '' }, 'name', /1 to 128/],
    [{ name: 'a\nb' }, 'name', /control/],
    [{ name: ' ' }, 'name', /visible characters/],
    [{ name: ' \u00a0\u3000\u200b' }, 'name', /visible characters/],
    [{ handler: 5 }, 'handler', /string/],
    [{ every: '5m' }, 'every', /one of cron.*got cron and every/],
    [{ cron: undefined }, 'cron', /got none/],
    [{ cron: 5 }, 'cron', /cron expression/],
    [{ startAt: 'soon' }, 'startAt', /ISO 8601/],
    [{ endAt: '2026-02-30' }, 'endAt', /ISO 8601/],
    [{ startAt: '2026-02-01', endAt: '2026-02-01' }, 'endAt', /later than startAt/],
    [{ maxRuns: 0 }, 'maxRuns', /from 1/],
    [{ maxRuns: 1.5 }, 'maxRuns', /integer/],
    [{ jitterMs: -1 }, 'jitterMs', /from 0/],
    [{ jitterMs: 86_400_001 }, 'jitterMs', /86400000/],
    [{ exact: 'yes' }, 'exact', /true or false/],
    [{ exact: true, jitterMs: 5 }, 'jitterMs', /exact/],
    [{ calendars: 'holidays' }, 'calendars', /list/],
    [{ calendars: [''] }, 'calendars', /string/],
    [{ calendars: Array.from({ length: 11 }, (_, i) => `c${i}`) }, 'calendars', /at most 10/],
    [{ dst: 'skip' }, 'dst', /object/],
    [{ dst: [] }, 'dst', /object/],
    [{ dst: { gab: 'skip' } }, 'dst', /gap and fold/],
    [{ dst: { gap: 'jump' } }, 'dst.gap', /run-after/],
    [{ dst: { gap: '' } }, 'dst.gap', /run-after/],
    [{ dst: { fold: 'never' } }, 'dst.fold', /first/],
    [{ dayRule: 'xor' }, 'dayRule', /or/],
    [{ dayRule: '' }, 'dayRule', /or/],
    [{ misfire: 'some' }, 'misfire', /all or latest or none/],
    [{ misfire: [] }, 'misfire', /object/],
    [{ misfire: { policy: 'x' } }, 'misfire.policy', /all or latest/],
    [{ misfire: { graceMs: 999 } }, 'misfire.graceMs', /from 1000/],
    [{ misfire: { maxAgeMs: -1 } }, 'misfire.maxAgeMs', /from 0/],
    [{ misfire: { maxCount: 10_001 } }, 'misfire.maxCount', /10000/],
    [{ misfire: { dripMs: '1s' } }, 'misfire.dripMs', /integer/],
    [{ misfire: { max: 1 } }, 'misfire', /policy, graceMs/],
    [{ overlap: 'replace' }, 'overlap', /allow or skip/],
    [{ pauseAfterFailures: 0 }, 'pauseAfterFailures', /from 1/],
    [{ description: 'x'.repeat(1_025) }, 'description', /1024/],
    [{ owner: '' }, 'owner', /string/],
    [{ source: 7 }, 'source', /string/],
    [{ priority: 11 }, 'priority', /from 0 to 10/],
    [{ labels: [] }, 'labels', /object/],
  ]

  test.for(cases)('%j', ([options, field, message]) => {
    const refused = refusal(() => compile(options))
    expect(refused.field).toBe(field)
    expect(refused.message).toMatch(message)
    expect(['invalid_option', 'invalid_schedule']).toContain(refused.code)
  })

  test.for([
    [{ cron: '61 * * * *' }, 'invalid_schedule'],
    [{ cron: '0 0 30 2 *' }, 'never_fires'],
    [{ cron: '* * * * *', timezone: 'Mars/Olympus' }, 'invalid_timezone'],
    [{ every: '5 minutes' }, 'invalid_schedule'],
    [{ every: 0 }, 'invalid_schedule'],
    [{ everyAfterEnd: 'often' }, 'invalid_schedule'],
    [{ everyAfterEnd: '* * * * *' }, 'invalid_schedule'],
  ] as const)('%j with %s', ([options, code]) => {
    expect(refusal(() => when(options)).code).toBe(code)
  })

  test('when it is not an object, or its payload is too large', () => {
    expect(refusal(() => compileJob(null as never, installation)).field).toBe('job')
    expect(refusal(() => compileJob([] as never, installation)).field).toBe('job')
    expect(refusal(() => compile({ payload: 'x'.repeat(1_048_576) })).code).toBe(
      'payload_too_large',
    )
    expect(refusal(() => when({ delayMs: -1 })).field).toBe('delayMs')
    expect(refusal(() => when({ at: 'tomorrow' })).field).toBe('at')
  })
})

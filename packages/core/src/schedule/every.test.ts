import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyNextAfter } from './every.ts'
import { parsePeriod } from './parse-period.ts'
import { type DstPolicy, defaultDstPolicy } from './zones/dst-policy.ts'
import { instantAfter } from './zones/wall-instants.ts'
import { zoneOf } from './zones/zone.ts'

const DAY_MS = 86_400_000

function fires(
  period: string,
  anchor: string,
  count: number,
  {
    tz = 'UTC',
    after = anchor,
    dst = {} as Partial<DstPolicy>,
    times = null as number | null,
  } = {},
): string[] {
  const zone = zoneOf(tz)
  const every = { period: parsePeriod(period), count: times }
  const found: string[] = []
  let ms: number | null = Date.parse(after) - 1
  while (found.length < count) {
    ms = everyNextAfter(every, Date.parse(anchor), zone, { ...defaultDstPolicy, ...dst }, ms)
    if (ms === null) break
    found.push(new Date(ms + zone.offsetAt(ms)).toISOString().slice(0, 16))
  }
  return found
}

describe('elapsed time', () => {
  test('fires at a fixed rate from the anchor, even if a day is no multiple of it (case 106)', () => {
    expect(fires('7h', '2026-01-01T00:00Z', 4)).toEqual([
      '2026-01-01T00:00',
      '2026-01-01T07:00',
      '2026-01-01T14:00',
      '2026-01-01T21:00',
    ])
  })

  test('keeps the phase of the anchor, to the millisecond', () => {
    const anchorMs = Date.parse('2026-01-01T00:00:00.123Z')
    const every = { period: parsePeriod('1s'), count: null }
    const next = (afterMs: number) =>
      everyNextAfter(every, anchorMs, zoneOf('UTC'), defaultDstPolicy, afterMs)
    expect(next(anchorMs)).toBe(anchorMs + 1_000)
    expect(next(anchorMs + 999)).toBe(anchorMs + 1_000)
    expect(next(anchorMs + 1_000)).toBe(anchorMs + 2_000)
    expect(next(anchorMs - 1)).toBe(anchorMs)
    expect(next(0)).toBe(anchorMs)
  })

  test('ignores clock changes: 24h moves by an hour when the clocks change', () => {
    expect(fires('24h', '2026-03-28T08:00Z', 2, { tz: 'Europe/Berlin' })).toEqual([
      '2026-03-28T09:00',
      '2026-03-29T10:00',
    ])
  })
})

describe('calendar time', () => {
  test('keeps the local time when the clocks change', () => {
    expect(fires('1d', '2026-03-28T08:00Z', 3, { tz: 'Europe/Berlin' })).toEqual([
      '2026-03-28T09:00',
      '2026-03-29T09:00',
      '2026-03-30T09:00',
    ])
    expect(fires('1w', '2026-10-20T07:00Z', 2, { tz: 'Europe/Berlin' })).toEqual([
      '2026-10-20T09:00',
      '2026-10-27T09:00',
    ])
  })

  test('follows the policy in a gap', () => {
    const at = (gap: DstPolicy['gap']) =>
      fires('1d', '2026-03-28T01:30Z', 3, { tz: 'Europe/Berlin', dst: { gap } }).slice(1)
    expect(at('run-after')).toEqual(['2026-03-29T03:00', '2026-03-30T02:30'])
    expect(at('shift')).toEqual(['2026-03-29T03:30', '2026-03-30T02:30'])
    expect(at('skip')).toEqual(['2026-03-30T02:30', '2026-03-31T02:30'])
  })

  test('follows the policy in a fold', () => {
    const at = (fold: DstPolicy['fold']) => {
      const every = { period: parsePeriod('1d'), count: null }
      const dst = { gap: 'skip', fold } as const
      const anchorMs = Date.parse('2026-10-24T00:30Z')
      const first = everyNextAfter(
        every,
        anchorMs,
        zoneOf('Europe/Berlin'),
        dst,
        anchorMs,
      ) as number
      const second = everyNextAfter(every, anchorMs, zoneOf('Europe/Berlin'), dst, first) as number
      return [first, second].map((ms) => new Date(ms).toISOString().slice(8, 16))
    }
    expect(at('first')).toEqual(['25T00:30', '26T01:30'])
    expect(at('last')).toEqual(['25T01:30', '26T01:30'])
    expect(at('both')).toEqual(['25T00:30', '25T01:30'])
  })

  test('fires at the anchor itself, even in the second pass of a fold', () => {
    const anchorMs = Date.parse('2026-10-25T01:30Z')
    const every = { period: parsePeriod('1d'), count: null }
    const zone = zoneOf('Europe/Berlin')
    expect(everyNextAfter(every, anchorMs, zone, defaultDstPolicy, anchorMs - 1)).toBe(anchorMs)
    expect(everyNextAfter(every, anchorMs, zone, defaultDstPolicy, anchorMs)).toBe(
      anchorMs + DAY_MS,
    )
  })

  test('cuts at the end of a short month, computed from the anchor each time', () => {
    expect(fires('P1M', '2026-01-31T12:00Z', 6).map((at) => at.slice(5, 10))).toEqual([
      '01-31',
      '02-28',
      '03-31',
      '04-30',
      '05-31',
      '06-30',
    ])
    expect(fires('P1Y', '2024-02-29T12:00Z', 5).map((at) => at.slice(0, 10))).toEqual([
      '2024-02-29',
      '2025-02-28',
      '2026-02-28',
      '2027-02-28',
      '2028-02-29',
    ])
    expect(fires('P3M', '2025-11-30T12:00Z', 3).map((at) => at.slice(0, 10))).toEqual([
      '2025-11-30',
      '2026-02-28',
      '2026-05-30',
    ])
  })

  test('is added before elapsed time when a period has both', () => {
    expect(fires('1d12h', '2026-03-27T08:00Z', 3, { tz: 'Europe/Berlin' })).toEqual([
      '2026-03-27T09:00',
      '2026-03-28T21:00',
      '2026-03-30T09:00',
    ])
  })

  test('has one fire when a whole day is missing and the policy moves its fire (case 98)', () => {
    const at = (gap: DstPolicy['gap']) =>
      fires('1d', '2011-12-28T19:00Z', 3, { tz: 'Pacific/Apia', dst: { gap } }).map((fire) =>
        fire.slice(8),
      )
    expect(at('run-after')).toEqual(['28T09:00', '29T09:00', '31T00:00'])
    expect(at('shift')).toEqual(['28T09:00', '29T09:00', '31T09:00'])
    expect(at('skip')).toEqual(['28T09:00', '29T09:00', '31T09:00'])
  })
})

describe('an end', () => {
  test('is reached after the given number of fires, including the anchor', () => {
    expect(fires('1h', '2026-01-01T00:00Z', 9, { times: 3 })).toHaveLength(3)
    expect(fires('P1M', '2026-01-31T00:00Z', 9, { times: 3 })).toHaveLength(3)
    expect(fires('1d', '2026-01-01T00:00Z', 9, { times: 3, after: '2026-02-01T00:00Z' })).toEqual(
      [],
    )
    expect(fires('1h', '2026-01-01T00:00Z', 9, { times: 1, after: '2026-01-01T00:01Z' })).toEqual(
      [],
    )
  })

  test('is reached with the year 2199', () => {
    for (const period of ['1h', '1d', 'P1Y'])
      expect(
        fires(period, '2026-01-01T00:00Z', 3, { after: '2199-12-31T23:30Z' }).length,
      ).toBeLessThan(3)
    const every = { period: parsePeriod('1d'), count: null }
    for (const afterMs of [1e15, Number.POSITIVE_INFINITY, Number.NaN])
      expect(everyNextAfter(every, 0, zoneOf('UTC'), defaultDstPolicy, afterMs)).toBeNull()
  })
})

describe('the estimate of how many periods have passed', () => {
  const period = fc.constantFrom(
    '1d',
    '3d',
    '1w',
    '10d',
    'P1M',
    'P5M',
    'P1Y',
    'P1M1D',
    '1d1h',
    'P1MT7H',
  )
  const tz = fc.constantFrom('Europe/Berlin', 'Pacific/Apia', 'Australia/Lord_Howe', 'America/Nuuk')
  const dst = fc.record({
    gap: fc.constantFrom('run-after', 'shift', 'skip'),
    fold: fc.constantFrom('first', 'last', 'both'),
  }) as fc.Arbitrary<DstPolicy>
  const year = (n: number) => Date.UTC(n, 0, 1)

  test('never skips a fire: it agrees with counting from the anchor', () => {
    const anchor = fc.integer({ min: year(1975), max: year(2040) })
    const distance = fc.oneof(
      fc.integer({ min: 0, max: 400 * DAY_MS }),
      fc.integer({ min: 0, max: 20_000 * DAY_MS }),
    )
    fc.assert(
      fc.property(period, tz, dst, anchor, distance, (text, name, policy, anchorMs, far) => {
        const every = { period: parsePeriod(text), count: null }
        const zone = zoneOf(name)
        const afterMs = anchorMs + far
        expect(everyNextAfter(every, anchorMs, zone, policy, afterMs)).toBe(
          counted(text, name, policy, anchorMs, afterMs),
        )
      }),
      { numRuns: 150 },
    )
  })

  test('makes an old anchor cost no more than a new one', () => {
    const every = { period: parsePeriod('1d'), count: null }
    const zone = zoneOf('UTC')
    // A million questions that each counted the 20,000 days from 1970 would take minutes.
    let ms = Date.UTC(2026, 0, 1)
    for (let i = 0; i < 20_000; i++) ms = everyNextAfter(every, 0, zone, defaultDstPolicy, ms) ?? 0
    expect(new Date(ms).toISOString().slice(0, 10)).toBe('2080-10-04')
  })
})

/** Counts from the anchor, period by period, with the arithmetic of Date. */
function counted(
  text: string,
  tz: string,
  dst: DstPolicy,
  anchorMs: number,
  afterMs: number,
): number {
  const { months, days, elapsedMs } = parsePeriod(text)
  const zone = zoneOf(tz)
  const anchor = new Date(anchorMs + zone.offsetAt(anchorMs))
  let best = Number.POSITIVE_INFINITY
  for (let n = 1; ; n++) {
    const month = new Date(Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + n * months, 1))
    const last = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
    const day = Math.min(anchor.getUTCDate(), last) - 1
    const time = anchor.getTime() - Math.floor(anchor.getTime() / DAY_MS) * DAY_MS
    const wallMs = month.getTime() + (day + n * days) * DAY_MS + time
    const drift = n * elapsedMs
    // The clock matters only near the result.
    if (wallMs + drift < afterMs - 4 * DAY_MS) continue
    best = Math.min(best, instantAfter(zone, wallMs, dst, afterMs - drift) + drift)
    if (wallMs + drift > afterMs + 4 * DAY_MS && best !== Number.POSITIVE_INFINITY) return best
  }
}

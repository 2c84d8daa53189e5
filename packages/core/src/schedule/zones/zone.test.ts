import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { clockReader } from '../../../test/brute-force-clock.ts'
import { clockChanges } from './clock-change.ts'
import { Zone, zoneOf } from './zone.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

afterEach(() => {
  vi.restoreAllMocks()
})

/** The clock changes of a year: when, and by how many hours. */
function changes(zone: string, year: number): [at: string, hours: number][] {
  const fromMs = Date.UTC(year, 0, 1)
  const found = clockChanges(zoneOf(zone), fromMs, Date.UTC(year + 1, 0, 1), 10)
  return found.map(({ startMs, offsetMs, previousOffsetMs }) => [
    `${new Date(startMs).toISOString().slice(0, 16)}Z`,
    (offsetMs - previousOffsetMs) / HOUR_MS,
  ])
}

describe('the changes of a zone are found', () => {
  test.for([
    [
      'Europe/Berlin',
      2026,
      [
        ['2026-03-29T01:00Z', 1],
        ['2026-10-25T01:00Z', -1],
      ],
    ],
    [
      'America/New_York',
      2026,
      [
        ['2026-03-08T07:00Z', 1],
        ['2026-11-01T06:00Z', -1],
      ],
    ],
    [
      'Australia/Lord_Howe',
      2026,
      [
        ['2026-04-04T15:00Z', -0.5],
        ['2026-10-03T15:30Z', 0.5],
      ],
    ],
    [
      'Pacific/Chatham',
      2026,
      [
        ['2026-04-04T14:00Z', -1],
        ['2026-09-26T14:00Z', 1],
      ],
    ],
    [
      'Antarctica/Troll',
      2026,
      [
        ['2026-03-29T01:00Z', 2],
        ['2026-10-25T01:00Z', -2],
      ],
    ],
    [
      // A past year: newer time zone data changed the rules for 2026.
      'Africa/Casablanca',
      2024,
      [
        ['2024-03-10T02:00Z', -1],
        ['2024-04-14T02:00Z', 1],
      ],
    ],
    [
      'Europe/Dublin',
      2026,
      [
        ['2026-03-29T01:00Z', 1],
        ['2026-10-25T01:00Z', -1],
      ],
    ],
    [
      'America/Nuuk',
      2026,
      [
        ['2026-03-29T01:00Z', 1],
        ['2026-10-25T01:00Z', -1],
      ],
    ],
    [
      'Africa/Cairo',
      2026,
      [
        ['2026-04-23T22:00Z', 1],
        ['2026-10-29T21:00Z', -1],
      ],
    ],
    [
      'Pacific/Apia',
      2011,
      [
        ['2011-04-02T14:00Z', -1],
        ['2011-09-24T14:00Z', 1],
        ['2011-12-30T10:00Z', 24],
      ],
    ],
    ['Africa/Monrovia', 1972, [['1972-01-07T00:44Z', 2_670 / 3_600]]],
    // The changes are a week apart: sampling every seven days would miss them.
    [
      'America/Recife',
      2000,
      [
        ['2000-02-27T02:00Z', -1],
        ['2000-10-08T03:00Z', 1],
        ['2000-10-15T02:00Z', -1],
      ],
    ],
    ['Asia/Tokyo', 2026, []],
    ['UTC', 2026, []],
  ] as const)('%s in %i', ([zone, year, expected]) => {
    expect(changes(zone, year)).toEqual(expected)
  })

  test.for([
    ['America/Boa_Vista', '2000-10-08T04:00Z'],
    ['America/Noronha', '2000-10-08T02:00Z'],
    ['America/Recife', '2000-10-08T03:00Z'],
    ['Asia/Gaza', '2040-10-20T00:00Z'],
    ['Asia/Gaza', '2054-03-28T00:00Z'],
    ['Asia/Hebron', '2072-10-22T00:00Z'],
  ] as const)('in %s from %s, where the next change undoes it in a week', ([zone, at]) => {
    const firstMs = Date.parse(at)
    const [first, second] = clockChanges(zoneOf(zone), firstMs - DAY_MS, firstMs + 8 * DAY_MS, 9)
    expect(first?.startMs).toBe(firstMs)
    expect(second?.startMs).toBe(firstMs + 167 * HOUR_MS)
  })

  test('also in the year 2199', () => {
    expect(changes('Europe/Berlin', 2199).map(([at]) => at)).toEqual([
      '2199-03-31T01:00Z',
      '2199-10-27T01:00Z',
    ])
  })
})

describe('the table of a zone', () => {
  test('returns the offset that Intl shows, at any instant', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1_000 })
    fc.assert(
      fc.property(zones, instant, (name, seconds) => {
        const ms = seconds * 1_000
        expect(zoneOf(name).offsetAt(ms)).toBe(clockReader(name)(ms) - ms)
      }),
      { numRuns: 100 },
    )
  })

  test('has no holes: each segment begins where the previous one ends', () => {
    const zone = new Zone('Europe/Berlin')
    let segment = zone.segmentAt(0)
    for (let i = 0; i < 300; i++) {
      const next = zone.segmentAt(segment.endMs)
      expect(next.startMs).toBeLessThanOrEqual(segment.endMs)
      expect(next.endMs).toBeGreaterThan(segment.endMs)
      expect(zone.segmentAt(segment.endMs - 1).offsetMs).toBe(segment.offsetMs)
      segment = next
    }
  })

  test('knows the change just after the end of a block', () => {
    // Blocks are 1,461 days from 1969-12-02 on; this checks both sides of each of their ends.
    const zone = new Zone('America/New_York')
    for (let end = Date.UTC(1969, 11, 2); end < Date.UTC(2190, 0, 1); end += 1_461 * DAY_MS)
      for (const ms of [end - 1, end, end - 5 * DAY_MS, end + 5 * DAY_MS]) {
        if (ms < 0) continue
        const { startMs, endMs, nextOffsetMs, previousOffsetMs } = zone.segmentAt(ms)
        expect(zone.segmentAt(endMs).offsetMs).toBe(nextOffsetMs)
        expect(zone.segmentAt(startMs - 1).offsetMs).toBe(previousOffsetMs)
        expect(endMs - ms > 2 * DAY_MS || nextOffsetMs !== zone.offsetAt(ms)).toBe(true)
      }
  })

  test('returns the offset of the nearest end outside 1970 to 2199', () => {
    const zone = zoneOf('Europe/Berlin')
    expect(zone.offsetAt(-1e15)).toBe(HOUR_MS)
    expect(zone.offsetAt(1e15)).toBe(HOUR_MS)
  })

  test('calls Intl once per block, and never again for instants in it', () => {
    const prototype: { readonly format: unknown } = Intl.DateTimeFormat.prototype
    const formatReads = vi.spyOn(prototype, 'format', 'get')
    const zone = new Zone('Europe/Paris')
    const readYear = (year: number) => {
      const fromMs = Date.UTC(year, 0, 1)
      for (let hour = 0; hour < 8_760; hour++) zone.offsetAt(fromMs + hour * HOUR_MS)
    }
    expect(formatReads).toHaveBeenCalledTimes(0)
    readYear(2027)
    const calls = formatReads.mock.calls.length
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThan(1_000)
    for (const year of [2027, 2026, 2028]) readYear(year)
    expect(formatReads).toHaveBeenCalledTimes(calls)
  })

  test('is one object per zone, in any spelling of its name', () => {
    expect(zoneOf('europe/BERLIN')).toBe(zoneOf('Europe/Berlin'))
  })
})

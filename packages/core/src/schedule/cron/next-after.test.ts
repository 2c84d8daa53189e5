import { describe, expect, test } from 'vitest'
import type { FoldPolicy, GapPolicy } from '../zones/dst-policy.ts'
import { zoneOf } from '../zones/zone.ts'
import { nextAfter } from './next-after.ts'
import { parseCron } from './parse-cron.ts'

interface Policy {
  gap?: GapPolicy
  fold?: FoldPolicy
}

/** Every fire between two instants, in local time with its offset in hours: "03-29 03:00 +2". */
function fires(expression: string, tz: string, from: string, to: string, policy: Policy = {}) {
  const zone = zoneOf(tz)
  const pattern = parseCron(expression)
  const dst = { gap: 'run-after', fold: 'first', ...policy } as const
  const found: string[] = []
  const untilMs = Date.parse(to)
  let ms = nextAfter(pattern, zone, dst, Date.parse(from) - 1, untilMs)
  for (; ms !== null; ms = nextAfter(pattern, zone, dst, ms, untilMs)) {
    const offsetMs = zone.offsetAt(ms)
    const local = new Date(ms + offsetMs).toISOString().slice(5, 16).replace('T', ' ')
    found.push(`${local} ${offsetMs < 0 ? '' : '+'}${offsetMs / 3_600_000}`)
  }
  return found
}

const NEW_YORK = 'America/New_York'

describe('a fixed time in a gap (case 89)', () => {
  const day = (gap: GapPolicy, expression = '30 2 * * *') =>
    fires(expression, NEW_YORK, '2025-03-09T05:00Z', '2025-03-11T04:00Z', { gap })

  test('run-after: at the first instant after it', () => {
    expect(day('run-after')).toEqual(['03-09 03:00 -4', '03-10 02:30 -4'])
  })

  test('shift: later by the length of the gap', () => {
    expect(day('shift')).toEqual(['03-09 03:30 -4', '03-10 02:30 -4'])
  })

  test('skip: not on that day', () => {
    expect(day('skip')).toEqual(['03-10 02:30 -4'])
  })

  test('several times that land on one instant are one fire', () => {
    expect(day('run-after', '0,30 2,3 * * *').slice(0, 3)).toEqual([
      '03-09 03:00 -4',
      '03-09 03:30 -4',
      '03-10 02:00 -4',
    ])
    expect(day('shift', '0,30 2,3 * * *').slice(0, 3)).toEqual([
      '03-09 03:00 -4',
      '03-09 03:30 -4',
      '03-10 02:00 -4',
    ])
  })

  test('a shifted time is in order among the existing ones', () => {
    expect(day('shift', '15,45 2,3 * * *').slice(0, 2)).toEqual([
      '03-09 03:15 -4',
      '03-09 03:45 -4',
    ])
    const mixed = fires('0 30 2,3 9 3 *', NEW_YORK, '2025-03-09T05:00Z', '2025-03-10T04:00Z', {
      gap: 'shift',
    })
    expect(mixed).toEqual(['03-09 03:30 -4'])
  })

  test('the times at both edges of the gap exist', () => {
    expect(day('skip', '59 1 * * *')[0]).toBe('03-09 01:59 -5')
    expect(day('skip', '0 3 * * *')[0]).toBe('03-09 03:00 -4')
    expect(day('skip', '0 2 * * *')[0]).toBe('03-10 02:00 -4')
  })
})

describe('a fixed time in a fold (case 90)', () => {
  const day = (fold: FoldPolicy, expression = '30 1 * * *') =>
    fires(expression, NEW_YORK, '2025-11-02T04:00Z', '2025-11-03T05:00Z', { fold })

  test('first: in the first pass', () => {
    expect(day('first')).toEqual(['11-02 01:30 -4'])
  })

  test('last: in the second pass', () => {
    expect(day('last')).toEqual(['11-02 01:30 -5'])
  })

  test('both: in each pass, and in order within each pass when there are several times', () => {
    expect(day('both')).toEqual(['11-02 01:30 -4', '11-02 01:30 -5'])
    expect(day('both', '10,50 1 * * *')).toEqual([
      '11-02 01:10 -4',
      '11-02 01:50 -4',
      '11-02 01:10 -5',
      '11-02 01:50 -5',
    ])
  })

  test('of the times at the edges of the fold, 01:00 exists twice, 02:00 once', () => {
    expect(day('both', '0 1,2 * * *')).toEqual([
      '11-02 01:00 -4',
      '11-02 01:00 -5',
      '11-02 02:00 -5',
    ])
  })
})

describe('interval patterns follow the clock face (case 91)', () => {
  const spring = (expression: string, tz = NEW_YORK) =>
    fires(expression, tz, '2025-03-09T06:00Z', '2025-03-09T08:00Z')
  const autumn = (expression: string) =>
    fires(expression, NEW_YORK, '2025-11-02T04:30Z', '2025-11-02T07:00Z')

  test.for(['* * * * *', '*/15 * * * *', '*/20 * * * * *'])(
    '%s has no hole and no repeat through either change',
    (expression) => {
      const pattern = parseCron(expression)
      const zone = zoneOf(NEW_YORK)
      const dst = { gap: 'run-after', fold: 'first' } as const
      for (const from of ['2025-03-09T04:00Z', '2025-11-02T03:00Z']) {
        const steps = new Set<number>()
        let ms = Date.parse(from)
        for (let i = 0; i < 500; i++) {
          const next = nextAfter(pattern, zone, dst, ms) as number
          steps.add(next - ms)
          ms = next
        }
        expect(steps.size).toBe(1)
      }
    },
  )

  test('0 */2 * * * leaves out the missing hour, and runs 02:00 once', () => {
    expect(spring('0 */2 * * *')).toEqual(['03-09 04:00 -4'])
    expect(autumn('0 */2 * * *')).toEqual(['11-02 02:00 -5'])
  })

  test('0 */1 * * * runs in both passes of an hour', () => {
    expect(autumn('0 */1 * * *')).toEqual(['11-02 01:00 -4', '11-02 01:00 -5', '11-02 02:00 -5'])
  })

  test('30 1-3 * * * skips 02:30 in spring and runs 01:30 twice in autumn', () => {
    expect(spring('30 1-3 * * *')).toEqual(['03-09 01:30 -5', '03-09 03:30 -4'])
    expect(autumn('30 1-3 * * *')).toEqual(['11-02 01:30 -4', '11-02 01:30 -5'])
  })

  test('*/10 2 * * * does not run on the day without that hour, with any policy', () => {
    expect(fires('*/10 2 * * *', NEW_YORK, '2025-03-09T05:00Z', '2025-03-10T05:59Z')).toEqual([])
  })
})

describe('zones of the southern hemisphere (case 92)', () => {
  test('Sydney and Auckland miss an hour in their spring', () => {
    expect(
      fires('30 2 * * *', 'Australia/Sydney', '2026-10-03T14:00Z', '2026-10-04T14:00Z'),
    ).toEqual(['10-04 03:00 +11'])
    expect(
      fires('30 2 * * *', 'Pacific/Auckland', '2017-09-23T12:00Z', '2017-09-24T12:00Z', {
        gap: 'shift',
      }),
    ).toEqual(['09-24 03:30 +13'])
  })

  test('Santiago repeats the hour before midnight', () => {
    const at = (fold: FoldPolicy) =>
      fires('30 23 * * *', 'America/Santiago', '2026-04-04T12:00Z', '2026-04-05T12:00Z', {
        fold,
      })
    expect(at('first')).toEqual(['04-04 23:30 -3'])
    expect(at('last')).toEqual(['04-04 23:30 -4'])
    expect(at('both')).toEqual(['04-04 23:30 -3', '04-04 23:30 -4'])
  })
})

describe('gaps of other lengths', () => {
  test('Lord Howe misses half an hour on 2026-10-04 (case 93)', () => {
    const at = (expression: string, gap: GapPolicy = 'run-after') =>
      fires(expression, 'Australia/Lord_Howe', '2026-10-03T14:30Z', '2026-10-03T17:00Z', { gap })
    expect(at('15 2 * * *')).toEqual(['10-04 02:30 +11'])
    expect(at('15 2 * * *', 'shift')).toEqual(['10-04 02:45 +11'])
    expect(at('0 * * * *')).toEqual(['10-04 01:00 +10.5', '10-04 03:00 +11', '10-04 04:00 +11'])
    expect(at('*/30 * * * *').slice(0, 4)).toEqual([
      '10-04 01:00 +10.5',
      '10-04 01:30 +10.5',
      '10-04 02:30 +11',
      '10-04 03:00 +11',
    ])
  })

  test('Chatham jumps from 02:45 to 03:45 on 2026-09-27 (case 94)', () => {
    const at = (expression: string) =>
      fires(expression, 'Pacific/Chatham', '2026-09-26T12:00Z', '2026-09-27T10:00Z')
    expect(at('30 2 * * *')).toEqual(['09-27 02:30 +12.75'])
    expect(at('0 3 * * *')).toEqual(['09-27 03:45 +13.75'])
    expect(at('45 2 * * *')).toEqual(['09-27 03:45 +13.75'])
  })

  test.for([
    ['America/Santiago', '2026-09-06', -3],
    ['Africa/Cairo', '2026-04-24', 3],
    ['America/Havana', '2026-03-08', -4],
    ['Asia/Beirut', '2026-03-29', 3],
    ['America/Sao_Paulo', '2018-11-04', -2],
  ] as const)('%s has no midnight on %s (case 95)', ([tz, date, hours]) => {
    const fromMs = Date.parse(`${date}T00:00:00Z`) - hours * 3_600_000 - 3_600_000
    const at = (gap: GapPolicy) =>
      fires(
        '0 0 * * *',
        tz,
        new Date(fromMs).toISOString(),
        new Date(fromMs + 86_400_000).toISOString(),
        { gap },
      )
    const offset = `${hours < 0 ? '' : '+'}${hours}`
    expect(at('run-after')[0]).toBe(`${date.slice(5)} 01:00 ${offset}`)
    expect(at('shift')[0]).toBe(`${date.slice(5)} 01:00 ${offset}`)
    expect(at('skip')[0]?.slice(0, 5)).not.toBe(date.slice(5))
  })

  test('Nuuk has no 23:00 on Saturday 2026-03-28, so it runs as Sunday begins (case 96)', () => {
    const at = (gap: GapPolicy) =>
      fires('0 23 * * 6', 'America/Nuuk', '2026-03-28T12:00Z', '2026-03-30T00:00Z', { gap })
    expect(at('run-after')).toEqual(['03-29 00:00 -1'])
    expect(at('skip')).toEqual([])
    expect(fires('0 0 * * 0', 'America/Nuuk', '2026-03-28T12:00Z', '2026-03-30T00:00Z')).toEqual([
      '03-29 00:00 -1',
    ])
  })

  test('Troll misses two hours on 2026-03-29 (case 97)', () => {
    const at = (gap: GapPolicy) =>
      fires('30 1,2 * * *', 'Antarctica/Troll', '2026-03-29T00:00Z', '2026-03-29T12:00Z', { gap })
    expect(at('run-after')).toEqual(['03-29 03:00 +2'])
    expect(at('shift')).toEqual(['03-29 03:30 +2', '03-29 04:30 +2'])
    expect(at('skip')).toEqual([])
  })

  test('Apia has no Friday 2011-12-30 (case 98)', () => {
    const at = (expression: string, gap: GapPolicy = 'run-after') =>
      fires(expression, 'Pacific/Apia', '2011-12-29T12:00Z', '2012-01-01T09:59Z', { gap })
    expect(at('0 9 * * *')).toEqual([
      '12-29 09:00 -10',
      '12-31 00:00 +14',
      '12-31 09:00 +14',
      '01-01 09:00 +14',
    ])
    expect(at('0 9 * * *', 'shift')).toEqual([
      '12-29 09:00 -10',
      '12-31 09:00 +14',
      '01-01 09:00 +14',
    ])
    expect(at('0 9 * * *', 'skip')).toEqual([
      '12-29 09:00 -10',
      '12-31 09:00 +14',
      '01-01 09:00 +14',
    ])
    expect(at('0 9 * * FRI')).toEqual(['12-31 00:00 +14'])
    expect(at('0 9 * * FRI', 'skip')).toEqual([])
    expect(at('0 9 L-1 * *', 'shift')).toEqual(['12-31 09:00 +14'])
    expect(at('0 9 L * *')).toEqual(['12-31 09:00 +14'])
  })

  test('Dublin with its negative winter time, and Casablanca in Ramadan (case 99)', () => {
    expect(fires('30 1 * * *', 'Europe/Dublin', '2026-03-28T12:00Z', '2026-03-29T12:00Z')).toEqual([
      '03-29 02:00 +1',
    ])
    const at = (fold: FoldPolicy) =>
      fires('30 2 * * *', 'Africa/Casablanca', '2026-02-14T12:00Z', '2026-02-15T12:00Z', {
        fold,
      })
    expect(at('first')).toEqual(['02-15 02:30 +1'])
    expect(at('both')).toEqual(['02-15 02:30 +1', '02-15 02:30 +0'])
    expect(
      fires('30 2 * * *', 'Africa/Casablanca', '2026-03-21T12:00Z', '2026-03-22T12:00Z'),
    ).toEqual(['03-22 03:00 +1'])
  })
})

describe('the ends of the supported years (case 102)', () => {
  const utc = zoneOf('UTC')
  const dst = { gap: 'run-after', fold: 'first' } as const

  test('nothing fires before 1970 or after 2199, by the local clock', () => {
    const minutely = parseCron('* * * * *')
    expect(nextAfter(minutely, utc, dst, Number.NEGATIVE_INFINITY)).toBe(0)
    expect(nextAfter(minutely, zoneOf('Asia/Tokyo'), dst, -1e15)).toBe(-9 * 3_600_000)
    const last = Date.parse('2199-12-31T23:59:00Z')
    expect(nextAfter(minutely, utc, dst, last - 1)).toBe(last)
    expect(nextAfter(minutely, utc, dst, last)).toBeNull()
    for (const after of [1e15, Number.POSITIVE_INFINITY, Number.NaN])
      expect(nextAfter(minutely, utc, dst, after)).toBeNull()
  })

  test('a leap day recurs every four years, and after eight around 2100', () => {
    const pattern = parseCron('0 0 29 2 *')
    const after = (date: string) =>
      new Date(nextAfter(pattern, utc, dst, Date.parse(date)) as number).toISOString().slice(0, 10)
    expect(after('2026-01-01')).toBe('2028-02-29')
    expect(after('2096-03-01')).toBe('2104-02-29')
    expect(after('2026-01-01T00:00:00.001Z')).toBe('2028-02-29')
  })

  test('a year in the past, or a day that lies wholly in a gap, has no fire', () => {
    const over = parseCron('0 0 0 1 1 * 2025')
    expect(nextAfter(over, utc, dst, Date.parse('2026-01-01'))).toBeNull()
    const inGap = parseCron('0 30 2 29 3 * 2026')
    const berlin = zoneOf('Europe/Berlin')
    expect(nextAfter(inGap, berlin, dst, Date.parse('2026-01-01'))).toBe(
      Date.parse('2026-03-29T01:00Z'),
    )
    expect(nextAfter(inGap, berlin, { ...dst, gap: 'skip' }, Date.parse('2026-01-01'))).toBeNull()
  })

  test('a fire at the limit counts, a fire after it does not (case 110)', () => {
    const hourly = parseCron('0 * * * *')
    const slot = Date.parse('2026-01-01T01:00Z')
    expect(nextAfter(hourly, utc, dst, slot - 1, slot)).toBe(slot)
    expect(nextAfter(hourly, utc, dst, slot - 1, slot - 1)).toBeNull()
    expect(nextAfter(hourly, utc, dst, slot)).toBe(slot + 3_600_000)
    expect(nextAfter(hourly, utc, dst, slot - 0.5)).toBe(slot)
  })
})

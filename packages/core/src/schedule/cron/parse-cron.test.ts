import { describe, expect, test } from 'vitest'
import { PunctualError } from '../../errors/errors.ts'
import type { CronPattern } from './cron-pattern.ts'
import { type CronOptions, parseCron } from './parse-cron.ts'

/** The first matching local times from the beginning of 2026: "01-15 08:30:00". */
function times(pattern: CronPattern, count: number, from = '2026-01-01T00:00:00Z'): string[] {
  const found: string[] = []
  for (let wall = Date.parse(from) / 1_000; found.length < count; wall++) {
    wall = pattern.nextWall(wall)
    if (wall === Number.POSITIVE_INFINITY) break
    found.push(new Date(wall * 1_000).toISOString().slice(0, 19))
  }
  return found
}

/** The values of a field, read from a pattern whose other fields have their first value. */
function values(expression: string, part: [from: number, to: number], options?: CronOptions) {
  const all = times(parseCron(expression, options), 61).map((time) => Number(time.slice(...part)))
  const end = all.findIndex((value, i) => i > 0 && value <= (all[i - 1] as number))
  return end < 0 ? all : all.slice(0, end)
}
const minutes = (field: string, options?: CronOptions) =>
  values(`${field} 0 1 1 *`, [14, 16], options)
const hours = (field: string) => values(`0 ${field} 1 1 *`, [11, 13])
const days = (field: string) => values(`0 0 ${field} 1 *`, [8, 10])
const months = (field: string) => values(`0 0 1 ${field} *`, [5, 7])
/** 2026-02-01 is a Sunday. */
const weekdays = (field: string) =>
  times(parseCron(`0 0 * 2 ${field}`), 7, '2026-02-01T00:00:00Z')
    .filter((time) => time < '2026-02-08')
    .map((time) => Number(time.slice(8, 10)) - 1)

function refusal(expression: unknown, options: CronOptions = { seed: 'x' }): PunctualError {
  try {
    parseCron(expression as string, options)
  } catch (error) {
    if (error instanceof PunctualError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(expression)} was taken`)
}

describe('fields', () => {
  test('five are minute, hour, day, month and weekday', () => {
    expect(times(parseCron('30 8 15 * *'), 2)).toEqual([
      '2026-01-15T08:30:00',
      '2026-02-15T08:30:00',
    ])
  })

  test('six begin with the second', () => {
    expect(times(parseCron('10 30 8 15 * *'), 1)).toEqual(['2026-01-15T08:30:10'])
  })

  test('seven end with the year', () => {
    expect(times(parseCron('0 0 0 1 1 * 2028,2030-2031'), 9)).toEqual([
      '2028-01-01T00:00:00',
      '2030-01-01T00:00:00',
      '2031-01-01T00:00:00',
    ])
    expect(times(parseCron('0 0 0 1 1 ? 2190/4'), 9)).toHaveLength(3)
    expect(times(parseCron('0 0 0 31 12 * 2199'), 9)).toEqual(['2199-12-31T00:00:00'])
  })

  test('are separated and surrounded by any number of spaces and tabs', () => {
    expect(times(parseCron('\t 30\t8  15 * *  '), 1)).toEqual(['2026-01-15T08:30:00'])
  })
})

describe('values, lists, ranges and steps', () => {
  test.for([
    ['5', [5]],
    ['05', [5]],
    ['5,10,15', [5, 10, 15]],
    ['15,5,5', [5, 15]],
    ['5-8', [5, 6, 7, 8]],
    ['*/20', [0, 20, 40]],
    ['*/60', [0]],
    ['5-20/5', [5, 10, 15, 20]],
    ['5-21/8', [5, 13, 21]],
    ['50/4', [50, 54, 58]],
    ['59/1', [59]],
    ['1,10-12,*/30', [0, 1, 10, 11, 12, 30]],
    ['55-5', [0, 1, 2, 3, 4, 5, 55, 56, 57, 58, 59]],
    ['50-10/5', [0, 5, 10, 50, 55]],
    ['5-1', [0, 1, ...Array.from({ length: 55 }, (_, i) => i + 5)]],
  ] as const)('minute %s', ([field, expected]) => {
    expect(minutes(field)).toEqual(expected)
  })

  test('ranges of hours, days and months extend over the end', () => {
    expect(hours('22-2')).toEqual([0, 1, 2, 22, 23])
    expect(hours('22-2/2')).toEqual([0, 2, 22])
    expect(days('29-2')).toEqual([1, 2, 29, 30, 31])
    expect(days('25-5/3')).toEqual([3, 25, 28, 31])
    expect(months('NOV-feb')).toEqual([1, 2, 11, 12])
    expect(months('10-4/3')).toEqual([1, 4, 10])
  })

  test('months and weekdays have names, in any case and in full', () => {
    expect(months('JAN,mar,Dec')).toEqual([1, 3, 12])
    expect(months('june-August')).toEqual([6, 7, 8])
    expect(months('5-SEP/2')).toEqual([5, 7, 9])
    expect(weekdays('mon,WED,Friday')).toEqual([1, 3, 5])
  })

  test('Sunday is 0 and 7 (case 103)', () => {
    for (const field of ['0', '7', 'SUN', '7-7', '0,7']) expect(weekdays(field)).toEqual([0])
    expect(weekdays('5-7')).toEqual([0, 5, 6])
    expect(weekdays('7-2')).toEqual([0, 1, 2])
    expect(weekdays('0-7')).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(weekdays('1-7/2')).toEqual([0, 1, 3, 5])
    expect(weekdays('5/1')).toEqual([5, 6])
    expect(weekdays('7/3')).toEqual([0, 3, 6])
  })

  test('ranges of weekdays extend over the end of the week (case 104)', () => {
    expect(weekdays('FRI-MON')).toEqual([0, 1, 5, 6])
    expect(weekdays('SAT-SUN')).toEqual([0, 6])
    expect(weekdays('FRI-TUE/2')).toEqual([0, 2, 5])
    expect(weekdays('6-1')).toEqual([0, 1, 6])
  })
})

describe('words', () => {
  test.for([
    ['@hourly', '0 * * * *'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@Daily', '0 0 * * *'],
  ] as const)('%s is %s', ([word, expression]) => {
    expect(times(parseCron(word), 3)).toEqual(times(parseCron(expression), 3))
  })

  test('@reboot is refused with a reason (case 104)', () => {
    expect(refusal('@reboot').message).toContain('has no single start')
  })
})

describe('fixed patterns and interval patterns', () => {
  test.for([
    '30 2 * * *',
    '0,30 2,14 * * *',
    '5 10 2 1-5 * *',
    '0 0 */2 * *',
    '@daily',
    'H H * * *',
  ])('%s is fixed', (expression) => {
    expect(parseCron(expression, { seed: 'x' }).fixed).toBe(true)
  })

  test.for([
    '* * * * *',
    '*/15 2 * * *',
    '0 1-3 * * *',
    '0 0/6 * * *',
    '5-5 2 * * *',
    '* 0 2 * * *',
  ])('%s is an interval', (expression) => {
    expect(parseCron(expression).fixed).toBe(false)
  })

  test('H is one value, but H with a step is an interval', () => {
    expect(parseCron('H(0-29) 2 * * *', { seed: 'x' }).fixed).toBe(true)
    expect(parseCron('H/15 2 * * *', { seed: 'x' }).fixed).toBe(false)
  })
})

describe('H', () => {
  const seeds = Array.from({ length: 600 }, (_, i) => `job-${i}`)

  test('is one value of the field, constant for a seed and spread over seeds (case 104)', () => {
    const chosen = seeds.map((seed) => minutes('H', { seed }))
    expect(chosen.every((values) => values.length === 1)).toBe(true)
    expect(new Set(chosen.flat()).size).toBe(60)
    expect(minutes('H', { seed: 'job-1' })).toEqual(chosen[1])
    const counts = new Map<number, number>()
    for (const value of chosen.flat()) counts.set(value, (counts.get(value) ?? 0) + 1)
    expect(Math.max(...counts.values())).toBeLessThan(30)
  })

  test('has different values in different fields', () => {
    const same = seeds.filter((seed) => {
      const [time = ''] = times(parseCron('H H * * *', { seed }), 1)
      return Number(time.slice(11, 13)) === Number(time.slice(14, 16)) % 24
    })
    expect(same.length).toBeLessThan(60)
  })

  test('with a step begins somewhere within the first step', () => {
    const starts = seeds.map((seed) => minutes('H/15', { seed }))
    expect(new Set(starts.map((values) => values[0])).size).toBe(15)
    for (const values of starts)
      expect(values.map((value) => value - (values[0] as number))).toEqual([0, 15, 30, 45])
  })

  test('with a range stays within it', () => {
    const chosen = seeds.flatMap((seed) => minutes('H(10-19)', { seed }))
    expect([...new Set(chosen)].sort()).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    for (const seed of seeds.slice(0, 50)) {
      const [first = 0, second = 0, third = 0, ...more] = minutes('H(0-29)/10', { seed })
      expect([second - first, third - second, more]).toEqual([10, 10, []])
      expect(third).toBeLessThanOrEqual(29)
    }
  })

  test('as a day is a day that every month has', () => {
    for (const seed of seeds.slice(0, 300))
      expect(times(parseCron('0 0 H * *', { seed }), 12)).toHaveLength(12)
  })

  test('twice in a list keeps its distance', () => {
    const [first = 0, second = 0] = minutes('H(0-29),H(30-59)', { seed: 'x' })
    expect(second - first).toBe(30)
  })

  test('is refused without a seed, in a year, and with invalid ranges', () => {
    expect(refusal('H * * * *', {}).message).toContain('H is derived from a seed')
    expect(refusal('0 0 0 1 1 * H').message).toContain('does not spread over years')
    expect(refusal('H(29-0) * * * *').message).toContain('Did you mean H(0-29)?')
    for (const field of ['H(', 'H()', 'H(5)', 'H5', 'H(0-60)', 'H(0-9)/15', 'HH', 'H-5', 'H(0-29'])
      expect(refusal(`${field} * * * *`)).toMatchObject({ code: 'invalid_schedule' })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DayFields, matchingDays, type SpecialDays } from './month-days.ts'
import { parseCron } from './parse-cron.ts'

/** The days on which a pattern with one time per day matches in a month of 2026 by default. */
function days(expression: string, month: string, dayRule: 'or' | 'and' = 'or'): number[] {
  const pattern = parseCron(`0 0 ${expression}`, { dayRule })
  const start = Date.parse(`${month}-01T00:00:00Z`) / 1_000
  const found: number[] = []
  for (let wall = pattern.nextWall(start); ; wall = pattern.nextWall(wall + 1)) {
    const date = new Date(wall * 1_000).toISOString()
    if (!date.startsWith(month)) return found
    found.push(Number(date.slice(8, 10)))
  }
}

describe('special days (case 104)', () => {
  test('L is the last day of the month', () => {
    expect(days('L * *', '2026-02')).toEqual([28])
    expect(days('L * *', '2028-02')).toEqual([29])
    expect(days('15,L * *', '2026-04')).toEqual([15, 30])
  })

  test('L-n is n days before it, and no day when the month is too short', () => {
    expect(days('L-3 * *', '2026-01')).toEqual([28])
    expect(days('L-1,L-2 * *', '2026-02')).toEqual([26, 27])
    expect(days('L-28,5 * *', '2026-02')).toEqual([5])
    expect(days('L-30 * *', '2026-01')).toEqual([1])
  })

  test('nW is the working day nearest to day n of the same month', () => {
    expect(days('15W * *', '2026-08')).toEqual([14]) // A Saturday.
    expect(days('15W * *', '2026-02')).toEqual([16]) // A Sunday.
    expect(days('15W * *', '2026-07')).toEqual([15]) // A Wednesday.
    expect(days('1W * *', '2026-08')).toEqual([3]) // A Saturday, and July is not its month.
    expect(days('1W * *', '2026-02')).toEqual([2]) // A Sunday.
    expect(days('31W * *', '2026-05')).toEqual([29]) // A Sunday, and June is not its month.
    expect(days('31W,7 * *', '2026-04')).toEqual([7]) // April has no such day.
  })

  test('LW is the last working day', () => {
    expect(days('LW * *', '2026-01')).toEqual([30])
    expect(days('LW * *', '2026-05')).toEqual([29])
    expect(days('lw * *', '2026-09')).toEqual([30])
  })

  test('d#n is the nth such weekday, and no day when there are fewer', () => {
    expect(days('* * 5#2', '2026-01')).toEqual([9])
    expect(days('? * FRI#5,MON#1', '2026-01')).toEqual([5, 30])
    expect(days('? * FRI#5,MON#1', '2026-02')).toEqual([2])
    expect(days('* * 7#1', '2026-03')).toEqual([1])
  })

  test('d#L, dL and a name with L are the last such weekday', () => {
    for (const weekday of ['5#L', '5L', 'FRIL', 'fri#l', 'FRIDAYL'])
      expect(days(`* * ${weekday}`, '2026-02')).toEqual([27])
    expect(days('* * 0L,7#L', '2026-02')).toEqual([22])
  })
})

describe('day of month and weekday (case 103)', () => {
  test('a day must match one of two restricted fields', () => {
    expect(days('29 2 1', '2028-02')).toEqual([7, 14, 21, 28, 29])
    expect(days('13 * 5', '2026-02')).toEqual([6, 13, 20, 27])
    expect(days('L * 1#1', '2026-02')).toEqual([2, 28])
  })

  test('with the rule `and` it must match both', () => {
    expect(days('13 * 5', '2026-02', 'and')).toEqual([13])
    expect(days('13 * 5', '2026-04', 'and')).toEqual([])
    expect(days('1-7 * MON', '2026-06', 'and')).toEqual([1])
  })

  test('a field that begins with a star is not restricted, with any step', () => {
    expect(days('*/2 * 1', '2026-02')).toEqual([9, 23])
    expect(days('13 * */2', '2026-02')).toEqual([])
    expect(days('13 * */5', '2026-02')).toEqual([13])
    expect(days('*,13 * 1', '2026-02')).toEqual([2, 9, 16, 23])
  })

  test('a step that does not begin with a star restricts', () => {
    expect(days('1/10 * 1', '2026-02')).toEqual([1, 2, 9, 11, 16, 21, 23])
    expect(days('1-31 * 1', '2026-02')).toHaveLength(28)
  })

  test('a question mark is not restricted, in either field or both', () => {
    expect(days('? * 1', '2026-02')).toEqual(days('* * 1', '2026-02'))
    expect(days('13 * ?', '2026-02')).toEqual([13])
    expect(days('? * ?', '2026-02')).toHaveLength(28)
  })
})

test('the days of any month agree with a check of each day', () => {
  const bits = (length: number) => fc.integer({ min: 0, max: 2 ** length - 1 })
  const special: fc.Arbitrary<SpecialDays> = fc.record({
    beforeLast: bits(31),
    nearestWorkday: bits(31),
    lastWorkday: fc.boolean(),
    nth: fc.array(bits(7), { minLength: 6, maxLength: 6 }),
  })
  const fields: fc.Arbitrary<DayFields> = fc.record({
    days: bits(31),
    weekdays: bits(7),
    special: fc.option(special),
    either: fc.boolean(),
  })
  const year = fc.integer({ min: 1970, max: 2199 })
  const month = fc.integer({ min: 1, max: 12 })
  fc.assert(
    fc.property(fields, year, month, (dayFields, y, m) => {
      const length = new Date(Date.UTC(y, m, 0)).getUTCDate()
      let expected = 0
      for (let day = 1; day <= length; day++)
        if (dayMatches(dayFields, y, m, day, length)) expected |= 1 << (day - 1)
      expect(matchingDays(dayFields, y, m)).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

/** The definition of each special day, applied to one day. */
function dayMatches(
  dayFields: DayFields,
  y: number,
  m: number,
  day: number,
  length: number,
): boolean {
  const bit = (word: number, at: number) => ((word >>> at) & 1) === 1
  const weekdayAt = (d: number) => new Date(Date.UTC(y, m - 1, d)).getUTCDay()
  const weekday = weekdayAt(day)
  const working = (d: number) => weekdayAt(d) >= 1 && weekdayAt(d) <= 5
  const nearest = (d: number) =>
    [d, d - 1, d + 1, d - 2, d + 2].find((near) => near >= 1 && near <= length && working(near))
  let inDays = bit(dayFields.days, day - 1)
  let inWeek = bit(dayFields.weekdays, weekday)
  if (dayFields.special !== null) {
    const { beforeLast, nearestWorkday, lastWorkday, nth } = dayFields.special
    inDays ||= bit(beforeLast, length - day)
    for (let d = 1; d <= length; d++) inDays ||= bit(nearestWorkday, d - 1) && nearest(d) === day
    inDays ||= lastWorkday && nearest(length) === day
    inWeek ||= bit(nth[Math.ceil(day / 7)] as number, weekday)
    inWeek ||= day + 7 > length && bit(nth[0] as number, weekday)
  }
  return dayFields.either ? inDays || inWeek : inDays && inWeek
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { civilFromDays, DAY_MS, daysFromCivil, daysInMonth, weekdayOf } from './civil.ts'

describe('day numbers', () => {
  test('agree with Date on date and weekday, from the year 1 to 9999', () => {
    const day = fc.integer({ min: -719_000, max: 2_932_000 })
    fc.assert(
      fc.property(day, (days) => {
        const date = new Date(days * DAY_MS)
        const civil = civilFromDays(days)
        expect(civil).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
        })
        expect(daysFromCivil(civil.year, civil.month, civil.day)).toBe(days)
        expect(weekdayOf(days)).toBe(date.getUTCDay())
      }),
      { numRuns: 2_000 },
    )
  })

  test('are correct at the ends of centuries', () => {
    expect(civilFromDays(daysFromCivil(2000, 2, 29) + 1)).toEqual({ year: 2000, month: 3, day: 1 })
    expect(civilFromDays(daysFromCivil(2100, 2, 28) + 1)).toEqual({ year: 2100, month: 3, day: 1 })
    expect(daysFromCivil(1970, 1, 1)).toBe(0)
  })

  test('give the length of a month', () => {
    for (let year = 1970; year <= 2200; year++)
      for (let month = 1; month <= 12; month++)
        expect(daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate())
  })
})

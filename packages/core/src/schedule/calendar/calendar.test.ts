import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { zoneOf } from '../zones/zone.ts'
import { type CalendarInput, calendarAllows, parseCalendar } from './calendar.ts'
import { hasDate, parseDateSet } from './date-set.ts'

function allows(input: CalendarInput, at: string, tz = 'UTC'): boolean {
  return calendarAllows(parseCalendar(input), zoneOf(tz), Date.parse(at))
}

describe('dates', () => {
  test('that are excluded are not allowed, from midnight to midnight', () => {
    const calendar = { exclude: ['2026-12-25'] }
    expect(allows(calendar, '2026-12-24T23:59:59.999Z')).toBe(true)
    expect(allows(calendar, '2026-12-25T00:00Z')).toBe(false)
    expect(allows(calendar, '2026-12-25T23:59:59.999Z')).toBe(false)
    expect(allows(calendar, '2026-12-26T00:00Z')).toBe(true)
    expect(allows(calendar, '2027-12-25T12:00Z')).toBe(true)
  })

  test('without a year recur every year', () => {
    const calendar = { exclude: ['12-25', '02-29'] }
    for (const year of [1970, 2026, 2199])
      expect(allows(calendar, `${year}-12-25T12:00Z`)).toBe(false)
    expect(allows(calendar, '2028-02-29T12:00Z')).toBe(false)
    expect(allows(calendar, '2026-02-28T12:00Z')).toBe(true)
  })

  test('in a range are excluded, including both ends', () => {
    const calendar = { exclude: ['2026-12-24/2027-01-02', '2026-12-20/2026-12-26'] }
    expect(allows(calendar, '2026-12-19T12:00Z')).toBe(true)
    for (const day of ['2026-12-20', '2026-12-24', '2026-12-31', '2027-01-02'])
      expect(allows(calendar, `${day}T12:00Z`)).toBe(false)
    expect(allows(calendar, '2027-01-03T12:00Z')).toBe(true)
  })

  test('in a yearly range are excluded, even over the end of the year and a leap day', () => {
    const calendar = { exclude: ['12-30/01-02'] }
    for (const day of ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02'])
      expect(allows(calendar, `${day}T12:00Z`)).toBe(false)
    expect(allows(calendar, '2027-01-03T12:00Z')).toBe(true)
    expect(allows({ exclude: ['03-02/03-01'] }, '2028-02-29T12:00Z')).toBe(false)
  })

  test('that are included are not excluded', () => {
    const calendar = { exclude: ['2026-12-20/2026-12-31'], include: ['2026-12-29', '12-30'] }
    expect(allows(calendar, '2026-12-28T12:00Z')).toBe(false)
    expect(allows(calendar, '2026-12-29T12:00Z')).toBe(true)
    expect(allows(calendar, '2026-12-30T12:00Z')).toBe(true)
  })

  test('of any set are found like by a scan of its entries', () => {
    const day = fc.integer({ min: 0, max: 400 })
    const text = (n: number) => new Date(n * 86_400_000).toISOString().slice(0, 10)
    const range = fc.tuple(day, day).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    fc.assert(
      fc.property(fc.array(range, { maxLength: 20 }), (ranges) => {
        const set = parseDateSet(
          'exclude',
          ranges.map(([a, b]) => (a === b ? text(a) : `${text(a)}/${text(b)}`)),
        )
        const days = Array.from({ length: 404 }, (_, i) => i - 1)
        expect(days.filter((n) => hasDate(set, n))).toEqual(
          days.filter((n) => ranges.some(([a, b]) => n >= a && n <= b)),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('windows', () => {
  const office: CalendarInput = { windows: [{ days: 'MON-FRI', from: '09:00', to: '17:30' }] }

  test('allow from their start up to but excluding their end', () => {
    expect(allows(office, '2026-03-02T08:59:59.999Z')).toBe(false)
    expect(allows(office, '2026-03-02T09:00Z')).toBe(true)
    expect(allows(office, '2026-03-02T17:29:59.999Z')).toBe(true)
    expect(allows(office, '2026-03-02T17:30Z')).toBe(false)
    expect(allows(office, '2026-03-01T12:00Z')).toBe(false)
  })

  test('allow an instant that is in one of several', () => {
    const calendar = {
      windows: [...(office.windows ?? []), { days: 'SAT', from: '10:00', to: '12:00' }],
    }
    expect(allows(calendar, '2026-03-07T11:00Z')).toBe(true)
    expect(allows(calendar, '2026-03-07T12:00Z')).toBe(false)
    expect(allows(calendar, '2026-03-02T12:00Z')).toBe(true)
  })

  test('continue past midnight into the day after their weekday', () => {
    const night = { windows: [{ days: 'FRI,SAT', from: '22:00', to: '06:00' }] }
    expect(allows(night, '2026-03-06T21:59Z')).toBe(false)
    expect(allows(night, '2026-03-06T22:00Z')).toBe(true)
    expect(allows(night, '2026-03-07T05:59Z')).toBe(true)
    expect(allows(night, '2026-03-07T06:00Z')).toBe(false)
    expect(allows(night, '2026-03-08T05:59Z')).toBe(true)
    expect(allows(night, '2026-03-08T23:00Z')).toBe(false)
  })

  test('of whole days end at 24:00, and apply to every day when no weekday is given', () => {
    expect(allows({ windows: [{ from: '00:00', to: '24:00' }] }, '2026-03-01T23:59Z')).toBe(true)
    expect(allows({ windows: [{ from: '12:00', to: '24:00' }] }, '2026-03-01T11:59Z')).toBe(false)
  })

  test('do not allow excluded dates, and include does not replace them', () => {
    const calendar = { ...office, exclude: ['2026-03-02', '2026-03-01'], include: ['2026-03-01'] }
    expect(allows(calendar, '2026-03-02T12:00Z')).toBe(false)
    expect(allows(calendar, '2026-03-01T12:00Z')).toBe(false)
    expect(allows(calendar, '2026-03-03T12:00Z')).toBe(true)
  })

  test('follow the local clock, in both passes of a fold', () => {
    const calendar = { windows: [{ from: '02:00', to: '03:00' }] }
    for (const at of ['2026-10-25T00:30Z', '2026-10-25T01:30Z'])
      expect(allows(calendar, at, 'Europe/Berlin')).toBe(true)
    expect(allows(calendar, '2026-10-25T02:00Z', 'Europe/Berlin')).toBe(false)
  })
})

describe('the zone', () => {
  test('is that of the schedule unless the calendar has its own', () => {
    const exclude = ['2026-12-25']
    expect(allows({ exclude }, '2026-12-25T20:00Z', 'Asia/Tokyo')).toBe(true)
    expect(allows({ exclude, timezone: 'UTC' }, '2026-12-25T20:00Z', 'Asia/Tokyo')).toBe(false)
  })
})

describe('a calendar is refused with the path of the entry', () => {
  test.for([
    [null, 'calendar'],
    [[], 'calendar'],
    ['x', 'calendar'],
    [{ excludes: [] }, 'calendar'],
    [{ exclude: '2026-12-25' }, 'exclude'],
    [{ exclude: ['2026-12-25', '2026-02-30'] }, 'exclude[1]'],
    [{ exclude: ['02-30'] }, 'exclude[0]'],
    [{ exclude: ['25.12.2026'] }, 'exclude[0]'],
    [{ exclude: ['2026-12-25/'] }, 'exclude[0]'],
    [{ exclude: ['2026-12-25/2026-12-24'] }, 'exclude[0]'],
    [{ exclude: ['2026-12-25/12-26'] }, 'exclude[0]'],
    [{ exclude: ['12-25/2026-12-26'] }, 'exclude[0]'],
    [{ exclude: ['2026-01-01/2026-01-02/2026-01-03'] }, 'exclude[0]'],
    [{ exclude: [5] }, 'exclude[0]'],
    [{ exclude: new Array(2) }, 'exclude[0]'],
    [{ exclude: [''] }, 'exclude[0]'],
    [{ include: ['2026-12-25'] }, 'include'],
    [{ windows: [] }, 'windows'],
    [{ windows: {} }, 'windows'],
    [{ windows: [null] }, 'windows[0]'],
    [{ windows: [{ from: '09:00', to: '10:00', day: 'MON' }] }, 'windows[0]'],
    [{ windows: [{ from: '9:00', to: '10:00' }] }, 'windows[0].from'],
    [{ windows: [{ from: '24:00', to: '10:00' }] }, 'windows[0].from'],
    [{ windows: [{ to: '10:00' }] }, 'windows[0].from'],
    [{ windows: [{ from: '09:00', to: '24:01' }] }, 'windows[0].to'],
    [{ windows: [{ from: '09:00', to: '10:60' }] }, 'windows[0].to'],
    [{ windows: [{ from: '09:00', to: '09:00' }] }, 'windows[0].to'],
    [{ windows: [{ days: 'MOM', from: '09:00', to: '10:00' }] }, 'windows[0].days'],
    [{ windows: [{ days: '5L', from: '09:00', to: '10:00' }] }, 'windows[0].days'],
    [{ windows: [{ days: 'H', from: '09:00', to: '10:00' }] }, 'windows[0].days'],
    [{ windows: [{ days: 5, from: '09:00', to: '10:00' }] }, 'windows[0].days'],
    [{ exclude: new Array(1_001).fill('12-25') }, 'calendar'],
  ] as const)('case %#: %j at %s', ([input, field]) => {
    expect(() => parseCalendar(input)).toThrow(
      expect.objectContaining({ code: 'invalid_calendar', field }),
    )
  })

  test('and an invalid zone with its own code', () => {
    expect(() => parseCalendar({ timezone: 'Mars/Base' })).toThrow(
      expect.objectContaining({ code: 'invalid_timezone' }),
    )
  })
})

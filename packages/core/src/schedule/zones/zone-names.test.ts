import { describe, expect, test } from 'vitest'
import { PunctualError } from '../../errors/errors.ts'
import { zoneOf } from './zone.ts'
import { checkZoneName } from './zone-names.ts'

function refusal(name: unknown): PunctualError {
  try {
    checkZoneName(name)
  } catch (error) {
    if (error instanceof PunctualError) return error
    throw error
  }
  throw new Error(`${String(name)} was taken`)
}

describe('a name of a zone', () => {
  test('is accepted for every zone that the runtime lists', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(checkZoneName(name)).toBe(name)
  })

  test.for([
    ['europe/berlin', 'Europe/Berlin'],
    ['AMERICA/NEW_YORK', 'America/New_York'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['antarctica/mcmurdo', 'Antarctica/McMurdo'],
    ['utc', 'UTC'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['us/eastern', 'US/Eastern'],
    ['est5edt', 'EST5EDT'],
    ['gb-eire', 'GB-Eire'],
  ])('%s is written %s (case 101)', ([written, canonical]) => {
    expect(checkZoneName(written)).toBe(canonical)
  })

  test('stays unchanged when the database has renamed the zone (case 101)', () => {
    expect(zoneOf('Asia/Kolkata').name).toBe('Asia/Kolkata')
    expect(zoneOf('Asia/Calcutta').name).toBe('Asia/Calcutta')
    expect(zoneOf('Asia/Kolkata').offsetAt(0)).toBe(zoneOf('Asia/Calcutta').offsetAt(0))
  })

  test('has the sign of POSIX when it is Etc/GMT+5: five hours behind (case 101)', () => {
    expect(zoneOf('Etc/GMT+5').offsetAt(0)).toBe(-5 * 3_600_000)
    expect(zoneOf('Etc/GMT-14').offsetAt(0)).toBe(14 * 3_600_000)
  })

  test.for([
    ['Europe/Belrin', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['America/New York', 'America/New_York'],
    ['Asia/Kolkatta', 'Asia/Kolkata'],
    ['Europe/Singapore', 'Asia/Singapore'],
    ['PST', 'America/Los_Angeles'],
    ['BST', 'Europe/London'],
    ['Z', 'UTC'],
    ['UTX', 'UTC'],
  ])('%s is refused, and %s suggested', ([written, meant]) => {
    const error = refusal(written)
    expect(error).toMatchObject({ code: 'invalid_timezone', field: 'timezone' })
    expect(error.message).toContain(`Did you mean ${meant}?`)
  })

  test.for(['+02:00', 'UTC+2', 'GMT+2', '-0530', '+5', '2', 'utc-7'])(
    'an offset such as %s is refused with an alternative (case 101)',
    (offset) => {
      expect(refusal(offset).message).toMatch(/Offsets are not accepted.+Etc\/GMT-2/)
    },
  )

  test.for([
    '',
    ' ',
    'Europe/Berlin ',
    'Nowhere/Land',
    '../../etc/passwd',
    '/usr/share/zoneinfo/UTC',
    'Europe/../Europe/Berlin',
    'SystemV/PST8',
    'ACT',
    'MIT',
    'constructor',
    '__proto__',
    'Europe/Berlin\0',
    'Europe／Berlin',
    'x'.repeat(10_000),
    null,
    undefined,
    5,
    {},
    Symbol('UTC'),
  ])('case %#: an invalid name is refused without side effects (case 101)', (name) => {
    expect(refusal(name).code).toBe('invalid_timezone')
    expect(() => zoneOf(name as string)).toThrow(
      expect.objectContaining({ code: 'invalid_timezone' }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PunctualError } from '../errors/errors.ts'
import { parsePeriod } from './parse-period.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

describe('a period', () => {
  test.for([
    ['5s', { elapsedMs: 5 * SECOND }],
    ['15m', { elapsedMs: 15 * MINUTE }],
    ['1h30m', { elapsedMs: 90 * MINUTE }],
    ['1H30M', { elapsedMs: 90 * MINUTE }],
    ['1500ms', { elapsedMs: 1_500 }],
    ['1s500ms', { elapsedMs: 1_500 }],
    ['1.5h', { elapsedMs: 90 * MINUTE }],
    ['1.1h', { elapsedMs: 66 * MINUTE }],
    ['24h', { elapsedMs: 24 * HOUR }],
    ['2d', { days: 2 }],
    ['1w', { days: 7 }],
    ['1w2d', { days: 9 }],
    ['1d12h', { days: 1, elapsedMs: 12 * HOUR }],
    ['PT1H30M', { elapsedMs: 90 * MINUTE }],
    ['PT1.5S', { elapsedMs: 1_500 }],
    ['P1D', { days: 1 }],
    ['P2W', { days: 14 }],
    ['P1M', { months: 1 }],
    ['P1Y', { months: 12 }],
    ['P100Y', { months: 1_200 }],
    ['P1Y2M3DT4H5M6S', { months: 14, days: 3, elapsedMs: 4 * HOUR + 5 * MINUTE + 6 * SECOND }],
    ['pt1m', { elapsedMs: MINUTE }],
    [60_000, { elapsedMs: MINUTE }],
  ] as const)('%s', ([input, expected]) => {
    expect(parsePeriod(input)).toEqual({ months: 0, days: 0, elapsedMs: 0, ...expected })
  })

  test.for([
    ['0s', 0],
    ['999ms', 0],
    ['P0D', 0],
    ['5', 0],
    ['1h1d', 2],
    ['1h1h', 2],
    ['1.5d', 0],
    ['P1.5M', 1],
    ['1x', 0],
    ['1h x', 2],
    ['h', 0],
    ['.5h', 0],
    ['1.h', 0],
    ['1..5h', 0],
    ['1.0001s', 0],
    ['-5s', 0],
    ['P', 1],
    ['PT', 2],
    ['P1DT', 4],
    ['P1H', 1],
    ['PT1D', 2],
    ['P1M1Y', 3],
    ['PT1HT1M', 4],
    ['200000w', 0],
    ['P101Y', 0],
    ['1000000000000000s', 0],
    ['1constructor', 0],
    ['5６s', 0],
    ['٥s', 0],
  ] as const)('%s is refused at %i', ([input, position]) => {
    expect(() => parsePeriod(input)).toThrow(
      expect.objectContaining({ code: 'invalid_schedule', position }),
    )
  })

  test.for([999, -1, 1_000.5, Number.NaN, Number.POSITIVE_INFINITY, 1e20])(
    '%d milliseconds are refused',
    (input) => {
      expect(() => parsePeriod(input)).toThrow(
        expect.objectContaining({ code: 'invalid_schedule' }),
      )
    },
  )

  test('of any text is parsed or refused with a PunctualError', () => {
    const word = fc.constantFrom(...'PTYMWDHSpw.0123459 -'.split(''), 'ms', '12')
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (input) => {
        try {
          const { months, days, elapsedMs } = parsePeriod(input)
          expect(months * 2_419_200_000 + days * 86_400_000 + elapsedMs).toBeGreaterThanOrEqual(
            1_000,
          )
        } catch (error) {
          expect(error).toBeInstanceOf(PunctualError)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

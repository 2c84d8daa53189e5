import { describe, expect, test } from 'vitest'
import { parseDuration, parseInstant, shortDuration, showAge, showDuration } from './durations.ts'

describe('durations', () => {
  test.for([
    ['250', 250],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ] as const)('parses %s as %i ms', ([text, ms]) => {
    expect(parseDuration('--delay', text)).toBe(ms)
  })

  test.for(['0', '500ms', '90s', '5m', '2h', '1d'])(
    'are written as a flag takes them: %s',
    (text) => {
      expect(shortDuration(parseDuration('--delay', text))).toBe(text)
    },
  )

  test.for(['', 'soon', '-5s', '5 weeks', '1e3'])('refuses %j and names the flag', (text) => {
    expect(() => parseDuration('--delay', text)).toThrow(/--delay must be a duration/)
  })

  test.for([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [3_210, '3.2 s'],
    [250_000, '4 m 10 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ] as const)('shows %i ms as %s', ([ms, text]) => {
    expect(showDuration(ms)).toBe(text)
  })
})

describe('instants', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')

  test('parses ISO 8601 strings, and durations from now after a +', () => {
    expect(parseInstant('--at', '2030-01-31T12:00:00Z', now).toISOString()).toBe(
      '2030-01-31T12:00:00.000Z',
    )
    expect(parseInstant('--at', '+5m', now).getTime()).toBe(now + 300_000)
  })

  test.for(['5', 'tomorrow', '2030-13-01', '+later'])('refuses %j', (text) => {
    expect(() => parseInstant('--at', text, now)).toThrow(/--at must be/)
  })

  test('shows an instant relative to now', () => {
    expect(showAge(new Date(now), now)).toBe('now')
    expect(showAge(new Date(now - 12_300), now)).toBe('12 s ago')
    expect(showAge(new Date(now + 310_000), now)).toBe('in 5 m')
  })
})

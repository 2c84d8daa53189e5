import { describe, expect, test } from 'vitest'
import { parseDuration, parseMoment, showAge, showDuration } from './durations.ts'

describe('lengths of time', () => {
  test.for([
    ['250', 250],
    ['500ms', 500],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ] as const)('%s is read as %i ms', ([text, ms]) => {
    expect(parseDuration('--delay', text)).toBe(ms)
  })

  test.for(['', 'soon', '-5s', '5 weeks', '1e3'])(
    '%j is refused, and the flag is named',
    (text) => {
      expect(() => parseDuration('--delay', text)).toThrow(/--delay must be a length of time/)
    },
  )

  test.for([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [3_210, '3.2 s'],
    [250_000, '4 m 10 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [90_061_000, '1 d 1 h'],
  ] as const)('%i ms are shown as %s', ([ms, text]) => {
    expect(showDuration(ms)).toBe(text)
  })
})

describe('moments', () => {
  const now = Date.parse('2030-01-01T00:00:00Z')

  test('are ISO texts, or begin with + and count from now', () => {
    expect(parseMoment('--at', '2030-01-31T12:00:00Z', now).toISOString()).toBe(
      '2030-01-31T12:00:00.000Z',
    )
    expect(parseMoment('--at', '+5m', now).getTime()).toBe(now + 300_000)
  })

  test.for(['5', 'tomorrow', '2030-13-01', '+later'])('%j is refused', (text) => {
    expect(() => parseMoment('--at', text, now)).toThrow(/--at must be/)
  })

  test('are shown as people see them from now', () => {
    expect(showAge(new Date(now), now)).toBe('now')
    expect(showAge(new Date(now - 12_300), now)).toBe('12 s ago')
    expect(showAge(new Date(now + 310_000), now)).toBe('in 5 m')
  })
})

import { describe, expect, test } from 'vitest'
import { nextFires } from './next-fires.ts'

const from = new Date('2025-12-31T00:00:00Z')

function fires(expression: string, tz = 'UTC', count = 10): string[] {
  return nextFires(expression, { from, tz, count }).map((at) => at.toISOString().slice(0, 16))
}

describe('a repeating interval', () => {
  test('fires at the start of each interval, up to its count', () => {
    expect(fires('R3/2026-01-01T00:00:00Z/PT1H')).toEqual([
      '2026-01-01T00:00',
      '2026-01-01T01:00',
      '2026-01-01T02:00',
    ])
    expect(fires('r1/2026-01-01T00:00:00Z/pt1h')).toHaveLength(1)
  })

  test('repeats without end when it has no number', () => {
    expect(fires('R/2026-01-01T00:00:00Z/P1D', 'UTC', 500)).toHaveLength(500)
  })

  test('takes a start with an offset, or in the local time of the schedule', () => {
    expect(fires('R1/2026-01-01T09:00:00+02:00/P1D')).toEqual(['2026-01-01T07:00'])
    expect(fires('R1/2026-01-01T09:00:00-0530/P1D')).toEqual(['2026-01-01T14:30'])
    expect(fires('R1/2026-01-01T09:00/P1D', 'America/New_York')).toEqual(['2026-01-01T14:00'])
    expect(fires('R1/2026-01-01/P1D', 'Europe/Berlin')).toEqual(['2025-12-31T23:00'])
    expect(fires('TZ=Europe/Berlin R1/2026-07-01/P1D')).toEqual(['2026-06-30T22:00'])
  })

  test('keeps the local time of its start when its period is calendar time', () => {
    const expression = 'R4/2026-03-27T02:30/P1D'
    expect(fires(expression, 'Europe/Berlin')).toEqual([
      '2026-03-27T01:30',
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
  })

  test('takes the first interval by its start and its end', () => {
    expect(fires('R3/2026-01-01T00:00:00Z/2026-01-01T00:45:00Z')).toEqual([
      '2026-01-01T00:00',
      '2026-01-01T00:45',
      '2026-01-01T01:30',
    ])
  })

  test('takes the end of the last interval and counts back', () => {
    expect(fires('R3/PT1H/2026-01-02T00:00:00Z')).toEqual([
      '2026-01-01T21:00',
      '2026-01-01T22:00',
      '2026-01-01T23:00',
    ])
    expect(fires('R2/P1M/2026-03-31T00:00:00Z')).toEqual(['2026-01-31T00:00', '2026-02-28T00:00'])
  })

  test('starts at the first instant after a gap when its start is in the gap', () => {
    const options = { from, tz: 'Europe/Berlin', gap: 'skip' } as const
    expect(nextFires('R1/2026-03-29T02:30/P1D', options)).toEqual([new Date('2026-03-29T01:00Z')])
  })

  test.for([
    ['R0/2026-01-01T00:00:00Z/PT1H', 1],
    ['R-1/2026-01-01T00:00:00Z/PT1H', 1],
    ['R9999999999/2026-01-01T00:00:00Z/PT1H', 1],
    ['Rx/2026-01-01T00:00:00Z/PT1H', 1],
    ['R5/2026-01-01T00:00:00Z', 23],
    ['R5/2026-01-01T00:00:00Z/PT1H/PT1H', 33],
    ['R5/2026-02-30/PT1H', 3],
    ['R5/2026-01-01T25:00/PT1H', 3],
    ['R5/2026-01-01T00:00:00+99:00/PT1H', 3],
    ['R5/1969-12-31/PT1H', 3],
    ['R5/2200-01-01/PT1H', 3],
    ['R5//PT1H', 3],
    ['R5/2026-01-01/', 14],
    ['R5/2026-01-01/0s', 14],
    ['R5/2026-01-01/PT0S', 14],
    ['R5/PT1H/PT1H', 8],
    ['R/PT1H/2026-01-01T00:00:00Z', 7],
    ['R5/2026-01-01/2026-01-02', 14],
    ['R5/2026-01-02T00:00Z/2026-01-01T00:00Z', 21],
  ] as const)('%s is refused at %i', ([expression, position]) => {
    expect(() => fires(expression)).toThrow(
      expect.objectContaining({ code: 'invalid_schedule', position }),
    )
  })

  test('is refused when it would have to start before 1970', () => {
    for (const expression of ['R999999999/P1Y/2026-01-01', 'R999999999/PT1H/2026-01-01T00:00Z'])
      expect(() => fires(expression)).toThrow('must start in 1970 or later')
  })

  test('never fires when it is over', () => {
    expect(() => fires('R5/2020-01-01/PT1H')).toThrow(
      expect.objectContaining({ code: 'never_fires' }),
    )
  })
})

import { describe, expect, test } from 'vitest'
import { PunctualError } from '../errors/errors.ts'
import { type FiresOptions, nextFires } from './next-fires.ts'

const from = new Date('2026-03-28T12:00:00Z')

describe('the next fires', () => {
  test('are five by default', () => {
    expect(nextFires('0 9 * * *', { from })).toHaveLength(5)
    expect(nextFires('0 9 * * *', { from, count: 10_000 })).toHaveLength(10_000)
  })

  test('are strictly later than the start', () => {
    const at = new Date('2026-03-29T09:00:00Z')
    expect(nextFires('0 9 * * *', { from: at, count: 1 })).toEqual([new Date('2026-03-30T09:00Z')])
  })

  test('of a duration count from the start unless there is an anchor', () => {
    expect(nextFires('1h', { from, count: 2 })).toEqual([
      new Date('2026-03-28T13:00Z'),
      new Date('2026-03-28T14:00Z'),
    ])
    expect(nextFires('1h', { from, count: 1, anchor: undefined })).toHaveLength(1)
    const anchor = new Date('2026-03-01T00:30:00Z')
    expect(nextFires('1h', { from, count: 1, anchor })).toEqual([new Date('2026-03-28T12:30Z')])
  })

  test('are fewer when the schedule ends', () => {
    expect(nextFires('R3/2026-03-28T11:00:00Z/PT1H', { from })).toHaveLength(1)
    expect(nextFires('0 0 0 1 1 * 2027,2028', { from })).toHaveLength(2)
  })

  test('of a schedule that is over, or whose policy drops all of them, are an error (case 102)', () => {
    for (const [expression, more] of [
      ['0 0 0 1 1 * 2020', {}],
      ['0 0 31 2 *', {}],
      ['0 30 2 29 3 * 2026', { tz: 'Europe/Berlin', gap: 'skip' }],
    ] as const)
      expect(() => nextFires(expression, { from, ...more })).toThrow(
        expect.objectContaining({ code: 'never_fires', field: 'expression' }),
      )
  })

  test.for([
    ['options', null],
    ['options', 'x'],
    ['from', {}],
    ['from', { from: 'now' }],
    ['from', { from: new Date('x') }],
    ['from', { from: -1 }],
    ['count', { from, count: 0 }],
    ['count', { from, count: 10_001 }],
    ['count', { from, count: 1.5 }],
    ['count', { from, count: '5' }],
    ['timezone', { from, timezone: 'UTC' }],
    ['gap', { from, gap: 'x' }],
    ['anchor', { from, anchor: 'x' }],
  ] as const)('refuse an invalid option: %s of case %#', ([field, options]) => {
    expect(() => nextFires('* * * * *', options as unknown as FiresOptions)).toThrow(
      expect.objectContaining({ name: 'PunctualError', field }),
    )
  })

  test('refuse a zone with its own code', () => {
    try {
      nextFires('* * * * *', { from, tz: 'Europe/Berlni' })
    } catch (error) {
      expect(error).toBeInstanceOf(PunctualError)
      expect(error).toMatchObject({ code: 'invalid_timezone', field: 'timezone' })
    }
    expect.assertions(2)
  })
})

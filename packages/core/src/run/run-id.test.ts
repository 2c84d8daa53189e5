import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Random } from '../clock/clock.ts'
import { isRunId, RunIdSource, runIdFloor, runIdTimeFor, runIdTimeMs } from './run-id.ts'

const DAY_MS = 86_400_000
/** The last millisecond that 48 bits hold: the year 10889. */
const TIME_MAX = 2 ** 48 - 1

function randomOf(byte: (index: number) => number): Random {
  let index = 0
  return {
    fraction: () => 0,
    token: () => '1',
    fill: (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = byte(index++)
    },
  }
}

const zeros = randomOf(() => 0)
const ones = randomOf(() => 0xff)
const timeMs = fc.integer({ min: 0, max: TIME_MAX })

describe('a run id', () => {
  test('is a UUID of version 7 and the RFC variant for any random bytes and time', () => {
    const layout = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    fc.assert(
      fc.property(timeMs, fc.array(fc.nat(255), { minLength: 7, maxLength: 21 }), (ms, noise) => {
        const source = new RunIdSource(randomOf((i) => noise[i % noise.length] as number))
        for (let i = 0; i < 300; i++) expect(source.next(ms)).toMatch(layout)
      }),
      { numRuns: 20 },
    )
  })

  test('has the documented bit layout', () => {
    expect(new RunIdSource(zeros).next(0x0123_4567_89ab)).toBe(
      '01234567-89ab-7000-8000-000000000000',
    )
    expect(new RunIdSource(ones).next(0)).toBe('00000000-0000-7000-803f-ffffffffffff')
    const source = new RunIdSource(zeros)
    for (let i = 0; i < 0x1_23; i++) source.next(1)
    expect(source.next(1)).toBe('00000000-0001-7001-88c0-000000000000')
  })

  test('encodes its millisecond, which can be decoded', () => {
    const source = new RunIdSource(ones)
    fc.assert(fc.property(timeMs, (ms) => runIdTimeMs(source.next(ms)) === ms))
    for (const ms of [0, 1, 2 ** 32 - 1, 2 ** 32, 253_402_300_799_999, TIME_MAX])
      expect(runIdTimeMs(source.next(ms))).toBe(ms)
  })

  test('drops the fraction of a millisecond', () => {
    expect(runIdTimeMs(new RunIdSource(zeros).next(1_700_000_000_000.999))).toBe(1_700_000_000_000)
  })

  test('is larger than the one before it, 2^20 times within one millisecond', () => {
    // The random bytes decrease: if they preceded the counter, the order would be reversed.
    const source = new RunIdSource(randomOf((i) => 255 - (i % 256)))
    let last = ''
    let ordered = true
    for (let i = 0; i < 2 ** 20; i++) {
      const id = source.next(5)
      ordered &&= id > last
      last = id
    }
    expect(ordered).toBe(true)
    expect(last.slice(0, 20)).toBe('00000000-0005-7fff-b')
  })

  test('has different random bytes after the counter of a millisecond has wrapped', () => {
    let seed = 1
    const source = new RunIdSource(
      randomOf(() => {
        seed = (seed * 48_271) % 2_147_483_647
        return seed & 0xff
      }),
    )
    const first = source.next(5)
    for (let i = 1; i < 2 ** 20; i++) source.next(5)
    const again = source.next(5)
    expect(again.slice(0, 20)).toBe(first.slice(0, 20))
    expect(again).not.toBe(first)
  })

  test('follows earlier ids of the source for the same millisecond, with others in between', () => {
    const source = new RunIdSource(randomOf((i) => 255 - (i % 256)))
    const ids = [7, 7, 9, 7, 7, 9, 9, 7].map((ms) => source.next(ms))
    for (const ms of [7, 9]) {
      const made = ids.filter((id) => runIdTimeMs(id) === ms)
      expect(made).toEqual(made.toSorted())
    }
  })

  test('is ordered by time first, even when the clock goes back in between', () => {
    fc.assert(
      fc.property(fc.array(timeMs, { minLength: 2, maxLength: 20 }), (times) => {
        const source = new RunIdSource(ones)
        const ids = times.map((ms) => ({ ms, id: source.next(ms) }))
        for (const a of ids) for (const b of ids) if (a.ms < b.ms) expect(a.id < b.id).toBe(true)
      }),
    )
  })

  test('uses each random byte once', () => {
    const source = new RunIdSource(randomOf((i) => (i + (i >> 12)) & 0xff))
    const tails = Array.from({ length: 2_000 }, (_, i) => source.next(i).slice(24))
    // 4,096 bytes are drawn at the same time and give 585 ids; bytes of the second draw are one
    // higher here.
    expect(tails.slice(0, 3)).toEqual(['010203040506', '08090a0b0c0d', '0f1011121314'])
    expect(tails[584]).toBe('f9fafbfcfdfe')
    expect(tails[585]).toBe('020304050607')
  })
})

describe('the floor of a millisecond', () => {
  test('is at most every id of it, and above every id of the previous millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: TIME_MAX }), (ms) => {
        const least = new RunIdSource(zeros).next(ms)
        const most = new RunIdSource(ones)
        for (let i = 0; i < 100; i++) most.next(ms - 1)
        expect(runIdFloor(ms) <= least).toBe(true)
        expect(runIdFloor(ms) > most.next(ms - 1)).toBe(true)
      }),
    )
  })

  test('is an id that encodes the millisecond', () => {
    fc.assert(
      fc.property(timeMs, (ms) => {
        expect(isRunId(runIdFloor(ms))).toBe(true)
        expect(runIdTimeMs(runIdFloor(ms))).toBe(ms)
      }),
    )
  })
})

describe('the time that an id encodes', () => {
  const now = 1_800_000_000_000
  test.for([
    ['now, without a due time', null, now],
    ['now, when it was due just before', now - 1, now],
    ['now, when it was due long before', 0, now],
    ['now, when it is due now', now, now],
    ['its due time, when that is in the future', now + 1, now + 1],
    [
      'its due time, up to a day before the last partition ends',
      now + 13 * DAY_MS,
      now + 13 * DAY_MS,
    ],
    ['now, when it is due a millisecond later than that', now + 13 * DAY_MS + 1, now],
    ['now, when it is due in the year 9999', 253_402_300_799_999, now],
  ] as [string, number | null, number][])('is %s', ([, dueMs, expected]) => {
    expect(runIdTimeFor(dueMs, now, 14)).toBe(expected)
  })

  test('is never before now, and always on a day that has a partition', () => {
    fc.assert(
      fc.property(fc.option(timeMs), timeMs, fc.integer({ min: 1, max: 60 }), (due, at, ahead) => {
        const ms = runIdTimeFor(due, at, ahead)
        expect(ms).toBeGreaterThanOrEqual(at)
        expect(Math.floor(ms / DAY_MS)).toBeLessThanOrEqual(Math.floor(at / DAY_MS) + ahead)
      }),
    )
  })
})

test.for([
  ['01234567-89ab-7000-8000-000000000000', true],
  ['01234567-89AB-7000-8000-00000000000F', true],
  ['', false],
  ['01234567-89ab-7000-8000-00000000000', false],
  ['01234567-89ab-7000-8000-0000000000000', false],
  ['01234567-89ab-7000-8000-000000000000\n', false],
  [' 01234567-89ab-7000-8000-000000000000', false],
  ['0123456789ab70008000000000000000', false],
  ['g1234567-89ab-7000-8000-000000000000', false],
  ["01234567-89ab-7000-8000-00000000000'; drop table runs", false],
] as const)('%j is a run id: %s', ([text, expected]) => {
  expect(isRunId(text)).toBe(expected)
})

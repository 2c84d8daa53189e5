import { beforeAll, describe, expect, test } from 'vitest'
import {
  clockReader,
  firesOf,
  jumpsOf,
  type KnownPattern,
  localTimesOf,
  record,
  recordAround,
  type Tape,
} from '../../../test/brute-force-clock.ts'
import { defaultDstPolicy, foldPolicies, gapPolicies } from '../zones/dst-policy.ts'
import { zoneOf } from '../zones/zone.ts'
import { nextAfter } from './next-after.ts'
import { parseCron } from './parse-cron.ts'

const HOUR_MS = 3_600_000
const FROM_MS = Date.UTC(2026, 0, 1)
const TO_MS = Date.UTC(2036, 0, 1)

const hour = (wall: Date) => wall.getUTCHours()
const minute = (wall: Date) => wall.getUTCMinutes()

const patterns: KnownPattern[] = [
  { expression: '30 2 * * *', fixed: true, matches: (w) => hour(w) === 2 && minute(w) === 30 },
  { expression: '0 0 * * *', fixed: true, matches: (w) => hour(w) === 0 && minute(w) === 0 },
  {
    expression: '0,10,45 0,1,2,3,23 * * *',
    fixed: true,
    matches: (w) => [0, 10, 45].includes(minute(w)) && [0, 1, 2, 3, 23].includes(hour(w)),
  },
  {
    expression: '15 1,2 * * 0',
    fixed: true,
    matches: (w) => minute(w) === 15 && [1, 2].includes(hour(w)) && w.getUTCDay() === 0,
  },
  { expression: '* * * * *', fixed: false, matches: () => true },
  { expression: '*/15 * * * *', fixed: false, matches: (w) => minute(w) % 15 === 0 },
  { expression: '20 * * * *', fixed: false, matches: (w) => minute(w) === 20 },
  {
    expression: '0 */2 * * *',
    fixed: false,
    matches: (w) => minute(w) === 0 && hour(w) % 2 === 0,
  },
  {
    expression: '30 1-3 * * *',
    fixed: false,
    matches: (w) => minute(w) === 30 && hour(w) >= 1 && hour(w) <= 3,
  },
  {
    expression: '*/7 22-2 * * *',
    fixed: false,
    matches: (w) => minute(w) % 7 === 0 && (hour(w) >= 22 || hour(w) <= 2),
  },
]

/** Every policy for a fixed pattern; an interval pattern must ignore it. */
const policies = gapPolicies.flatMap((gap) => foldPolicies.map((fold) => ({ gap, fold })))

/** Describes the differences; empty when the engine agrees with the tape. */
function disagreements(zone: string, tape: Tape, marginMs: number): string[] {
  const lowMs = tape.fromMs + marginMs
  const highMs = tape.fromMs + (tape.walls.length - 1) * tape.stepMs - marginMs
  const times = localTimesOf(tape)
  const found: string[] = []
  for (const known of patterns) {
    const matches = times.filter(({ wall }) => known.matches(wall))
    const pattern = parseCron(known.expression)
    for (const dst of known.fixed ? policies : policies.slice(0, 1)) {
      const expected = firesOf(matches, known.fixed, dst.gap, dst.fold)
      const inside = expected.filter((ms) => ms > lowMs && ms <= highMs)
      const actual: number[] = []
      let ms = nextAfter(pattern, zoneOf(zone), dst, lowMs, highMs)
      for (; ms !== null; ms = nextAfter(pattern, zoneOf(zone), dst, ms, highMs)) actual.push(ms)
      if (inside.length !== actual.length || inside.some((it, i) => it !== actual[i])) {
        const text = (all: number[]) => all.map((ms) => new Date(ms).toISOString()).join(' ')
        const policy = `${dst.gap} ${dst.fold}`
        found.push(`${zone} ${known.expression} ${policy}: ${text(inside)} is not ${text(actual)}`)
      }
    }
  }
  return found
}

const zones = Intl.supportedValuesOf('timeZone')
/** The clock changes in ten years of every zone that has any. */
const jumps = new Map<string, number[]>()

beforeAll(() => {
  for (const zone of zones) {
    const found = jumpsOf(clockReader(zone), FROM_MS, TO_MS)
    if (found.length > 0) jumps.set(zone, found)
  }
})

describe('the engine agrees with a minute by minute reading of the clocks', () => {
  test('in every zone that changes its clocks, at its next two changes', () => {
    expect(jumps.size).toBeGreaterThan(100)
    const wrong = [...jumps].flatMap(([zone, at]) => {
      const read = clockReader(zone)
      return at
        .slice(0, 2)
        .flatMap((ms) => disagreements(zone, recordAround(read, ms), 2 * HOUR_MS))
    })
    expect(wrong).toEqual([])
  })

  test('at every change of ten years, for each distinct rule', () => {
    const distinct = new Map([...jumps].map(([zone, at]) => [at.join(), zone]))
    expect(distinct.size).toBeGreaterThan(15)
    const wrong = [...distinct.values()].flatMap((zone) => {
      const read = clockReader(zone)
      const later = jumps.get(zone)?.slice(2) ?? []
      return later.flatMap((ms) => disagreements(zone, recordAround(read, ms, 14), 2 * HOUR_MS))
    })
    expect(wrong).toEqual([])
  })

  test('in every zone without clock changes, for a day', () => {
    const wrong = zones
      .filter((zone) => !jumps.has(zone))
      .flatMap((zone) => disagreements(zone, recordAround(clockReader(zone), FROM_MS, 13), 0))
    expect(wrong).toEqual([])
  })

  test.for([
    ['Pacific/Apia', '2011-12-30T10:00:00Z', 'a whole day is missing'],
    ['Pacific/Kwajalein', '1993-08-21T12:00:00Z', 'a whole day is missing'],
    ['Pacific/Kiritimati', '1994-12-31T10:00:00Z', 'a whole day is missing'],
    ['Antarctica/Vostok', '1994-01-31T17:00:00Z', 'seven hours are repeated'],
    ['Antarctica/Vostok', '1994-11-01T00:00:00Z', 'seven hours are missing'],
    ['America/Sao_Paulo', '2018-11-04T03:00:00Z', 'midnight is missing'],
    ['Asia/Pyongyang', '2018-05-04T15:00:00Z', 'half an hour before midnight is missing'],
    ['America/Caracas', '2007-12-09T07:00:00Z', 'half an hour is repeated'],
    ['Asia/Kathmandu', '1985-12-31T18:30:00Z', 'a quarter of an hour is missing'],
    ['Europe/Lisbon', '1992-09-27T01:00:00Z', 'clocks stay although the offset has two parts'],
    ['Africa/Casablanca', '2026-02-15T02:00:00Z', 'clocks go back for Ramadan'],
  ] as const)('in %s at %s, where %s', ([zone, at]) => {
    const tape = recordAround(clockReader(zone), Date.parse(at), 60)
    expect(disagreements(zone, tape, 25 * HOUR_MS)).toEqual([])
  })

  test('to the second, where the offset has seconds and loses them (Africa/Monrovia 1972)', () => {
    const read = clockReader('Africa/Monrovia')
    const tape = record(read, Date.UTC(1972, 0, 6, 20), Date.UTC(1972, 0, 7, 6), 1_000)
    const matches = localTimesOf(tape).filter(({ wall }) => wall.getUTCSeconds() % 7 === 0)
    const expected = firesOf(matches, false, 'skip', 'both')
    const pattern = parseCron('*/7 * * * * *')
    const actual: number[] = []
    for (let ms: number | null = tape.fromMs - 1; ms !== null; ) {
      ms = nextAfter(pattern, zoneOf('Africa/Monrovia'), defaultDstPolicy, ms, expected.at(-1))
      if (ms !== null) actual.push(ms)
    }
    expect(actual).toEqual(expected)
  })
})

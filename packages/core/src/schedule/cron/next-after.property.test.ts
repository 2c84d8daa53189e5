import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clockReader, firesOf, localTimesOf, record } from '../../../test/brute-force-clock.ts'
import { clockChanges } from '../zones/clock-change.ts'
import { foldPolicies, gapPolicies } from '../zones/dst-policy.ts'
import { zoneOf } from '../zones/zone.ts'
import { nextAfter } from './next-after.ts'
import { type DayRule, dayRules, parseCron } from './parse-cron.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * A field as a list, a range that may extend over the end, or a star with a step; and its values.
 */
interface Field {
  readonly text: string
  readonly values: readonly number[]
  readonly star: boolean
  readonly single: boolean
}

function field(min: number, max: number): fc.Arbitrary<Field> {
  const size = max - min + 1
  const value = fc.integer({ min, max })
  const list = fc
    .uniqueArray(value, { minLength: 1, maxLength: 4 })
    .map((values): Field => ({ text: values.join(), values, star: false, single: true }))
  const range = fc
    .tuple(value, value, fc.integer({ min: 1, max: 5 }))
    .map(([a, b, step]): Field => {
      const length = ((b - a + size) % size) + 1
      const all = Array.from({ length }, (_, i) => ((a - min + i) % size) + min)
      const values = all.filter((_, i) => i % step === 0)
      const text = step === 1 ? `${a}-${b}` : `${a}-${b}/${step}`
      return { text, values, star: false, single: false }
    })
  const star = fc.integer({ min: 1, max: size }).map((step): Field => {
    const values = Array.from({ length: size }, (_, i) => i + min).filter((_, i) => i % step === 0)
    return { text: step === 1 ? '*' : `*/${step}`, values, star: true, single: false }
  })
  return fc.oneof(list, range, star)
}

const every: Field = {
  text: '*',
  values: Array.from({ length: 32 }, (_, i) => i),
  star: true,
  single: false,
}
const mostly = (fields: fc.Arbitrary<Field>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(every) }, fields)
const cron = fc.record({
  minute: field(0, 59),
  hour: field(0, 23),
  day: mostly(field(1, 31)),
  month: mostly(field(1, 12)),
  weekday: mostly(field(0, 6)),
  rule: fc.constantFrom<DayRule>(...dayRules),
})
type Cron = typeof cron extends fc.Arbitrary<infer T> ? T : never

const policy = fc.record({
  gap: fc.constantFrom(...gapPolicies),
  fold: fc.constantFrom(...foldPolicies),
})
const restless = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Gaza'],
  ...['America/Nuuk', 'Antarctica/Troll', 'Africa/Cairo', 'America/Santiago', 'Europe/Dublin'],
  ...['Pacific/Chatham', 'America/Havana', 'Asia/Beirut', 'America/St_Johns'],
]
const zone = fc.constantFrom(...restless, 'UTC', 'Asia/Kolkata')
const instant = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2080, 0, 1) })

function textOf({ minute, hour, day, month, weekday }: Cron): string {
  return [minute, hour, day, month, weekday].map(({ text }) => text).join(' ')
}

/** Whether a local time matches the fields, as documented. */
function matches(fields: Cron, wall: Date): boolean {
  const inDay = fields.day.values.includes(wall.getUTCDate())
  const inWeekday = fields.weekday.values.includes(wall.getUTCDay())
  const either = fields.rule === 'or' && !fields.day.star && !fields.weekday.star
  return (
    fields.minute.values.includes(wall.getUTCMinutes()) &&
    fields.hour.values.includes(wall.getUTCHours()) &&
    fields.month.values.includes(wall.getUTCMonth() + 1) &&
    (either ? inDay || inWeekday : inDay && inWeekday)
  )
}

/** Returns null for a pattern that never fires, which is refused. */
function compiled(fields: Cron) {
  try {
    return parseCron(textOf(fields), { dayRule: fields.rule })
  } catch (error) {
    expect(error).toMatchObject({ code: 'never_fires' })
    return null
  }
}

describe('the next fire (case 105)', () => {
  test('around a clock change is the one that a scan of every minute finds', () => {
    fc.assert(
      fc.property(
        cron,
        fc.constantFrom(...restless),
        policy,
        instant,
        (fields, name, dst, fromMs) => {
          const pattern = compiled(fields)
          const [change] = clockChanges(zoneOf(name), fromMs, fromMs + 5_000 * DAY_MS, 1)
          if (pattern === null || change === undefined) return
          const jumpMs = change.startMs
          const tape = record(clockReader(name), jumpMs - 10 * HOUR_MS, jumpMs + 10 * HOUR_MS)
          const times = localTimesOf(tape).filter(({ wall }) => matches(fields, wall))
          const fixed = fields.minute.single && fields.hour.single
          const lowMs = jumpMs - 8 * HOUR_MS
          const highMs = jumpMs + 8 * HOUR_MS
          const expected = firesOf(times, fixed, dst.gap, dst.fold)
          const actual: number[] = []
          let ms = nextAfter(pattern, zoneOf(name), dst, lowMs, highMs)
          for (; ms !== null; ms = nextAfter(pattern, zoneOf(name), dst, ms, highMs))
            actual.push(ms)
          expect(actual).toEqual(expected.filter((at) => at > lowMs && at <= highMs))
        },
      ),
      { numRuns: 150 },
    )
  })

  test('is strictly later, matches in local time, and is the first match of its day', () => {
    fc.assert(
      fc.property(cron, instant, (fields, afterMs) => {
        const pattern = compiled(fields)
        const next =
          pattern && nextAfter(pattern, zoneOf('UTC'), { gap: 'skip', fold: 'both' }, afterMs)
        if (next === null) return
        expect(next).toBeGreaterThan(afterMs)
        expect(matches(fields, new Date(next))).toBe(true)
        const fromMs = Math.max(Math.floor(afterMs / 60_000) * 60_000 + 60_000, next - DAY_MS)
        for (let ms = fromMs; ms < next; ms += 60_000)
          if (matches(fields, new Date(ms)))
            expect.fail(`${textOf(fields)} at ${new Date(ms).toISOString()}`)
      }),
      { numRuns: 200 },
    )
  })

  test('is the same from every instant in between, and never goes back', () => {
    const fraction = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        cron,
        zone,
        policy,
        instant,
        fc.array(fraction),
        (fields, name, dst, afterMs, at) => {
          const pattern = compiled(fields)
          if (pattern === null) return
          let fromMs = afterMs
          for (let i = 0; i < 20; i++) {
            const next = nextAfter(pattern, zoneOf(name), dst, fromMs)
            if (next === null) return
            expect(next).toBeGreaterThan(fromMs)
            expect(next % 1_000).toBe(0)
            for (const part of [...at, 0.999_999]) {
              const between = Math.min(Math.floor(fromMs + (next - fromMs) * part), next - 1)
              expect(nextAfter(pattern, zoneOf(name), dst, between)).toBe(next)
            }
            fromMs = next
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('does not depend on earlier lookups', () => {
    fc.assert(
      fc.property(
        cron,
        zone,
        policy,
        fc.array(instant, { maxLength: 20 }),
        (fields, name, dst, at) => {
          const pattern = compiled(fields)
          if (pattern === null) return
          const reused = at.map((ms) => nextAfter(pattern, zoneOf(name), dst, ms))
          const fresh = at.map((ms) =>
            nextAfter(compiled(fields) ?? pattern, zoneOf(name), dst, ms),
          )
          expect(reused).toEqual(fresh)
        },
      ),
      { numRuns: 100 },
    )
  })
})

import { describe, expect, test } from 'vitest'
import { TimingCache } from '../schedule/timing-cache.ts'
import { erasOf, expectedSlots, isSlotOf, matchSlots } from './expected-slots.ts'
import type { JobRules } from './job-rules.ts'

const timings = new TimingCache()
const DAY = Date.parse('2026-03-01T00:00:00Z')
const minute = (n: number) => DAY + n * 60_000
const minutes = (slotsMs: readonly number[]) => slotsMs.map((ms) => (ms - DAY) / 60_000)
const rules = (when: JobRules['when']): JobRules => ({ when, timezone: 'UTC', overlap: 'skip' })
const every5 = rules({ kind: 'cron', expression: '*/5 * * * *' })
const every2 = rules({ kind: 'every', expression: '2m' })
const once = rules({ kind: 'once' })
const afterEnd = rules({ kind: 'after-end', expression: '1m' })

const of = (rule: JobRules, anchor: number | null = null, end: number | null = null) => ({
  rules: rule,
  anchorMs: anchor === null ? null : minute(anchor),
  endMs: end === null ? null : minute(end),
})

const slotsOf = (eras: ReturnType<typeof erasOf>, from = 0, until = 30, limit = 100) =>
  expectedSlots('a', eras, timings, { fromMs: minute(from), untilMs: minute(until), limit })

describe('the slots of a job', () => {
  test('begin when it was made, and end before its end', () => {
    const eras = erasOf(minute(5), [], of(every5, 5, 25))
    expect(minutes(slotsOf(eras).slotsMs)).toEqual([5, 10, 15, 20])
  })

  test('begin at its start where that is later', () => {
    expect(minutes(slotsOf(erasOf(minute(1), [], of(every5, 12))).slotsMs)).toEqual([
      15, 20, 25, 30,
    ])
  })

  test('are those of the rules of their time', () => {
    const versions = [{ ...of(every5, 0), untilMs: minute(10) }]
    const eras = erasOf(minute(0), versions, of(every2, 11))
    expect(minutes(slotsOf(eras, 0, 16).slotsMs)).toEqual([0, 5, 10, 11, 13, 15])
    expect([10, 12, 13, 20].map((n) => isSlotOf('a', eras, timings, minute(n)))).toEqual([
      ...[true, false, true, false],
    ])
    expect(isSlotOf('a', eras, timings, minute(-5))).toBe(false)
  })

  test('are so many at most, and there are more', () => {
    const eras = erasOf(minute(0), [], of(every5, 0))
    expect(slotsOf(eras, 0, 30, 3)).toEqual({ slotsMs: [0, 5, 10].map(minute), more: true })
    expect(slotsOf(eras, 0, 10, 3).more).toBe(false)
  })

  test('are one of a job that runs once, at its time or when it was made', () => {
    expect(minutes(slotsOf(erasOf(minute(0), [], of(once, 7))).slotsMs)).toEqual([7])
    const late = erasOf(minute(3), [], of(once, -600))
    expect(minutes(slotsOf(late).slotsMs)).toEqual([3])
    expect(isSlotOf('a', late, timings, minute(3))).toBe(true)
  })

  test('of a job that runs once come again only with another time', () => {
    const versions = [{ ...of(once, 5), untilMs: minute(10) }]
    const same = erasOf(minute(0), versions, of(once, 5))
    expect(minutes(slotsOf(same).slotsMs)).toEqual([5])
    const other = erasOf(minute(0), versions, of(once, 20))
    expect(minutes(slotsOf(other).slotsMs)).toEqual([5, 20])
  })

  test('given a time in the past by an edit may pass it by', () => {
    const eras = erasOf(minute(0), [{ ...of(every5, 0), untilMs: minute(7) }], of(once, 1))
    expect(minutes(slotsOf(eras).slotsMs)).toEqual([0, 5])
    expect(isSlotOf('a', eras, timings, minute(7) + 1)).toBe(true)
  })

  test('that waits for its runs cannot be told, and any is one', () => {
    const eras = erasOf(minute(0), [], of(afterEnd))
    expect(slotsOf(eras).slotsMs).toEqual([])
    expect(isSlotOf('a', eras, timings, minute(3) + 17)).toBe(true)
  })

  test('of a job that was deleted are judged as long as it was there', () => {
    const eras = erasOf(null, [{ ...of(every5, 0), untilMs: minute(10) }], null)
    expect([5, 6, 11].map((n) => isSlotOf('a', eras, timings, minute(n)))).toEqual([
      ...[true, false, true],
    ])
    expect(isSlotOf('a', [], timings, minute(5))).toBe(false)
    const gone = erasOf(null, [{ ...of(once, 1), untilMs: minute(10) }], null)
    expect(isSlotOf('a', gone, timings, minute(4))).toBe(true)
  })
})

describe('the ledger', () => {
  const row = (slot: number, from = slot) => ({ slotMs: minute(slot), fromMs: minute(from) })
  const match = (slots: number[], rows: ReturnType<typeof row>[], until = 100, before?: number) => {
    const beforeMs = before === undefined ? null : minute(before)
    const { expected, pending, holes, doubles } = matchSlots(
      slots.map(minute),
      rows,
      minute(until),
      beforeMs,
    )
    return { expected, pending, holes: minutes(holes), doubles: minutes(doubles) }
  }

  test('has one decision for each', () => {
    expect(match([1, 2, 3], [row(1), row(2), row(3)])).toEqual({
      ...{ expected: 3, pending: 0, holes: [], doubles: [] },
    })
  })

  test('has a row that stands for several, also one behind what was looked at', () => {
    expect(match([1, 2, 3, 4], [row(3, 1), row(9, 4)])).toMatchObject({ holes: [], doubles: [] })
  })

  test('has holes, at the ends and in between', () => {
    expect(match([1, 2, 3, 4, 5], [row(2), row(4)])).toMatchObject({
      ...{ expected: 5, holes: [1, 3, 5] },
    })
    expect(match([], [])).toMatchObject({ expected: 0, holes: [] })
  })

  test('has no holes where nothing must be decided yet', () => {
    expect(match([1, 2, 3], [row(1)], 1)).toMatchObject({ expected: 1, pending: 2, holes: [] })
    expect(match([1, 2, 3], [row(1), row(3)], 1)).toMatchObject({ expected: 2, pending: 1 })
  })

  test('has doubles: rows inside of a range, and ranges that overlap', () => {
    expect(match([1, 2, 3], [row(2), row(3, 1)])).toMatchObject({ holes: [], doubles: [2] })
    expect(match([1, 2, 3, 4], [row(1), row(2), row(4, 1)])).toMatchObject({ doubles: [1, 2] })
    expect(match([1, 2, 3, 4], [row(2, 1), row(4, 2)])).toMatchObject({ doubles: [2] })
  })

  test('has a double with the stretch before', () => {
    expect(match([3, 4], [row(4, 2)], 100, 2)).toMatchObject({ doubles: [2] })
    expect(match([3, 4], [row(4, 3)], 100, 2)).toMatchObject({ doubles: [] })
  })
})

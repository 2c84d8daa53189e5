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

const setting = (rule: JobRules, anchor: number | null = null, end: number | null = null) => ({
  rules: rule,
  anchorMs: anchor === null ? null : minute(anchor),
  endMs: end === null ? null : minute(end),
})

const slotsOf = (eras: ReturnType<typeof erasOf>, from = 0, until = 30, limit = 100) =>
  expectedSlots('a', eras, timings, { fromMs: minute(from), untilMs: minute(until), limit })

describe('the slots of a job', () => {
  test('begin at its creation, and end before its end', () => {
    const eras = erasOf(minute(5), [], setting(every5, 5, 25))
    expect(minutes(slotsOf(eras).slotsMs)).toEqual([5, 10, 15, 20])
  })

  test('begin at its start if that is later', () => {
    expect(minutes(slotsOf(erasOf(minute(1), [], setting(every5, 12))).slotsMs)).toEqual([
      15, 20, 25, 30,
    ])
  })

  test('follow the rules that applied at the time', () => {
    const versions = [{ ...setting(every5, 0), untilMs: minute(10) }]
    const eras = erasOf(minute(0), versions, setting(every2, 11))
    expect(minutes(slotsOf(eras, 0, 16).slotsMs)).toEqual([0, 5, 10, 11, 13, 15])
    expect([10, 12, 13, 20].map((n) => isSlotOf('a', eras, timings, minute(n)))).toEqual([
      ...[true, false, true, false],
    ])
    expect(isSlotOf('a', eras, timings, minute(-5))).toBe(false)
  })

  test('are cut at the limit, and more is set', () => {
    const eras = erasOf(minute(0), [], setting(every5, 0))
    expect(slotsOf(eras, 0, 30, 3)).toEqual({ slotsMs: [0, 5, 10].map(minute), more: true })
    expect(slotsOf(eras, 0, 10, 3).more).toBe(false)
  })

  test('of a one-off job are one, at its time or at its creation', () => {
    expect(minutes(slotsOf(erasOf(minute(0), [], setting(once, 7))).slotsMs)).toEqual([7])
    const late = erasOf(minute(3), [], setting(once, -600))
    expect(minutes(slotsOf(late).slotsMs)).toEqual([3])
    expect(isSlotOf('a', late, timings, minute(3))).toBe(true)
  })

  test('of a one-off job recur only when its time changes', () => {
    const versions = [{ ...setting(once, 5), untilMs: minute(10) }]
    const same = erasOf(minute(0), versions, setting(once, 5))
    expect(minutes(slotsOf(same).slotsMs)).toEqual([5])
    const other = erasOf(minute(0), versions, setting(once, 20))
    expect(minutes(slotsOf(other).slotsMs)).toEqual([5, 20])
  })

  test('may be missing when an edit sets a time in the past', () => {
    const eras = erasOf(
      minute(0),
      [{ ...setting(every5, 0), untilMs: minute(7) }],
      setting(once, 1),
    )
    expect(minutes(slotsOf(eras).slotsMs)).toEqual([0, 5])
    expect(isSlotOf('a', eras, timings, minute(7) + 1)).toBe(true)
  })

  test('of a job that waits for its runs cannot be computed, and any instant may be one', () => {
    const eras = erasOf(minute(0), [], setting(afterEnd))
    expect(slotsOf(eras).slotsMs).toEqual([])
    expect(isSlotOf('a', eras, timings, minute(3) + 17)).toBe(true)
  })

  test('of a deleted job are checked up to its deletion', () => {
    const eras = erasOf(null, [{ ...setting(every5, 0), untilMs: minute(10) }], null)
    expect([5, 6, 11].map((n) => isSlotOf('a', eras, timings, minute(n)))).toEqual([
      ...[true, false, true],
    ])
    expect(isSlotOf('a', [], timings, minute(5))).toBe(false)
    const gone = erasOf(null, [{ ...setting(once, 1), untilMs: minute(10) }], null)
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

  test('has one decision for each slot', () => {
    expect(match([1, 2, 3], [row(1), row(2), row(3)])).toEqual({
      ...{ expected: 3, pending: 0, holes: [], doubles: [] },
    })
  })

  test('may have a row that covers several slots, even one after the stretch', () => {
    expect(match([1, 2, 3, 4], [row(3, 1), row(9, 4)])).toMatchObject({ holes: [], doubles: [] })
  })

  test('may have holes at the ends and in between', () => {
    expect(match([1, 2, 3, 4, 5], [row(2), row(4)])).toMatchObject({
      ...{ expected: 5, holes: [1, 3, 5] },
    })
    expect(match([], [])).toMatchObject({ expected: 0, holes: [] })
  })

  test('has no holes where no decision is required yet', () => {
    expect(match([1, 2, 3], [row(1)], 1)).toMatchObject({ expected: 1, pending: 2, holes: [] })
    expect(match([1, 2, 3], [row(1), row(3)], 1)).toMatchObject({ expected: 2, pending: 1 })
  })

  test('may have doubles: rows inside a range, and overlapping ranges', () => {
    expect(match([1, 2, 3], [row(2), row(3, 1)])).toMatchObject({ holes: [], doubles: [2] })
    expect(match([1, 2, 3, 4], [row(1), row(2), row(4, 1)])).toMatchObject({ doubles: [1, 2] })
    expect(match([1, 2, 3, 4], [row(2, 1), row(4, 2)])).toMatchObject({ doubles: [2] })
  })

  test('may have a double with the previous stretch', () => {
    expect(match([3, 4], [row(4, 2)], 100, 2)).toMatchObject({ doubles: [2] })
    expect(match([3, 4], [row(4, 3)], 100, 2)).toMatchObject({ doubles: [] })
  })
})

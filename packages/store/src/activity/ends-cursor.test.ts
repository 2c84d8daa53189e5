import { expect, it } from 'vitest'
import { EndsCursor } from './ends-cursor.ts'

const BASE = 1_800_000_000_000

/** One look with a snapshot; returns where it began. */
function look(cursor: EndsCursor, atMs: number, xmin: number, xmax: number) {
  const scan = cursor.begin()
  cursor.reached(scan, atMs, { xmin, xmax })
  return scan
}

it('a new cursor starts at the given time until a later time is known to be safe', () => {
  const cursor = new EndsCursor(BASE)
  expect(cursor.begin()).toEqual({ fromMs: BASE, complete: true })
  look(cursor, BASE + 1_000, 100, 100)
  look(cursor, BASE + 2_000, 100, 100)
  expect(cursor.begin().fromMs).toBe(BASE)
})

it('the cursor moves once earlier transactions have ended, and forgets what lies behind it', () => {
  const cursor = new EndsCursor(BASE)
  cursor.remember('early', BASE + 10)
  cursor.remember('late', BASE + 4_000)
  for (let i = 5; i < 8; i++) look(cursor, BASE + i * 1_000, 100, 100)
  expect(cursor.begin()).toEqual({ fromMs: BASE + 3_000, complete: true })
  expect([cursor.isNew('early'), cursor.isNew('late')]).toEqual([true, false])
})

it('an open transaction holds the mark up; looks start a little back, some at the mark', () => {
  const cursor = new EndsCursor(BASE)
  cursor.remember('reported', BASE + 10)
  let fromMark = 0
  for (let i = 1; i <= 100; i++) {
    const { fromMs, complete } = look(cursor, BASE + i * 1_000, 100, 105)
    if (complete) fromMark++
    expect(fromMs).toBe(complete ? BASE : BASE + (i - 1) * 1_000 - 10_000)
  }
  expect(fromMark).toBeGreaterThanOrEqual(15)
  expect(fromMark).toBeLessThan(20)
  expect(cursor.isNew('reported')).toBe(false)
  // It has ended: the next look from the mark sees what it committed.
  for (let i = 101; i <= 140; i++) look(cursor, BASE + i * 1_000, 200, 200)
  expect(cursor.begin().fromMs).toBeGreaterThan(BASE + 90_000)
})

it('the mark is held up for ten minutes at most', () => {
  const cursor = new EndsCursor(BASE)
  cursor.remember('reported', BASE)
  for (let i = 1; i <= 1_000; i++) look(cursor, BASE + i * 1_000, 100, 105)
  expect(cursor.isNew('reported')).toBe(true)
  for (let i = 1_001; !cursor.begin().complete; i++) look(cursor, BASE + i * 1_000, 100, 105)
  expect(cursor.begin().fromMs).toBeGreaterThanOrEqual(BASE + 400_000)
})

it('the cursor goes back with the clock of the database', () => {
  const cursor = new EndsCursor(BASE)
  for (let i = 10; i < 20; i++) look(cursor, BASE + i * 1_000, 100, 100)
  look(cursor, BASE + 1_000, 100, 100)
  expect(cursor.begin()).toEqual({ fromMs: BASE - 9_000, complete: true })
})

it('a look that was cut short moves the mark only past ends that are older than ten minutes', () => {
  const cursor = new EndsCursor(BASE)
  cursor.remember('old', BASE + 10)
  cursor.remember('late', BASE + 3_000_000)
  cursor.cutAt(BASE + 1_000_000, BASE + 3_600_000)
  expect([cursor.safeMs, cursor.isNew('old'), cursor.isNew('late')]).toEqual([
    ...[BASE + 1_000_000, true, false],
  ])
  cursor.cutAt(BASE + 3_500_000, BASE + 3_600_000)
  expect(cursor.begin()).toEqual({ fromMs: BASE + 3_000_000, complete: true })
})

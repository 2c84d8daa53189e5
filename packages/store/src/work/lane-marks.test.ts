import { expect, it } from 'vitest'
import { LaneMarks } from './lane-marks.ts'

const LANE = 1
const BASE = 1_800_000_000_000

/** One claim that examined everything up to `reach`, with a snapshot; returns where it began. */
function claim(marks: LaneMarks, atMs: number, reach: number | null, xmin: number, xmax: number) {
  const turn = marks.turn()
  const scan = marks.begin(LANE, atMs)
  marks.reached(turn, scan, reach, { xmin, xmax }, atMs)
  return scan
}

it('scans start at the head until a mark is known to be safe', () => {
  const marks = new LaneMarks()
  expect(marks.begin(LANE, 0)).toEqual({ lane: LANE, startMs: 0, complete: true })
})

it('the safe mark moves only after every earlier transaction has ended', () => {
  const marks = new LaneMarks()
  claim(marks, 0, BASE, 100, 100)
  claim(marks, 1, BASE + 1, 100, 105)
  // Transaction 103 is still open: it may yet commit a position before BASE.
  for (let i = 2; i < 60; i++) claim(marks, i, BASE + i, 103, 110 + i)
  expect(marks.begin(LANE, 60).startMs).toBe(0)
  // Now it has ended; the next scan from the safe mark sees what it committed.
  for (let i = 60; i < 100; i++) claim(marks, i, BASE + i, 200 + i, 200 + i)
  const { startMs, complete } = marks.begin(LANE, 100)
  expect(complete).toBe(true)
  expect(startMs).toBeGreaterThan(BASE - 21)
  expect(startMs).toBeLessThan(BASE + 100)
})

it('with few claims, a scan starts at the safe mark twice a second, to find a slow commit', () => {
  const marks = new LaneMarks()
  claim(marks, 0, BASE, 100, 100)
  // A transaction is open, and a worker with little to do claims every 300 ms.
  const scans = Array.from({ length: 10 }, (_, i) =>
    claim(marks, (i + 1) * 300, BASE + (i + 1) * 300, 100, 200),
  )
  expect(scans.filter((scan) => scan.startMs === 0).length).toBeGreaterThanOrEqual(4)
  expect(scans.some((scan) => !scan.complete)).toBe(true)
})

it('while the safe mark lags, scans start 250 ms back, and occasionally at the safe mark', () => {
  const marks = new LaneMarks()
  claim(marks, 0, BASE, 100, 100)
  let fromSafe = 0
  for (let i = 1; i <= 200; i++) {
    const scan = claim(marks, i * 10, BASE + i * 10, 100, 200)
    if (scan.complete) fromSafe++
    else expect(scan.startMs).toBe(BASE + (i - 1) * 10 - 250)
  }
  expect(fromSafe).toBeGreaterThan(0)
  expect(fromSafe).toBeLessThanOrEqual(200 * 0.05 + 1)
})

it('a scan starts at the head every 30 s, because a claim that rolled back leaves runs behind', () => {
  const marks = new LaneMarks()
  for (let i = 0; i < 40; i++) claim(marks, i, BASE + i, 1_000 + i, 1_000 + i)
  expect(marks.begin(LANE, 50).startMs).toBeGreaterThan(0)
  expect(marks.begin(LANE, 30_050).startMs).toBe(0)
})

it('the marks are forgotten when the database clock steps back (case 37)', () => {
  const marks = new LaneMarks()
  for (let i = 0; i < 40; i++) claim(marks, i, BASE + i, 1_000 + i, 1_000 + i)
  marks.checkBound(marks.turn(), BASE + 100)
  marks.checkBound(marks.turn(), BASE + 99)
  expect(marks.begin(LANE, 50).startMs).toBeGreaterThan(0)
  marks.checkBound(marks.turn(), BASE - 3_600_000)
  expect(marks.begin(LANE, 50).startMs).toBe(0)
})

it('a lane that a full batch did not reach does not count as examined', () => {
  const marks = new LaneMarks()
  for (let i = 0; i < 40; i++) claim(marks, i, null, 1_000 + i, 1_000 + i)
  expect(marks.begin(LANE, 50).startMs).toBe(0)
})

it('a claim in flight when another answered does not count as a later one', () => {
  const marks = new LaneMarks()
  const [first, second] = [marks.turn(), marks.turn()]
  const scan = marks.begin(LANE, 0)
  marks.reached(first, scan, BASE, { xmin: 100, xmax: 100 }, 0)
  // Its snapshot may be older than what the first one reached: it lacks transaction 101.
  marks.reached(second, scan, BASE, { xmin: 100, xmax: 100 }, 0)
  claim(marks, 1, BASE + 1, 100, 102)
  // 101 is still open: a scan from the safe mark starts at the head.
  const scans = Array.from({ length: 60 }, (_, i) => claim(marks, i + 2, BASE + i + 2, 101, 102))
  const complete = scans.filter((scan) => scan.complete)
  expect(complete.length).toBeGreaterThan(0)
  expect(complete.every((scan) => scan.startMs === 0)).toBe(true)
})

it('the result of a claim that began before the marks were forgotten is ignored', () => {
  const marks = new LaneMarks()
  for (let i = 0; i < 40; i++) claim(marks, i, BASE + i, 1_000 + i, 1_000 + i)
  const turn = marks.turn()
  const scan = marks.begin(LANE, 40)
  marks.forget()
  marks.reached(turn, scan, BASE + 40, { xmin: 2_000, xmax: 2_000 }, 40)
  expect(marks.begin(LANE, 41)).toMatchObject({ startMs: 0, complete: true })
})

it('answers that arrive out of order do not count as a clock that stepped back', () => {
  const marks = new LaneMarks()
  for (let i = 0; i < 40; i++) claim(marks, i, BASE + i, 1_000 + i, 1_000 + i)
  const [first, second] = [marks.turn(), marks.turn()]
  marks.checkBound(second, BASE + 200)
  marks.checkBound(first, BASE + 100)
  expect(marks.begin(LANE, 50).startMs).toBeGreaterThan(0)
})

/**
 * Moves the bookings of waiting runs forward when earlier bookings of their rate were given up
 * (upkeep/list-rate-gaps, upkeep/advance-bookings).
 */
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { carried, type GatedRow } from '../tables/rows.ts'

/** Bookings this close are left to the workers. */
const SOON_US = 1_000_000
/** A gap of a millisecond is not worth moving bookings. */
const GAP_US = 1_000

type Booked = GatedRow & { readonly bookedUs: number }

/** The bookings of a rate, in their order, and when the first of those that may move may start. */
function bookingsOf(db: MemoryDatabase, rate: string) {
  const usedUs = db.rateStarts.get(rate)
  // Starts of a fast rate are not recorded: its next bookings stay.
  const boundUs = db.nowUs + (usedUs === undefined ? SOON_US : 0)
  const booked = db.gated
    .values()
    .filter((run): run is Booked => run.rate === rate && run.bookedUs !== null)
    .sort((a, b) => a.bookedUs - b.bookedUs || (a.runId < b.runId ? -1 : 1))
  const past = booked.filter(({ bookedUs }) => bookedUs <= boundUs).at(-1)
  const pastUs = past ? past.bookedUs + past.rateIntervalUs * past.rateBurst : 0
  const ahead = booked.filter(({ bookedUs }) => bookedUs > boundUs)
  return { ahead, baseUs: Math.max(db.nowUs + SOON_US, usedUs ?? 0, pastUs) }
}

/** The rates that are booked further ahead than their starts and bookings require. */
export function rateGaps(db: MemoryDatabase): string[] {
  return db.rates.entries().flatMap(([rate, nextUs]) => {
    if (nextUs <= db.nowUs + SOON_US) return []
    const { ahead, baseUs } = bookingsOf(db, rate)
    const neededUs = baseUs + (ahead.at(-1)?.rateIntervalUs ?? 0) * ahead.length
    return nextUs > neededUs + GAP_US ? [rate] : []
  })
}

/** Returns how many runs it moved. */
export function advanceBookings(db: MemoryDatabase, rate: string): number {
  const nextUs = db.rates.get(rate)
  if (nextUs === undefined) return 0
  const { ahead, baseUs } = bookingsOf(db, rate)
  const intervalUs = Math.max(0, ...ahead.map((run) => run.rateIntervalUs))
  const burst = Math.min(...ahead.map((run) => run.rateBurst))
  // A run that is elsewhere was promoted or rescheduled: it does not wait for its booking.
  const waiting = ahead.filter(
    ({ runId, bookedUs }) => db.queue.get(runId)?.posMs === Math.ceil(bookedUs / 1_000),
  )
  let moved = 0
  waiting.forEach((run, turn) => {
    const startUs = baseUs + intervalUs * (turn - burst + 1)
    if (startUs >= run.bookedUs) return
    move(db, run, startUs, turn)
    moved++
  })
  db.rates.set(rate, Math.min(nextUs, baseUs + intervalUs * waiting.length))
  return moved
}

function move(db: MemoryDatabase, run: Booked, startUs: number, turn: number): void {
  const row = db.queue.delete(run.runId)
  if (!row) return
  const posMs = Math.max(Math.ceil(startUs / 1_000), db.nowMs)
  db.queue.insert(run.runId, { ...carried(row), posMs, seq: turn, gate: null })
  db.gated.set(run.runId, { ...run, bookedUs: startUs })
}

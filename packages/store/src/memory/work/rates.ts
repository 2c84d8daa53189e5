/**
 * Runs whose rate is used up go back to the queue, to the instant at which they may start, which
 * they have booked; runs beyond the horizon book nothing and try to book later (parts/claim/rates).
 */

import { limits } from '@punctual/core/errors'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { carried, type GatedRow, type QueueRow } from '../tables/rows.ts'

/** Starts may be late by this much, or by the duration of the burst. */
const LATE_US = 200_000
/** Of rates whose burst takes longer, the starts are recorded. */
const RECORDED_US = 1_000_000
const HORIZON_US = limits.rateHorizonMs * 1_000
const AGAIN_US = limits.rateAgainMs * 1_000

const burstUs = ({ rateIntervalUs, rateBurst }: GatedRow) => rateIntervalUs * rateBurst

/** Whether the run needs a start: it has booked none, or has missed it. */
const asks = (run: GatedRow, nowUs: number) =>
  run.bookedUs === null || run.bookedUs < nowUs - Math.max(LATE_US, burstUs(run))

/** Books starts for the runs, in the order of their ids; returns the runs that may not start. */
export function bookStarts(db: MemoryDatabase, runs: readonly QueueRow[]): ReadonlySet<string> {
  const { nowUs } = db
  const rates = new Map<string, GatedRow[]>()
  for (const { runId } of runs) {
    const run = db.gated.get(runId)
    if (run?.rate) rates.set(run.rate, [...(rates.get(run.rate) ?? []), run])
  }
  const startsUs = new Map<string, number>()
  for (const [rate, rated] of rates) {
    const asking = rated.filter((run) => asks(run, nowUs))
    const booking = asking.slice(0, bookable(db, rate, asking))
    const unbooked = new Set(asking.slice(booking.length))
    charge(db, rate, booking, startsUs)
    for (const { runId } of unbooked) startsUs.set(runId, nowUs + AGAIN_US)
    for (const run of rated)
      if (!startsUs.has(run.runId)) startsUs.set(run.runId, Math.min(run.bookedUs ?? 0, nowUs))
    record(
      db,
      rate,
      rated.filter(({ runId }) => (startsUs.get(runId) ?? 0) <= nowUs),
    )
    for (const run of rated) if (!unbooked.has(run)) note(db, run, startsUs.get(run.runId) ?? 0)
  }
  return postponed(db, runs, startsUs)
}

/** How many of the runs may book a start: none while the rate is booked up to the horizon. */
function bookable(db: MemoryDatabase, rate: string, asking: readonly GatedRow[]): number {
  const slowestUs = Math.max(...asking.map((run) => run.rateIntervalUs))
  const bursts = asking.map((run) => run.rateBurst)
  const savedUs = slowestUs * (Math.max(...bursts) - 1)
  if ((db.rates.get(rate) ?? 0) > db.nowUs + HORIZON_US + savedUs) return 0
  return Math.floor(HORIZON_US / slowestUs) + Math.min(...bursts)
}

/** The runs of a rate follow each other at its interval; a saved burst starts at once. */
function charge(
  db: MemoryDatabase,
  rate: string,
  asking: readonly GatedRow[],
  startsUs: Map<string, number>,
): void {
  if (asking.length === 0) return
  const intervalUs = Math.max(...asking.map((run) => run.rateIntervalUs))
  const fromUs = Math.max(db.rates.get(rate) ?? 0, db.nowUs)
  const nextUs = fromUs + intervalUs * asking.length
  if (!db.mutants.has('rate-not-charged')) db.rates.set(rate, nextUs)
  asking.forEach(({ runId, rateIntervalUs, rateBurst }, turn) => {
    startsUs.set(runId, nextUs - rateIntervalUs * (asking.length - turn + rateBurst - 1))
  })
}

/** The rate keeper gives unused bookings to later runs, and must know what has started. */
function record(db: MemoryDatabase, rate: string, started: readonly GatedRow[]): void {
  const long = started.filter((run) => burstUs(run) > RECORDED_US)
  if (long.length === 0) return
  const usedUs = Math.max(...long.map((run) => run.rateIntervalUs)) * long.length
  db.rateStarts.set(rate, Math.max(db.rateStarts.get(rate) ?? 0, db.nowUs) + usedUs)
}

/** A run that starts before its booking was promoted. */
function note(db: MemoryDatabase, run: GatedRow, startUs: number): void {
  const early = !asks(run, db.nowUs) && (run.bookedUs ?? 0) > db.nowUs
  if (startUs > db.nowUs || early) db.gated.set(run.runId, { ...run, bookedUs: startUs })
}

function postponed(
  db: MemoryDatabase,
  runs: readonly QueueRow[],
  startsUs: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const late = new Set<string>()
  runs.forEach((row, n) => {
    const startUs = startsUs.get(row.runId)
    if (startUs === undefined || startUs <= db.nowUs) return
    late.add(row.runId)
    const posMs = Math.ceil(startUs / 1_000)
    db.queue.insert(row.runId, { ...carried(row), posMs, seq: n + 1, gate: null })
  })
  return late
}

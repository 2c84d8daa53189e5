/**
 * What users do to runs that exist, one function for each place: `runs/steering/cancel-in-*` and
 * its siblings.
 */
import { attemptOutcomes, finalStates } from '@punctual/core/run'
import { finish } from '../parts/finish.ts'
import { internLane } from '../submit/insert-runs.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { carried, type LeaseRow, oneMore, waitingEnd } from '../tables/rows.ts'
import { NO_SESSION } from '../work/settle.ts'

export type WaitingPlace = 'later' | 'queue' | 'parked'

/** Returns the job of the run, or undefined when the run is not in this place. */
export function cancelIn(
  db: MemoryDatabase,
  place: WaitingPlace,
  id: string,
  reason: string,
): string | null | undefined {
  const row = db[place].delete(id)
  if (!row) return undefined
  finish(db, [waitingEnd(row, finalStates.cancelled, reason)])
  return row.jobId
}

/** Ends a run that awaits its target; undefined when it does not. */
export function cancelAwaiting(
  db: MemoryDatabase,
  id: string,
  reason: string,
): LeaseRow | undefined {
  const lease = db.leases.get(id)
  if (lease?.sessionId !== NO_SESSION) return undefined
  db.leases.delete(id)
  const attempt = oneMore(lease.attempt)
  finish(db, [
    {
      ...{ ...carried(lease), attempt, fence: lease.fence, sessionId: null },
      ...{ startedMs: lease.startedMs, state: finalStates.cancelled },
      ...{ attemptOutcome: attemptOutcomes.cancelled, output: null, reason },
    },
  ])
  return lease
}

/** Asks the handler to stop; null when the run is not leased. */
export function cancelInLeases(db: MemoryDatabase, id: string, reason: string): boolean | null {
  const lease = db.leases.get(id)
  if (!lease) return null
  if (lease.cancelReason !== null) return false
  db.leases.set(id, { ...lease, cancelReason: reason })
  return true
}

/** Null means now: then a run that is due keeps its position. */
export function rescheduleIn(
  db: MemoryDatabase,
  place: 'later' | 'queue',
  id: string,
  atMs: number | null,
  horizonMs: number,
): boolean {
  const waiting = place === 'queue' ? db.queue.get(id) : undefined
  if (waiting && atMs === null && waiting.posMs <= db.nowMs) return false
  const row = db[place].delete(id)
  if (!row) return false
  const dueMs = atMs ?? db.nowMs
  if (dueMs <= db.nowMs + horizonMs)
    db.queue.insert(id, { ...carried(row), posMs: Math.max(dueMs, db.nowMs), seq: 0, gate: null })
  else db.later.insert(id, { ...carried(row), dueMs })
  const gated = db.gated.get(id)
  if (place === 'queue' && gated?.bookedUs != null && gated.bookedUs < dueMs * 1_000)
    db.gated.set(id, { ...gated, bookedUs: null })
  const run = db.runs.get(id)
  if (run && row.attempt === 0) db.runs.set(id, { ...run, dueMs })
  return true
}

/** The lane that the run needs to have the priority; null when the run does not exist. */
export function laneForPriority(db: MemoryDatabase, id: string, priority: number) {
  const run = db.runs.get(id)
  const lane = db.lanes.values().find((one) => one.id === run?.lane)
  return lane ? { lane: internLane(db, { ...lane, priority }), from: lane.id } : null
}

export function reprioritiseIn(
  db: MemoryDatabase,
  place: WaitingPlace,
  id: string,
  lane: number,
): boolean {
  if (!db[place].has(id)) return false
  if (place === 'queue') requeue(db, id, lane)
  else if (place === 'later') relane(db.later, id, lane)
  else relane(db.parked, id, lane)
  const run = db.runs.get(id)
  if (run) db.runs.set(id, { ...run, lane })
  return true
}

interface Relaned<Row> {
  get(id: string): Row | undefined
  set(id: string, row: Row): void
}

function relane<Row extends object>(table: Relaned<Row>, id: string, lane: number): void {
  const row = table.get(id)
  if (row) table.set(id, { ...row, lane })
}

/** Deletes and inserts the row: a position is never in the past. */
function requeue(db: MemoryDatabase, id: string, lane?: number): void {
  const row = db.queue.delete(id)
  if (!row) return
  const late = row.posMs < db.nowMs
  const at = late ? { posMs: db.nowMs, seq: 0 } : { posMs: row.posMs, seq: row.seq }
  db.queue.insert(id, { ...row, lane: lane ?? row.lane, ...at, gate: null })
}

/** Replaces the payload, only before the first attempt. */
export function editIn(
  db: MemoryDatabase,
  place: WaitingPlace,
  id: string,
  payload: string,
): boolean {
  const row = db[place].get(id)
  const run = db.runs.get(id)
  if (!row || !run) return false
  if ((row.attempt > 0 || row.crashes > 0) && !db.mutants.has('edit-while-running')) return false
  if (place === 'queue') requeue(db, id)
  db.runs.set(id, { ...run, payload })
  return true
}

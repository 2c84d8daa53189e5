/** User actions on existing runs: cancel, reschedule (runs/cancel-in-*, runs/reschedule-in-*). */
import { finalStates } from '@punctual/core/run'
import { finish } from '../parts/finish.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { waitingEnd } from '../work/overlap.ts'

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

/** Asks the handler to stop; null when the run is not leased. */
export function cancelInLeases(db: MemoryDatabase, id: string, reason: string): boolean | null {
  const lease = db.leases.get(id)
  if (!lease) return null
  if (lease.cancelReason !== null) return false
  db.leases.set(id, { ...lease, cancelReason: reason })
  return true
}

export function rescheduleIn(
  db: MemoryDatabase,
  place: 'later' | 'queue',
  id: string,
  dueMs: number,
  horizonMs: number,
): boolean {
  const row = db[place].delete(id)
  if (!row) return false
  const { runId, tenantId, lane, attempt, crashes, traits, jobId } = row
  const kept = { runId, tenantId, lane, attempt, crashes, traits, jobId }
  if (dueMs <= db.nowMs + horizonMs)
    db.queue.insert(id, { ...kept, posMs: Math.max(dueMs, db.nowMs), seq: 0 })
  else db.later.insert(id, { ...kept, dueMs })
  const run = db.runs.get(id)
  if (run && attempt === 0) db.runs.set(id, { ...run, dueMs })
  return true
}

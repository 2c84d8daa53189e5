/**
 * Overlapping runs: superseding, releasing, skipping (work/parked/supersede-holders and its
 * siblings).
 */
import { attemptOutcomes, finalStates } from '@punctual/core/run'
import { finish } from '../parts/finish.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import {
  carried,
  type Ended,
  oneMore,
  overlapOf,
  type ParkedRow,
  startMark,
  waitingEnd,
} from '../tables/rows.ts'
import { NO_SESSION, queueNow } from './settle.ts'

const SKIP = 1
const QUEUE_ONE = 2
const CANCEL_PREVIOUS = 4
const TERMINATE_PREVIOUS = 5

/** Returns the runs whose handlers must stop. */
export function supersedeHolders(db: MemoryDatabase, runIds: readonly string[]): string[] {
  const cancelled: string[] = []
  const ended: Ended[] = []
  for (const successor of parkedOf(db, runIds)) {
    const policy = overlapOf(successor.traits)
    if (successor.jobId === null) continue
    if (policy !== CANCEL_PREVIOUS && policy !== TERMINATE_PREVIOUS) continue
    const holder = db.holds.get(successor.jobId)
    if (holder !== undefined) cancelled.push(...endHolder(db, holder, policy, ended))
    for (const older of db.parked.values())
      if (older.jobId === successor.jobId && older.runId < successor.runId) {
        db.parked.delete(older.runId)
        ended.push(waitingEnd(older, finalStates.cancelled, 'superseded'))
      }
  }
  finish(db, ended)
  return cancelled
}

/** The runs among these that wait for their jobs. */
function parkedOf(db: MemoryDatabase, runIds: readonly string[]): ParkedRow[] {
  return runIds.flatMap((id) => db.parked.get(id) ?? []).filter(waitsForJob)
}

const waitsForJob = ({ gate }: ParkedRow) => gate === null

function endHolder(db: MemoryDatabase, holder: string, policy: number, ended: Ended[]): string[] {
  const lease = db.leases.get(holder)
  // A run that awaits its target has no handler that could be asked to end.
  if (lease && policy === CANCEL_PREVIOUS && lease.sessionId !== NO_SESSION) {
    if (lease.cancelReason !== null) return []
    db.leases.set(holder, { ...lease, cancelReason: 'superseded' })
    return [holder]
  }
  if (lease) {
    db.leases.delete(holder)
    const { fence, sessionId } = lease
    const startedMs = startMark(lease)
    ended.push({
      ...{ ...carried(lease), attempt: oneMore(lease.attempt), fence, sessionId, startedMs },
      ...{ state: finalStates.cancelled, attemptOutcome: attemptOutcomes.terminated },
      ...{ output: null, reason: 'superseded' },
    })
    return [holder]
  }
  const waiting = db.queue.delete(holder) ?? db.later.delete(holder)
  if (waiting) ended.push(waitingEnd(waiting, finalStates.cancelled, 'superseded'))
  return []
}

/** The jobs and the gates that these runs wait for. */
export function awaitedBy(db: MemoryDatabase, runIds: readonly string[]) {
  const jobs = parkedOf(db, runIds).flatMap(({ jobId }) => jobId ?? [])
  const gates = runIds.flatMap((id) => db.parked.get(id)?.gate ?? [])
  return { jobs: [...new Set(jobs)], gates: [...new Set(gates)] }
}

/** Releases the first run that waits for each of these jobs, unless another run holds the job. */
export function releaseParked(db: MemoryDatabase, jobIds: readonly string[]): void {
  for (const jobId of new Set(jobIds)) {
    if (db.holds.has(jobId)) continue
    const [first] = db.parked
      .values()
      .filter((row) => row.jobId === jobId && waitsForJob(row))
      .sort((a, b) => (a.runId < b.runId ? -1 : 1))
    if (!first) continue
    db.parked.delete(first.runId)
    queueNow(db, first)
  }
}

/** Skips runs that may not wait: with `skip` all of them, with `queue-one` all but the first. */
export function skipParked(db: MemoryDatabase, runIds: readonly string[]): void {
  const given = parkedOf(db, runIds)
  const jobs = new Set(given.map(({ jobId }) => jobId))
  const all = db.parked.values().filter(waitsForJob)
  const isBehind = (row: ParkedRow) =>
    all.some((other) => other.jobId === row.jobId && other.runId < row.runId)
  const skipped = [
    ...given.filter(({ traits }) => overlapOf(traits) === SKIP),
    ...all.filter(
      (row) => jobs.has(row.jobId) && overlapOf(row.traits) === QUEUE_ONE && isBehind(row),
    ),
  ]
  for (const { runId } of skipped) db.parked.delete(runId)
  finish(
    db,
    skipped.map((row) => waitingEnd(row, finalStates.skipped, 'overlap')),
  )
}

export function parkedLongerThan(db: MemoryDatabase, ms: number): string[] {
  return db.parked
    .values()
    .filter((row) => waitsForJob(row) && row.parkedMs < db.nowMs - ms)
    .map(({ runId }) => runId)
    .sort()
}

/**
 * Handling dead letters: one transaction closes them and inserts the replays
 * (dead-letters/lock-letters, close-letters, insert-replays).
 */
import { traits } from '@punctual/core/run'
import { insertGated } from '../parts/gated.ts'
import { takeKey } from '../submit/insert-runs.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { QUEUE_ALL_BITS, type RunRow, withoutOverlap } from '../tables/rows.ts'

export interface ReplayRequest {
  /** The dead run. */
  readonly id: string
  /** The id of the run that replays it. */
  readonly newId: string
  /** Another payload, as JSON; null keeps the original one. */
  readonly payload: string | null
  readonly fromCheckpoint: boolean
}

/** False when the dead letter is not open, or another run holds the key. */
export function replay(db: MemoryDatabase, request: ReplayRequest): boolean {
  const { id, newId } = request
  const letter = db.deadLetters.get(id)
  const run = db.runs.get(id)
  if (letter?.handled !== null || !run) return false
  if (run.key !== null && takeKey(db, run.key, newId) !== newId) return false
  if (!db.mutants.has('replay-keeps-letter-open'))
    db.deadLetters.set(id, { ...letter, handled: 'replayed', replayedAs: newId })
  insertReplay(db, run, request)
  return true
}

/** A replay waits for other runs of its job, and its end does not decide when the job fires. */
function insertReplay(
  db: MemoryDatabase,
  run: RunRow,
  { newId, payload, fromCheckpoint }: ReplayRequest,
): void {
  const nowMs = db.nowMs
  const kept = run.traits & ~(traits.rearms | traits.expires)
  const bits = (kept & traits.overlap) === 0 ? kept : withoutOverlap(kept) | QUEUE_ALL_BITS
  db.runs.insert(newId, {
    ...{ ...run, id: newId, dueMs: nowMs, createdMs: nowMs, traits: bits, replayOf: run.id },
    payload: payload ?? run.payload,
  })
  const checkpoint = fromCheckpoint ? db.checkpoints.get(run.id) : undefined
  if (checkpoint !== undefined) db.checkpoints.insert(newId, checkpoint)
  if (run.jobId !== null) db.triggers.insert(`${run.jobId} ${newId}`, newId)
  db.queue.insert(newId, {
    ...{ runId: newId, tenantId: run.tenantId, lane: run.lane, attempt: 0, crashes: 0 },
    ...{ traits: checkpoint === undefined ? bits : bits | traits.checkpointed },
    ...{ jobId: run.jobId, posMs: nowMs, seq: db.nextSequence(), gate: null },
  })
  insertGated(db, newId, bits, run.flow)
}

/** False when the dead letter is not open. */
export function discard(db: MemoryDatabase, id: string): boolean {
  const letter = db.deadLetters.get(id)
  if (letter?.handled !== null) return false
  db.deadLetters.set(id, { ...letter, handled: 'discarded' })
  return true
}

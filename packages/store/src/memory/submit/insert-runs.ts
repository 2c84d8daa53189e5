/**
 * Accepting runs: first the keys, then the runs and their places (submit/take-keys,
 * submit/insert-runs).
 */
import type { LaneKey } from '@punctual/core/flow'
import type { Submission } from '@punctual/core/submit'
import { flowFields } from '../../submit/flow-keys.ts'
import { insertGated } from '../parts/gated.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { StoredFlow } from '../tables/rows.ts'
import { admittedBy, waitingAt } from '../work/gates.ts'

export interface PreparedRun {
  readonly id: string
  readonly lane: number
  readonly dueMs: number | null
  readonly submission: Submission
}

const TENANT = 1

/** Returns the number of a lane, adding the lane when it is new. */
export function internLane(db: MemoryDatabase, key: LaneKey): number {
  const name = `${key.tenantId} ${key.queue} ${key.handler} ${key.priority}`
  const known = db.lanes.get(name)
  if (known) return known.id
  const id = db.lanes.size + 1
  db.lanes.insert(name, { ...key, id })
  return id
}

/** Returns the run that holds the key, after this run has tried to take it. */
export function takeKey(db: MemoryDatabase, key: string, runId: string): string {
  const holder = db.liveKeys.get(key)
  if (holder !== undefined) return holder
  db.liveKeys.set(key, runId)
  return runId
}

/** `again`: existing rows stay unchanged, and only newly inserted runs are queued. */
export function insertRun(
  db: MemoryDatabase,
  run: PreparedRun,
  horizonMs: number,
  again: boolean,
): void {
  const { id, lane, dueMs, submission } = run
  const { options, payload } = submission
  const flow = submission.flow ? flowFields(TENANT, submission.flow) : null
  const nowMs = db.nowMs
  const isThere = db.runs.has(id)
  if (again && isThere && !db.mutants.has('submit-again-queues-twice')) return
  if (!(again && isThere)) {
    db.runs.insert(id, {
      ...{ id, tenantId: TENANT, lane, dueMs: dueMs ?? nowMs, createdMs: nowMs, payload },
      ...{ maxAttempts: options.maxAttempts, timeoutMs: options.timeoutMs },
      ...{ traits: options.traits, key: options.key, policy: options.policy, trace: options.trace },
      ...{ jobId: null, slotMs: null, missedFromMs: null, replayOf: null, flow },
    })
    insertGated(db, id, options.traits, flow)
  }
  const posMs = Math.max(dueMs ?? nowMs, nowMs)
  const carried = { runId: id, tenantId: TENANT, lane, attempt: 0, crashes: 0, jobId: null }
  const row = { ...carried, traits: options.traits }
  const waitsAt = flow && posMs <= nowMs ? fullGate(db, flow) : null
  const gate = posMs <= nowMs ? (flow?.gate ?? null) : null
  if (waitsAt) db.parked.insert(id, { ...row, parkedMs: nowMs, ...waitsAt })
  else if (posMs <= nowMs + horizonMs)
    db.queue.set(id, { ...row, posMs, seq: db.nextSequence(), gate })
  else db.later.insert(id, { ...row, dueMs: dueMs ?? nowMs })
}

/** The gate of a run that certainly cannot start yet; null for others. */
function fullGate(db: MemoryDatabase, { gate, concurrency }: StoredFlow) {
  if (gate === undefined || concurrency === undefined) return null
  const isFull = waitingAt(db, gate).length > 0 || admittedBy(db, gate) >= concurrency.limit
  return isFull ? { gate, gateLimit: concurrency.limit } : null
}

/** How workers end leases: the settle statements, giving back, marking, stray leases. */
import type { Fence, Settlement } from '@punctual/core/ports'
import { attemptOutcomes, finalStates } from '@punctual/core/run'
import { bury, finish } from '../parts/finish.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { type Carried, carried, type Ended, type LeaseRow, oneMore } from '../tables/rows.ts'

export interface Settled {
  /** Runs whose lease is gone. */
  readonly refused: readonly string[]
  /** Runs that were to be retried and had a cancel request. */
  readonly cancelled: ReadonlySet<string>
}

/** One transaction: each kind of outcome is one statement over all of its runs. */
export function settle(
  db: MemoryDatabase,
  settlements: readonly Settlement[],
  horizonMs: number,
): Settled {
  const refused: string[] = []
  const cancelled = new Set<string>()
  const ended: Ended[] = []
  for (const settlement of settlements) {
    const lease = leaseOf(db, settlement.run)
    if (lease === null) refused.push(settlement.run.id)
    else if (settlement.kind === 'retry' && lease.cancelReason === null)
      again(db, lease, settlement, horizonMs)
    else if (settlement.kind === 'awaiting' && lease.cancelReason === null)
      awaitReport(db, lease, settlement)
    else {
      if (settlement.kind === 'retry' || settlement.kind === 'awaiting')
        cancelled.add(settlement.run.id)
      db.leases.delete(lease.runId)
      ended.push(endedBy(db, lease, settlement))
    }
  }
  finish(db, ended)
  return { refused, cancelled }
}

function leaseOf(db: MemoryDatabase, { id, fence }: Fence): LeaseRow | null {
  const lease = db.leases.get(id)
  if (!lease) return null
  return lease.fence === fence || db.mutants.has('settle-without-fence') ? lease : null
}

/** Null when the handler was never called. */
function startOf(db: MemoryDatabase, { startedAgoMs }: Settlement): number | null {
  return startedAgoMs === null ? null : db.nowMs - Math.round(startedAgoMs)
}

function endedBy(db: MemoryDatabase, lease: LeaseRow, settlement: Settlement): Ended {
  const { sessionId, cancelReason } = lease
  const { fence } = settlement.run
  const startedMs = startOf(db, settlement)
  const base = { ...carried(lease), attempt: oneMore(lease.attempt), fence, sessionId, startedMs }
  switch (settlement.kind) {
    case 'succeeded':
      return {
        ...{ ...base, state: finalStates.succeeded, attemptOutcome: attemptOutcomes.succeeded },
        ...{ output: settlement.output, reason: null },
      }
    case 'dead': {
      const { reason, outcome } = settlement
      bury(db, lease.runId, reason)
      const attemptOutcome = attemptOutcomes[outcome]
      return { ...base, state: finalStates.dead, attemptOutcome, output: null, reason }
    }
    case 'unknown': {
      const { reason, outcome } = settlement
      const attemptOutcome = attemptOutcomes[outcome]
      return { ...base, state: finalStates.unknown, attemptOutcome, output: null, reason }
    }
    case 'skipped': {
      const state = cancelReason === null ? finalStates.skipped : finalStates.cancelled
      const reason = cancelReason ?? settlement.reason
      return {
        ...{ ...base, attempt: lease.attempt, startedMs: null },
        ...{ state, attemptOutcome: null, output: null, reason },
      }
    }
    default: {
      const reason = cancelReason ?? (settlement.kind === 'cancelled' ? settlement.reason : null)
      const attemptOutcome = attemptOutcomes.cancelled
      return { ...base, state: finalStates.cancelled, attemptOutcome, output: null, reason }
    }
  }
}

/** The session of runs that await their targets; it never expires. */
export const NO_SESSION = '0'

/** Leaves a run to its target: the lease stays, with its fence, and belongs to no worker. */
function awaitReport(
  db: MemoryDatabase,
  lease: LeaseRow,
  settlement: Extract<Settlement, { kind: 'awaiting' }>,
): void {
  const deadlineMs = db.nowMs + Math.round(settlement.timeoutMs)
  db.leases.set(lease.runId, {
    ...lease,
    sessionId: db.mutants.has('await-keeps-session') ? lease.sessionId : NO_SESSION,
    startedMs: startOf(db, settlement),
    ...{ deadlineMs, wakeMs: deadlineMs },
  })
}

function again(
  db: MemoryDatabase,
  lease: LeaseRow,
  settlement: Extract<Settlement, { kind: 'retry' }>,
  horizonMs: number,
): void {
  const { runId, fence } = lease
  if (!db.mutants.has('retry-keeps-lease')) db.leases.delete(runId)
  const attempt = oneMore(lease.attempt)
  const startedMs = startOf(db, settlement)
  const outcome = attemptOutcomes[settlement.outcome]
  const key = `${runId} ${attempt}`
  // The number is saturated: the last attempts share it, and the first is kept.
  if (!db.attempts.get(key)) db.attempts.insert(key, { runId, fence, attempt, outcome, startedMs })
  const delayMs = Math.round(settlement.delayMs)
  const dueMs = db.nowMs + delayMs
  const row = { ...carried(lease), attempt }
  if (delayMs <= horizonMs) db.queue.insert(runId, { ...row, posMs: dueMs, seq: 0, gate: null })
  else db.later.insert(runId, { ...row, dueMs })
}

/** Appends a run to the runs that are due now. */
export function queueNow(db: MemoryDatabase, row: Carried): void {
  db.queue.insert(row.runId, { ...carried(row), posMs: db.nowMs, seq: 0, gate: null })
}

/** Gives back runs that did not start, unchanged; runs with a cancel request end instead. */
export function giveBack(db: MemoryDatabase, runs: readonly Fence[]): void {
  const ended: Ended[] = []
  for (const { id, fence } of runs) {
    const lease = db.leases.get(id)
    if (lease?.fence !== fence) continue
    if (lease.cancelReason !== null) {
      db.leases.delete(id)
      ended.push({
        ...{
          ...carried(lease),
          attempt: oneMore(lease.attempt),
          fence,
          sessionId: lease.sessionId,
        },
        ...{ state: finalStates.cancelled, attemptOutcome: attemptOutcomes.cancelled },
        ...{ startedMs: null, output: null, reason: lease.cancelReason },
      })
    } else {
      db.leases.delete(id)
      queueNow(db, carried(lease))
    }
  }
  finish(db, ended)
}

/** Returns the ids that the session still holds. */
export function markStarted(db: MemoryDatabase, runs: readonly Fence[]): ReadonlySet<string> {
  const ours = new Set<string>()
  for (const { id, fence } of runs) {
    const lease = db.leases.get(id)
    if (lease?.fence !== fence) continue
    db.leases.set(id, { ...lease, startedMs: db.nowMs })
    ours.add(id)
  }
  return ours
}

export function strayLeases(
  db: MemoryDatabase,
  sessionId: string,
  known: readonly bigint[],
): Fence[] {
  const ours = new Set(known)
  return db.leases
    .values()
    .filter((lease) => lease.sessionId === sessionId && !ours.has(lease.fence))
    .map(({ runId, fence }) => ({ id: runId, fence }))
}

/** Returns the cancel requests with their reasons; null when the lease is gone. */
export function cancelRequests(db: MemoryDatabase, runs: readonly Fence[]) {
  const requests = new Map<bigint, string | null>()
  for (const { id, fence } of runs) {
    const lease = db.leases.get(id)
    if (lease?.fence !== fence) requests.set(fence, null)
    else if (lease.cancelReason !== null) requests.set(fence, lease.cancelReason)
  }
  return requests
}

/**
 * How the attempts with these fences ended, if they did: the outcome, or the attempt before a
 * retry.
 */
export function findSettled(db: MemoryDatabase, ids: readonly string[]) {
  const settled: { runId: string; fence: bigint; outcome: number | null }[] = []
  const wanted = new Set(ids)
  for (const id of ids) {
    const row = db.outcomes.get(id)
    if (row?.fence != null)
      settled.push({ runId: id, fence: row.fence, outcome: row.attemptOutcome })
  }
  for (const { runId, fence, outcome } of db.attempts.values())
    if (wanted.has(runId)) settled.push({ runId, fence, outcome })
  return settled
}

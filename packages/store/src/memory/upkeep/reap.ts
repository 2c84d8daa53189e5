/**
 * Fencing of sessions whose lease expired (upkeep/reap-sessions), and promoting
 * (upkeep/promote-runs).
 */
import type { ReapResult } from '@punctual/core/ports'
import { attemptOutcomes, decodeRunPolicy, finalStates, traits } from '@punctual/core/run'
import { bury, finish } from '../parts/finish.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { carried, type Ended, type LeaseRow, oneMore, startMark } from '../tables/rows.ts'
import { NO_SESSION, queueNow } from '../work/settle.ts'

type Fate = 'lost' | 'cancelled' | 'unstarted' | 'quarantined' | 'refused' | 'crashed'

export function expiredSessions(db: MemoryDatabase) {
  const sessions = db.sessions.values()
  const ahead = sessions.map(({ expiresMs }) => expiresMs).filter((ms) => ms > db.nowMs)
  const expired = sessions.filter(({ expiresMs }) => expiresMs <= db.nowMs)
  return {
    incarnation: String(db.incarnation),
    sessionIds: expired.map(({ id }) => id),
    leasesMs: expired.map(({ leaseMs }) => leaseMs),
    shortestLeaseMs:
      sessions.length > 0 ? Math.min(...sessions.map(({ leaseMs }) => leaseMs)) : null,
    nextInMs: ahead.length > 0 ? Math.min(...ahead) - db.nowMs : null,
    parked: db.parked.size > 0,
  }
}

export function orphanSessions(db: MemoryDatabase): string[] {
  const ids = new Set(db.leases.values().map(({ sessionId }) => sessionId))
  return [...ids].filter((id) => id !== NO_SESSION && !db.sessions.has(id))
}

export function reap(
  db: MemoryDatabase,
  sessionIds: readonly string[],
  crashesUntilQuarantine: number,
): ReapResult {
  const expired = sessionIds.filter(
    (id) => (db.sessions.get(id)?.expiresMs ?? Infinity) <= db.nowMs,
  )
  const gone = new Set([...expired, ...sessionIds.filter((id) => !db.sessions.has(id))])
  for (const id of expired) db.sessions.delete(id)
  const counts = { sessions: expired.length, returned: 0, dead: 0, unknown: 0, cancelled: 0 }
  const ended: Ended[] = []
  for (const lease of db.leases.values()) {
    if (!gone.has(lease.sessionId)) continue
    db.leases.delete(lease.runId)
    const fate = fateOf(db, lease, crashesUntilQuarantine)
    if (fate === 'unstarted' || fate === 'crashed') {
      comeBack(db, lease, fate)
      counts.returned++
    } else {
      ended.push(endedBy(db, lease, fate))
      counts[fate === 'lost' ? 'unknown' : fate === 'cancelled' ? 'cancelled' : 'dead']++
    }
  }
  finish(db, ended)
  return counts
}

function fateOf(db: MemoryDatabase, lease: LeaseRow, crashesUntilQuarantine: number): Fate {
  const atMostOnce = (lease.traits & traits.atMostOnce) !== 0
  if (atMostOnce && lease.startedMs !== null) return 'lost'
  if (lease.cancelReason !== null) return 'cancelled'
  if (atMostOnce || (lease.startedMs === null && lease.crashes > 0)) return 'unstarted'
  if (lease.crashes + 1 >= crashesUntilQuarantine) return 'quarantined'
  const { retryOn, abortOn = [] } = decodeRunPolicy(db.runs.get(lease.runId)?.policy ?? null)
  return retryOn.includes('crashed') && !abortOn.includes('crashed') ? 'crashed' : 'refused'
}

/** A crashed run is charged with the crash; a run that did not start comes back unchanged. */
function comeBack(db: MemoryDatabase, lease: LeaseRow, fate: 'unstarted' | 'crashed'): void {
  const row = carried(lease)
  if (fate === 'unstarted') {
    queueNow(db, row)
    return
  }
  const { runId, fence } = lease
  const startedMs = startMark(lease)
  const attempt = oneMore(lease.attempt)
  const forgets = db.mutants.has('reap-forgets-crash')
  const crashes = forgets ? lease.crashes : oneMore(lease.crashes)
  const key = `${runId} ${attempt}`
  if (!forgets && !db.attempts.get(key))
    db.attempts.insert(key, {
      ...{ runId, fence, attempt, startedMs, outcome: attemptOutcomes.crashed },
    })
  queueNow(db, { ...row, attempt: forgets ? lease.attempt : attempt, crashes })
}

type Ending = Exclude<Fate, 'unstarted' | 'crashed'>

const ends: Readonly<Record<Ending, readonly [state: number, reason: string | null]>> = {
  lost: [finalStates.unknown, 'worker_lost'],
  cancelled: [finalStates.cancelled, null],
  refused: [finalStates.dead, 'policy'],
  quarantined: [finalStates.dead, 'quarantined'],
}

function endedBy(db: MemoryDatabase, lease: LeaseRow, fate: Ending): Ended {
  const { runId, fence, sessionId, cancelReason } = lease
  const startedMs = startMark(lease)
  const [state, reason] = ends[fate]
  if (state === finalStates.dead) bury(db, runId, reason ?? '')
  return {
    ...{ ...carried(lease), attempt: oneMore(lease.attempt), crashes: oneMore(lease.crashes) },
    ...{ fence, sessionId, startedMs, state, output: null, reason: reason ?? cancelReason },
    attemptOutcome: attemptOutcomes.crashed,
  }
}

export function promote(db: MemoryDatabase, horizonMs: number, limit: number) {
  const boundMs = db.nowMs + horizonMs
  const rows = db.later.values().sort((a, b) => a.dueMs - b.dueMs || (a.runId < b.runId ? -1 : 1))
  const due = rows.filter(({ dueMs }) => dueMs <= boundMs).slice(0, limit)
  due.forEach(({ dueMs, ...row }, n) => {
    db.later.delete(row.runId)
    const posMs = Math.max(dueMs, db.nowMs)
    db.queue.insert(row.runId, { ...row, posMs, seq: n + 1, gate: null })
  })
  const next = rows.find(({ dueMs }) => dueMs > boundMs)
  return { promoted: due.length, nextInMs: next ? next.dueMs - boundMs : null }
}

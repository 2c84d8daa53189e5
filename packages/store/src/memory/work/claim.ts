/**
 * Claims due runs of the requested lanes: leases them to a session, parks them, or postpones them
 * until their rate allows. Simulates the query `work/claim-controlled-runs`; for runs without
 * controls that is `work/claim-runs`.
 */
import { invariant } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult } from '@punctual/core/ports'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { type Carried, carried, isExclusive, type LeaseRow, type QueueRow } from '../tables/rows.ts'
import { takePlaces } from './gates.ts'
import { chargeLimits, freeMs, limitsOf, withinLimits } from './limits.ts'
import { pick, sharesOf } from './pick.ts'
import { bookStarts } from './rates.ts'

const NOTHING = { runs: [], more: false, nextDueInMs: null, parked: [], gave: [] }

export function claimRuns(db: MemoryDatabase, request: ClaimRequest): ClaimResult {
  const session = db.sessions.get(request.sessionId)
  const alive = session !== undefined && session.expiresMs > db.nowMs
  if (!alive && !db.mutants.has('claim-without-session-guard'))
    return { ...NOTHING, sessionAlive: false }
  if (session?.drains) return { ...NOTHING, sessionAlive: true }
  const { shares, nextMs } = sharesOf(db, request, db.nowMs)
  const freeAtMs = freeMs(db, shares)
  const { taken, gave } = pick(withinLimits(db, shares), request.limit)
  for (const row of taken) db.queue.delete(row.runId)
  taken.sort((a, b) => (a.runId < b.runId ? -1 : 1))
  const held = parkHeld(db, taken)
  const unheld = taken.filter(({ runId }) => !held.has(runId))
  const postponed = bookStarts(db, unheld)
  const { places, stopped } = takePlaces(
    db,
    unheld.filter(({ runId }) => !postponed.has(runId)),
  )
  const runs = lease(db, request, taken, new Set([...held, ...postponed, ...stopped]), places)
  chargeLimits(
    db,
    runs.map(({ queue }) => queue),
  )
  const dueMs = [nextMs, freeAtMs, ...[...postponed].map((id) => db.queue.get(id)?.posMs ?? null)]
  const soonestMs = Math.min(...dueMs.map((ms) => ms ?? Number.POSITIVE_INFINITY))
  return {
    ...{ sessionAlive: true, runs, gave, parked: [...held, ...stopped] },
    more: taken.length >= request.limit || gave.some(({ full }) => full),
    nextDueInMs: soonestMs === Number.POSITIVE_INFINITY ? null : Math.max(0, soonestMs - db.nowMs),
  }
}

/** Leases the taken runs, except those that are withheld; highest priority first. */
function lease(
  db: MemoryDatabase,
  request: ClaimRequest,
  taken: readonly QueueRow[],
  withheld: ReadonlySet<string>,
  places: ReadonlyMap<string, number>,
): ClaimedRun[] {
  const lanes = new Map(request.lanes.map((lane) => [lane.id, lane]))
  const runs: ClaimedRun[] = []
  taken.forEach((row, n) => {
    if (withheld.has(row.runId)) return
    const lane = lanes.get(row.lane)
    invariant(lane, `run ${row.runId} is of a lane that was asked for`)
    const { queue, tenant } = limitsOf(db, lane.queue)
    const gateSlot = places.get(row.runId) ?? null
    const leased: LeaseRow = {
      ...{ ...carried(row), fence: BigInt(request.fence) + BigInt(n + 1) },
      ...{ sessionId: request.sessionId, claimedMs: db.nowMs, startedMs: null, cancelReason: null },
      ...{ gate: gateSlot === null ? null : (db.gated.get(row.runId)?.gate ?? null), gateSlot },
      ...{ queueLimit: queue?.id ?? null, tenantLimit: tenant?.id ?? null },
      ...{ deadlineMs: null, wakeMs: null },
    }
    db.leases.insert(row.runId, leased)
    runs.push(described(db, leased, lane))
  })
  return runs.sort((a, b) => b.priority - a.priority)
}

/**
 * Takes the hold of each job whose runs must not overlap, and parks runs whose job is held by
 * another run. Returns the ids of the parked runs.
 */
function parkHeld(db: MemoryDatabase, taken: readonly QueueRow[]): ReadonlySet<string> {
  const exclusive = taken.filter(({ traits }) => isExclusive(traits))
  exclusive.sort(byJob)
  const parked = new Set<string>()
  for (const row of exclusive) {
    const { jobId } = row
    invariant(jobId, `run ${row.runId} must not overlap and has no job`)
    const holder = db.holds.get(jobId)
    if (holder === undefined) db.holds.set(jobId, row.runId)
    else if (holder !== row.runId) {
      parked.add(row.runId)
      const at = { parkedMs: db.nowMs, gate: null, gateLimit: null }
      db.parked.insert(row.runId, { ...carried(row), ...at })
    }
  }
  return parked
}

const byJob = (a: Carried, b: Carried) =>
  `${a.jobId} ${a.runId}` < `${b.jobId} ${b.runId}` ? -1 : 1

/** A lease with the definition of its run. */
export function described(db: MemoryDatabase, leased: LeaseRow, lane: Lane): ClaimedRun {
  const { runId, fence, attempt, crashes, traits, jobId, gate } = leased
  const run = db.runs.get(runId)
  invariant(run, `run ${runId} is in the queue and has no definition`)
  const { queue, tenant } = limitsOf(db, lane.queue)
  const limited = [queue, tenant].some((limit) => limit !== null && limit.concurrency !== null)
  const { maxAttempts, timeoutMs, payload, policy, trace, dueMs, slotMs, missedFromMs } = run
  return {
    ...{ id: runId, fence, lane: lane.id, tenantId: lane.tenantId },
    ...{ priority: lane.priority, gate: gate === null ? null : BigInt(gate), limited, weight: 1 },
    ...{ expiresInMs: null, handler: lane.handler, queue: lane.queue, attempt, crashes, traits },
    ...{ jobId, maxAttempts, timeoutMs, payload, policy, trace, dueMs, slotMs, missedFromMs },
  }
}

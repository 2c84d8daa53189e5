/**
 * Claims due runs of the requested lanes: leases them to a session, or parks them. Simulates the
 * query `work/claim-runs`.
 */
import type { Lane } from '@punctual/core/flow'
import type { ClaimedRun, ClaimRequest, ClaimResult, LaneYield } from '@punctual/core/ports'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import { type Carried, isExclusive, type QueueRow, type RunRow } from '../tables/rows.ts'

const byPosition = (a: QueueRow, b: QueueRow) =>
  a.posMs - b.posMs || a.seq - b.seq || (a.runId < b.runId ? -1 : 1)

export function claimRuns(db: MemoryDatabase, request: ClaimRequest): ClaimResult {
  const session = db.sessions.get(request.sessionId)
  const alive = session !== undefined && session.expiresMs > db.nowMs
  if (!alive && !db.mutants.has('claim-without-session-guard'))
    return { sessionAlive: false, runs: [], more: false, nextDueInMs: null, parked: [], gave: [] }
  const boundMs = db.nowMs
  const lanes = new Map(request.lanes.map((lane) => [lane.id, lane]))
  const { taken, nextMs, gave } = session?.drains
    ? { taken: [], nextMs: null, gave: [] }
    : pick(db, request, boundMs)
  for (const row of taken) db.queue.delete(row.runId)
  taken.sort((a, b) => (a.runId < b.runId ? -1 : 1))
  const parked = park(db, taken)
  const runs: ClaimedRun[] = []
  taken.forEach((row, n) => {
    if (parked.has(row.runId)) return
    const fence = BigInt(request.fence) + BigInt(n + 1)
    const { runId, tenantId, lane, attempt, crashes, traits, jobId } = row
    db.leases.insert(runId, {
      ...{ runId, tenantId, lane, attempt, crashes, traits, jobId, fence },
      ...{ sessionId: request.sessionId, claimedMs: boundMs, startedMs: null, cancelReason: null },
    })
    runs.push(described(db, row, fence, lanes.get(lane) as Lane))
  })
  runs.sort((a, b) => priorityOf(lanes, b.lane) - priorityOf(lanes, a.lane))
  return {
    sessionAlive: true,
    runs,
    gave,
    more: taken.length >= request.limit || gave.some(({ full }) => full),
    nextDueInMs: nextMs === null ? null : Math.max(0, nextMs - boundMs),
    parked: [...parked],
  }
}

const priorityOf = (lanes: ReadonlyMap<number, Lane>, lane: number) =>
  lanes.get(lane)?.priority ?? 0

/**
 * Picks due runs, highest priority first. Lanes of one priority share the limit by weight; the rest
 * of the limit goes to the next priority.
 */
function pick(db: MemoryDatabase, { lanes, limit, weights }: ClaimRequest, boundMs: number) {
  const paused = db.pauses.values()
  const isPaused = (queue: string) =>
    (paused.includes('*') || paused.includes(queue)) && !db.mutants.has('claim-from-paused-queue')
  const open = lanes.filter(({ queue }) => !isPaused(queue))
  const wanted = new Set(open.map(({ id }) => id))
  const rows = db.queue.values().filter(({ lane }) => wanted.has(lane))
  const aheadMs = rows.filter(({ posMs }) => posMs > boundMs).map(({ posMs }) => posMs)
  const dueRows = rows.filter(({ posMs }) => posMs <= boundMs).sort(byPosition)
  const heads = open.flatMap((lane) => {
    const first = dueRows.find((row) => row.lane === lane.id)
    return first ? [{ lane, first }] : []
  })
  heads.sort((a, b) => b.lane.priority - a.lane.priority || byPosition(a.first, b.first))
  const weightOf = ({ lane }: { lane: Lane }) => weights?.[lanes.indexOf(lane)] ?? 1
  const taken: QueueRow[] = []
  const gave: LaneYield[] = []
  for (const head of heads) {
    const { id, priority } = head.lane
    const rank = heads.filter(({ lane }) => lane.priority === priority)
    const sum = rank.reduce((total, other) => total + weightOf(other), 0)
    const share = Math.ceil((limit * weightOf(head)) / sum)
    const some = dueRows
      .filter((row) => row.lane === id)
      .slice(0, Math.min(share, limit - taken.length))
    taken.push(...some)
    if (some.length > 0) gave.push({ lane: id, runs: some.length, full: some.length >= share })
  }
  return {
    ...{ taken, gave },
    nextMs: aheadMs.length > 0 ? Math.min(...aheadMs) : null,
  }
}

/**
 * Takes the hold of each job whose runs must not overlap, and parks runs whose job is held by
 * another run. Returns the ids of the parked runs.
 */
function park(db: MemoryDatabase, taken: readonly QueueRow[]): Set<string> {
  const exclusive = taken.filter(({ traits }) => isExclusive(traits))
  exclusive.sort(byJob)
  const parked = new Set<string>()
  for (const { posMs: _, seq: __, ...row } of exclusive) {
    const jobId = row.jobId as string
    const holder = db.holds.get(jobId)
    if (holder === undefined) db.holds.set(jobId, row.runId)
    else if (holder !== row.runId) {
      parked.add(row.runId)
      db.parked.insert(row.runId, { ...row, jobId, parkedMs: db.nowMs })
    }
  }
  return parked
}

const byJob = (a: Carried, b: Carried) =>
  `${a.jobId} ${a.runId}` < `${b.jobId} ${b.runId}` ? -1 : 1

function described(db: MemoryDatabase, row: QueueRow, fence: bigint, lane: Lane): ClaimedRun {
  const run = db.runs.get(row.runId) as RunRow
  const { attempt, crashes, traits, jobId } = row
  const { maxAttempts, timeoutMs, payload, policy, trace, dueMs, slotMs, missedFromMs } = run
  return {
    ...{ id: row.runId, fence, lane: lane.id, tenantId: lane.tenantId },
    ...{ priority: lane.priority, gate: null, limited: false, weight: 1, expiresInMs: null },
    ...{ handler: lane.handler, queue: lane.queue, attempt, crashes, traits, jobId },
    ...{ maxAttempts, timeoutMs, payload, policy, trace, dueMs, slotMs, missedFromMs },
  }
}

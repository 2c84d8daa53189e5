/**
 * Which due runs a claim may take: the share of each lane, and the runs at the heads of the lanes
 * (parts/claim/due, parts/claim/pick).
 */
import { limits } from '@punctual/core/errors'
import type { Lane } from '@punctual/core/flow'
import type { ClaimRequest, LaneYield } from '@punctual/core/ports'
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { QueueRow } from '../tables/rows.ts'

/** A lane with due runs, the first of them first, and how many of them the claim may take. */
export interface LaneShare {
  readonly lane: Lane
  readonly rank: number
  readonly due: readonly QueueRow[]
  readonly share: number
}

const byPosition = (a: QueueRow, b: QueueRow) =>
  a.posMs - b.posMs || a.seq - b.seq || (a.runId < b.runId ? -1 : 1)

/**
 * Shares the limit among lanes of one priority by weight; the rest of the limit goes to the next
 * priority. Also returns when the next run is due.
 */
export function sharesOf(
  db: MemoryDatabase,
  { lanes, limit, weights }: ClaimRequest,
  boundMs: number,
): { shares: LaneShare[]; nextMs: number | null } {
  const paused = db.pauses.values()
  const isPaused = (queue: string) =>
    (paused.includes('*') || paused.includes(queue)) && !db.mutants.has('claim-from-paused-queue')
  const open = lanes.filter(({ queue }) => !isPaused(queue))
  const rows = new Map<number, QueueRow[]>(open.map(({ id }) => [id, []]))
  let nextMs: number | null = null
  for (const row of db.queue.values()) {
    const due = rows.get(row.lane)
    if (due && row.posMs <= boundMs) due.push(row)
    else if (due) nextMs = Math.min(nextMs ?? row.posMs, row.posMs)
  }
  const weightOf = (lane: Lane) => weights?.[lanes.indexOf(lane)] ?? 1
  const heads = open.flatMap((lane) => {
    const due = (rows.get(lane.id) ?? []).sort(byPosition)
    const [first] = due
    return first ? [{ lane, due, first, rank: limits.priorityMax - lane.priority }] : []
  })
  heads.sort((a, b) => a.rank - b.rank || byPosition(a.first, b.first))
  const shares = heads.map(({ lane, rank, due }) => {
    const alike = heads.filter((other) => other.rank === rank)
    const sum = alike.reduce((total, other) => total + weightOf(other.lane), 0)
    return { lane, rank, due, share: Math.ceil((limit * weightOf(lane)) / sum) }
  })
  return { shares, nextMs }
}

/** Takes the shares, up to the limit of the claim, and reports what each lane gave. */
export function pick(shares: readonly LaneShare[], limit: number) {
  const taken: QueueRow[] = []
  const gave: LaneYield[] = []
  for (const { lane, due, share } of shares) {
    const some = due.slice(0, Math.min(share, limit - taken.length))
    taken.push(...some)
    if (some.length > 0) gave.push({ lane: lane.id, runs: some.length, full: some.length >= share })
  }
  return { taken, gave }
}

/**
 * What the limits of queues and tenants leave of the shares of a claim, and what the claim uses of
 * their rates (parts/claim/limits).
 */
import type { MemoryDatabase } from '../tables/memory-database.ts'
import type { LimitRow } from '../tables/rows.ts'
import type { LaneShare } from './pick.ts'

export interface LimitsOfLane {
  readonly queue: LimitRow | null
  readonly tenant: LimitRow | null
}

/** The limits of concurrency and of rates that a lane is under. */
export function limitsOf(db: MemoryDatabase, queue: string): LimitsOfLane {
  const limited = (name: string) => {
    const limit = db.limits.get(name)
    return limit && (limit.concurrency !== null || limit.rate !== null) ? limit : null
  }
  return { queue: limited(queue), tenant: limited('*') }
}

/** Of what a limit leaves, the better ranks are served first. */
export function withinLimits(db: MemoryDatabase, shares: readonly LaneShare[]): LaneShare[] {
  if (db.limits.size === 0 || db.mutants.has('limit-not-counted')) return [...shares]
  const rooms = new Map<number, number>()
  const within = (limit: LimitRow | null, share: number) => {
    if (limit === null) return share
    const room = rooms.get(limit.id) ?? roomOf(db, limit)
    rooms.set(limit.id, room - share)
    return Math.max(0, Math.min(share, room))
  }
  const ofQueues = shares.map((one) => {
    return { ...one, share: within(limitsOf(db, one.lane.queue).queue, one.share) }
  })
  return ofQueues.map((one) => {
    return { ...one, share: within(limitsOf(db, one.lane.queue).tenant, one.share) }
  })
}

/** How many more runs may start now. */
function roomOf(db: MemoryDatabase, { id, queue, concurrency, rate, nextUs }: LimitRow): number {
  const counts = queue === null ? 'tenantLimit' : 'queueLimit'
  const running = db.leases.values().filter((lease) => lease[counts] === id).length
  const places = concurrency === null ? Number.POSITIVE_INFINITY : concurrency - running
  if (rate === null) return places
  const firstUs = nextUs - rate.intervalUs * (rate.burst - 1)
  const tokens =
    nextUs <= db.nowUs ? rate.burst : Math.floor((db.nowUs - firstUs) / rate.intervalUs) + 1
  return Math.min(places, Math.max(0, tokens))
}

/** When a rate that is used up lets the next run start; null when another limit is in the way. */
export function freeMs(db: MemoryDatabase, shares: readonly LaneShare[]): number | null {
  const free = shares.flatMap(({ lane }) => {
    const { queue, tenant } = limitsOf(db, lane.queue)
    return [queue, tenant].flatMap((limit) => {
      if (!limit?.rate) return []
      const firstUs = limit.nextUs - limit.rate.intervalUs * (limit.rate.burst - 1)
      return firstUs > db.nowUs ? [Math.ceil(firstUs / 1_000)] : []
    })
  })
  return free.length > 0 ? Math.min(...free) : null
}

/** Charges the rates of the limits for runs that start now. */
export function chargeLimits(db: MemoryDatabase, queues: readonly string[]): void {
  if (db.limits.size === 0 || db.mutants.has('limit-not-charged')) return
  for (const [name, limit] of db.limits.entries()) {
    const { rate } = limit
    const starts = name === '*' ? queues.length : queues.filter((queue) => queue === name).length
    if (rate === null || starts === 0) continue
    const nextUs = Math.max(limit.nextUs, db.nowUs) + rate.intervalUs * starts
    db.limits.set(name, { ...limit, nextUs })
  }
}

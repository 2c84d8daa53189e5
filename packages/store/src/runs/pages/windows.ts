/**
 * The ids that a walk covers, and its steps. An id carries when its run was due, so a range of time
 * shows where most matches are: that part of history comes first, and parts with possible other
 * matches follow. Each part is walked back from its newest ids.
 */
import { runIdFloor, runIdTimeMs } from '@punctual/core/run'
import { DAY_MS, dayStart } from '../../connection/day-names.ts'
import type { PageFilterInStore } from '../filter-values.ts'

export const TOP = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
export const BOTTOM = '00000000-0000-0000-0000-000000000000'
const WINDOW_GROWS = 4
const WINDOW_DAYS_MAX = 128
const HOUR_MS = 3_600_000
const BY_DAY: readonly string[] = ['runs', 'lanes', 'job', 'key', 'failed']

/** Ids below `top`, down to and including `floor`. */
export interface Part {
  readonly top: string
  readonly floor: string
}

const idOf = (ms: number) => runIdFloor(Math.max(0, ms))

/** Returns the parts in walking order; together they hold every id that can match. */
export function partsOf(filter: PageFilterInStore): readonly Part[] {
  const { ids, createdFromMs, createdToMs, dueFromMs, dueToMs, finishedToMs } = filter
  if (ids) return ids[0] === undefined ? [] : [{ top: TOP, floor: ids[0] }]
  // An id's time is never before the run's creation, give or take the difference between clocks.
  const lowest = createdFromMs === undefined ? BOTTOM : idOf(createdFromMs - HOUR_MS)
  const turn = createdToMs ?? dueToMs ?? finishedToMs
  const first = turn === undefined ? TOP : idOf(turn)
  // Most runs that were due in a range have ids of its days; rescheduled ones may have others.
  const early = createdToMs === undefined && dueFromMs !== undefined ? idOf(dueFromMs) : lowest
  const parts = [
    { top: first, floor: early > lowest ? early : lowest },
    { top: TOP, floor: first > lowest ? first : lowest },
    // Below the second part: parts that overlap would send a cursor back to ids it has passed.
    { top: early < first ? early : first, floor: lowest },
  ]
  return parts.filter(({ top, floor }) => top > floor)
}

/** The part that a position lies in, or -1: everything from the position on was examined. */
export function partAt(parts: readonly Part[], id: string): number {
  return parts.findIndex(({ top, floor }) => floor < id && id <= top)
}

/** The floor of the window of `days` days below an id, and whether it is the last of its part. */
export function windowAt(part: Part, id: string, days: number, nowMs: number) {
  const topMs = id === TOP ? nowMs : Math.min(nowMs, runIdTimeMs(id))
  const floor = idOf(dayStart(topMs - 1) - days * DAY_MS)
  return days > WINDOW_DAYS_MAX || floor <= part.floor
    ? { floor: part.floor, isLast: true }
    : { floor, isLast: false }
}

/** Sources not partitioned by day are small or have an index over all days: one more step does. */
export function nextDays(days: number, sources: readonly string[]): number {
  if (!sources.some((source) => BY_DAY.includes(source))) return WINDOW_DAYS_MAX + 1
  return days === 0 ? 1 : days * WINDOW_GROWS
}

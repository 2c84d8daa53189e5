/**
 * The sources of fleet events: each kind is read from the table that already holds it, in the order
 * of its time.
 */
import type { DeadLetter } from '@punctual/core/dead-letter'
import type { WorkerLoss } from '@punctual/core/queue'
import type { RunEnd } from '@punctual/core/run'
import type { EndsCursor, EndsReader, LookBounds } from '@punctual/store'
import type { ActivityEvent, ActivityType, FleetActivityType } from './event-types.ts'

export type FleetEvent = ActivityEvent<FleetActivityType>

/** The tenant, position and size of one read. */
export interface FleetRead extends LookBounds {
  readonly tenantId: number
  readonly cursor: EndsCursor
}

export interface FleetSource {
  readonly types: readonly ActivityType[]
  read(ends: EndsReader, bounds: FleetRead): Promise<FleetEvent[]>
}

export const fleetSources: readonly FleetSource[] = [
  {
    types: ['run.dead'],
    read: async (ends, { cursor, tenantId, ...bounds }) =>
      (await ends.deaths(cursor, tenantId, bounds)).map(deathOf),
  },
  {
    types: ['run.cancelled', 'run.skipped', 'run.unknown'],
    read: async (ends, { cursor, tenantId, ...bounds }) =>
      (await ends.ends(cursor, tenantId, bounds)).flatMap(endOf),
  },
  {
    types: ['worker.lost'],
    read: async (ends, { cursor, tenantId: _, ...bounds }) =>
      (await ends.losses(cursor, bounds)).map(lossOf),
  },
]

/** Sorts events by their time. */
export function inOrder(found: readonly FleetEvent[]): FleetEvent[] {
  return [...found].sort((a, b) => a.at.getTime() - b.at.getTime())
}

function deathOf(deadLetter: DeadLetter): FleetEvent {
  const {
    id: runId,
    handler,
    queue,
    attempts: attempt,
    reason,
    error,
    job,
    diedAt: at,
  } = deadLetter
  const facts = { runId, handler, queue, attempt, jobId: job?.id ?? null }
  return { type: 'run.dead', at, ...facts, reason, error }
}

function endOf({ state, error, reason, at, ...facts }: RunEnd): FleetEvent[] {
  if (state === 'cancelled') return [{ type: 'run.cancelled', at, ...facts, reason }]
  if (state === 'skipped') return [{ type: 'run.skipped', at, ...facts, reason }]
  return state === 'unknown' ? [{ type: 'run.unknown', at, ...facts, error }] : []
}

function lossOf(loss: WorkerLoss): FleetEvent {
  return { type: 'worker.lost', ...loss }
}

/** Where events of the fleet are read from: each kind from the table that holds it anyway, in the order of its time. */
import type { DeadLetter } from '@punctual/core/dead-letter'
import type { EndsCursor, EndsReader, LookBounds, RunEnd, WorkerLoss } from '@punctual/store'
import type { ActivityEvent, ActivityType, FleetActivityType } from './event-types.ts'

export type FleetEvent = ActivityEvent<FleetActivityType>

/** A look at one source: whose, and how much. */
export interface FleetLook extends LookBounds {
  readonly tenantId: number
  readonly cursor: EndsCursor
}

export interface FleetSource {
  readonly of: readonly ActivityType[]
  look(ends: EndsReader, look: FleetLook): Promise<FleetEvent[]>
}

export const fleetSources: readonly FleetSource[] = [
  {
    of: ['run.dead'],
    look: async (ends, { cursor, tenantId, ...bounds }) =>
      (await ends.deaths(cursor, tenantId, bounds)).map(deathOf),
  },
  {
    of: ['run.cancelled', 'run.skipped', 'run.unknown'],
    look: async (ends, { cursor, tenantId, ...bounds }) =>
      (await ends.ends(cursor, tenantId, bounds)).flatMap(endOf),
  },
  {
    of: ['worker.lost'],
    look: async (ends, { cursor, tenantId: _, ...bounds }) =>
      (await ends.losses(cursor, bounds)).map(lossOf),
  },
]

/** What happened first, first. */
export function inOrder(found: readonly FleetEvent[]): FleetEvent[] {
  return [...found].sort((a, b) => a.at.getTime() - b.at.getTime())
}

function deathOf(letter: DeadLetter): FleetEvent {
  const { id: runId, handler, queue, attempts: attempt, reason, error, job, diedAt: at } = letter
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

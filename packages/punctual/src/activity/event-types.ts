/**
 * The types of events that a program can listen to, and which of them are available for the whole
 * fleet.
 */
import { refuseOption } from '@punctual/core/check'
import { type Failure, PunctualError } from '@punctual/core/errors'
import type { AttemptOutcome } from '@punctual/core/run'
import type { SubmitOutcome } from '@punctual/core/submit'

/** The fields that every event of a run has. */
export interface RunFacts {
  /** The id of the run. */
  readonly runId: string
  /** The name of its handler. */
  readonly handler: string
  /** The name of its queue. */
  readonly queue: string
  /**
   * The number of the attempt, from 1; for a run that ended between attempts, how many it had made.
   */
  readonly attempt: number
  /** The job of the run; null for a submitted run. */
  readonly jobId: string | null
}

/** All event types with their fields. */
export interface ActivityEvents {
  /**
   * A run was committed. Not sent for runs submitted in your own transaction, because it may roll
   * back.
   */
  'run.submitted': {
    readonly runId: string
    readonly handler: string
    readonly queue: string
    /** False when a run with the same key existed; `runId` is then that run. */
    readonly created: boolean
    /** `replaced` when that run was changed: see `onConflict`. */
    readonly outcome: SubmitOutcome
  }
  /** The run's handler is about to be called, or `punctual.claim` claimed the run. */
  'run.started': RunFacts & { readonly dueAt: Date; readonly latenessMs: number }
  /** The run succeeded, and its success is stored. */
  'run.succeeded': RunFacts
  /** An attempt failed or timed out; `run.retrying` or `run.dead` follows. */
  'run.failed': RunFacts & { readonly outcome: AttemptOutcome; readonly error: Failure }
  /** The run will be retried after `delayMs`. */
  'run.retrying': RunFacts & {
    readonly outcome: AttemptOutcome
    readonly error: Failure
    readonly delayMs: number
  }
  /** The run will not be retried; it is now a dead letter. */
  'run.dead': RunFacts & { readonly reason: string; readonly error: Failure | null }
  /** The run was cancelled. */
  'run.cancelled': RunFacts & { readonly reason: string | null }
  /** The run was skipped: it did not run and will not. */
  'run.skipped': RunFacts & { readonly reason: string | null }
  /** The outcome is unknown: an at-most-once run whose worker was lost after its start. */
  'run.unknown': RunFacts & { readonly error: Failure | null }
  /** A job was paused, by a caller or because too many of its runs died in a row. */
  'job.paused': { readonly jobId: string; readonly job: string; readonly note: string | null }
  /** A worker sent no heartbeat for a whole lease; its runs returned to the queue. */
  'worker.lost': { readonly workerId: string; readonly host: string; readonly pid: number }
}

/** The type of an event. */
export type ActivityType = keyof ActivityEvents

/** An event: its type, when it happened by the database's clock, and the fields of its type. */
export type ActivityEvent<Name extends ActivityType = ActivityType> = {
  [N in Name]: { readonly type: N; readonly at: Date } & ActivityEvents[N]
}[Name]

/** Types available for the whole fleet: ends that the tables hold in the order of their times. */
export const fleetActivity = [
  'run.dead',
  'run.cancelled',
  'run.skipped',
  'run.unknown',
  'worker.lost',
] as const satisfies readonly ActivityType[]
/**
 * The event types that `fleet: true` makes available: the database stores them for all processes.
 */
export type FleetActivityType = (typeof fleetActivity)[number]

/** Types that a process reports about its own work. */
export const localActivity = [
  'run.submitted',
  'run.started',
  'run.succeeded',
  'run.failed',
  'run.retrying',
  'run.dead',
  'run.cancelled',
  'job.paused',
  'worker.lost',
] as const satisfies readonly ActivityType[]
/** The event types that a process reports about its own work. */
export type LocalActivityType = (typeof localActivity)[number]

const all: readonly ActivityType[] = [
  ...new Set<ActivityType>([...localActivity, ...fleetActivity]),
]

/** Refuses an unknown type, and a type that is not available with the requested reach. */
export function checkActivityType(type: unknown, fleet: boolean): ActivityType {
  const name = all.find((known) => known === type) ?? refuseOption('type', all.join(' or '), type)
  const known: readonly ActivityType[] = fleet ? fleetActivity : localActivity
  if (known.includes(name)) return name
  const message = fleet
    ? `${name} is only available for this process, because reporting it for the fleet would cost an extra write per run. Leave out fleet and listen in each process. Available for the fleet: ${fleetActivity.join(', ')}.`
    : `${name} happens outside this process. Listen with { fleet: true }.`
  throw new PunctualError('invalid_option', message, { field: 'fleet' })
}

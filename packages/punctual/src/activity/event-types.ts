/** The events that a program may listen to, by name, and which of them are known of the whole fleet. */
import { refuseOption } from '@punctual/core/check'
import { type Failure, PunctualError } from '@punctual/core/errors'
import type { AttemptOutcome } from '@punctual/core/run'
import type { SubmitOutcome } from '@punctual/core/submit'

/** What every event of a run tells. */
export interface RunFacts {
  /** The id of the run. */
  readonly runId: string
  /** The name of its handler. */
  readonly handler: string
  /** Its queue. */
  readonly queue: string
  /** The attempt that it is about, 1 for the first; of a run that ended without one, how many it had had. */
  readonly attempt: number
  /** The job that it is a run of; null for one that was submitted. */
  readonly jobId: string | null
}

/** The events by name, each with what it tells. */
export interface ActivityEvents {
  /** A run was committed. Not told of those that are submitted in your own transaction, which may roll back. */
  'run.submitted': {
    readonly runId: string
    readonly handler: string
    readonly queue: string
    /** False when a run had the key: then this is that one. */
    readonly created: boolean
    /** `replaced` when that one was changed: see `onConflict`. */
    readonly outcome: SubmitOutcome
  }
  /** Its handler is about to be called, or it was claimed by a loop of one's own. */
  'run.started': RunFacts & { readonly dueAt: Date; readonly latenessMs: number }
  /** Its success is stored. */
  'run.succeeded': RunFacts
  /** An attempt failed or timed out; `run.retrying` or `run.dead` follows. */
  'run.failed': RunFacts & { readonly outcome: AttemptOutcome; readonly error: Failure }
  /** It will be tried again. */
  'run.retrying': RunFacts & {
    readonly outcome: AttemptOutcome
    readonly error: Failure
    readonly delayMs: number
  }
  /** It will not be tried again; it is a dead letter now. */
  'run.dead': RunFacts & { readonly reason: string; readonly error: Failure | null }
  /** Somebody cancelled it. */
  'run.cancelled': RunFacts & { readonly reason: string | null }
  /** It did not run, and will not. */
  'run.skipped': RunFacts & { readonly reason: string | null }
  /** It is delivered at most once, and its worker was lost after its start. */
  'run.unknown': RunFacts & { readonly error: Failure | null }
  /** A job was paused, by somebody or for too many dead runs in a row. */
  'job.paused': { readonly jobId: string; readonly job: string; readonly note: string | null }
  /** A worker was not heard of for a whole lease, and its runs went to others. */
  'worker.lost': { readonly workerId: string; readonly host: string; readonly pid: number }
}

/** The name of an event. */
export type ActivityType = keyof ActivityEvents

/** An event: its name, when it happened by the database's clock, and what it tells. */
export type ActivityEvent<Name extends ActivityType = ActivityType> = {
  [N in Name]: { readonly type: N; readonly at: Date } & ActivityEvents[N]
}[Name]

/** What can be known of all processes: ends that the tables hold in the order of their times. */
export const fleetActivity = [
  'run.dead',
  'run.cancelled',
  'run.skipped',
  'run.unknown',
  'worker.lost',
] as const satisfies readonly ActivityType[]
/** What can be known of all processes: ends that the tables hold in the order of their times. */
export type FleetActivityType = (typeof fleetActivity)[number]

/** What a process knows of what it does itself. */
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
/** What a process knows of what it does itself. */
export type LocalActivityType = (typeof localActivity)[number]

const all: readonly ActivityType[] = [
  ...new Set<ActivityType>([...localActivity, ...fleetActivity]),
]

/** Refuses a name that is none, and one that cannot be had with the reach that was asked for. */
export function checkActivityType(type: unknown, fleet: boolean): ActivityType {
  const name = all.find((it) => it === type) ?? refuseOption('type', all.join(' or '), type)
  const known: readonly ActivityType[] = fleet ? fleetActivity : localActivity
  if (known.includes(name)) return name
  const message = fleet
    ? `${name} is told only of what this process does: to tell it of the fleet, every run would have to be written down once more. Leave fleet out, and listen in each process. Of the fleet: ${fleetActivity.join(', ')}.`
    : `${name} happens where no listener is asked. Listen with { fleet: true }.`
  throw new PunctualError('invalid_option', message, { field: 'fleet' })
}

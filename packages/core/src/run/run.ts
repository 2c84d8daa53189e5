/**
 * A run as the API and the library return it: a union on `state`, so a running run has a lease and
 * a finished one an end.
 */

import type { Failure } from '../errors/failure.ts'
import type { RunConcurrency, RunRate } from '../flow/flow.ts'
import type { Target } from '../target/target.ts'
import type { Resolution } from './resolution.ts'
import type { Delivery, RunPolicy } from './run-policy.ts'
import type { AttemptOutcome, FinalState, RunState } from './run-state.ts'

/** One finished attempt at a run. */
export interface Attempt {
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** How it ended. */
  readonly outcome: AttemptOutcome
  /** When its handler was called; null when it never was. */
  readonly startedAt: Date | null
  /** When its outcome was stored. */
  readonly endedAt: Date
  /** The worker that made it; null when unknown. */
  readonly workerId: string | null
  /** The error; null when the attempt did not fail. */
  readonly error: Failure | null
}

/** The job and slot of a run. */
export interface JobOfRun {
  /** The id of the job. */
  readonly id: string
  /** The name of the job; null when the job was deleted. */
  readonly name: string | null
  /** The nominal instant; null when the job was triggered by hand. */
  readonly slotAt: Date | null
  /**
   * The first missed slot that the run catches up together with its own; null without missed slots.
   */
  readonly missedFrom: Date | null
}

/** The fields that every run has in every state. */
export interface RunDefinition {
  /** A UUID; ids sort in the order of submission. */
  readonly id: string
  /** The number of the tenant that owns it. */
  readonly tenantId: number
  /** The name of the handler that executes it. */
  readonly handler: string
  /** What performs it: its handler, or another target. */
  readonly target: Target
  /** The queue from which workers claim it. */
  readonly queue: string
  /** From 0 to 10, higher first. */
  readonly priority: number
  /** The argument of its handler, as submitted. */
  readonly payload: unknown
  /**
   * The requested start of its first attempt, set at submission or by rescheduling before that
   * start.
   */
  readonly dueAt: Date
  /** When it was accepted. */
  readonly createdAt: Date
  /** The maximum number of attempts, including the first. */
  readonly maxAttempts: number
  /** How long one attempt may take. */
  readonly timeoutMs: number
  /** Its key, which one live run may have at a time; null without one. */
  readonly key: string | null
  /** Names and values given at submission. */
  readonly labels: Readonly<Record<string, string>>
  /** Who or what requested it; null when not given. */
  readonly createdBy: string | null
  /** The W3C trace context of the submitter. */
  readonly trace: string | null
  /** The job that it is a run of; null for a submitted run. */
  readonly job: JobOfRun | null
  /** How often its effects may happen. */
  readonly delivery: Delivery
  /** When it is retried, and how often its handler must send a heartbeat. */
  readonly policy: RunPolicy
  /** The instant from which no attempt begins; null when it never expires. */
  readonly expiresAt: Date | null
  /** The id of the run that this run replays. */
  readonly replayOf: string | null
  /** The id of the run that replays this run. */
  readonly replayedAs: string | null
  /** When its due time, priority or payload was last changed. */
  readonly editedAt: Date | null
  /** How many runs with its key may run at the same time; null without a key. */
  readonly concurrency: RunConcurrency | null
  /** How many runs with its key may start per unit of time; null without such a key. */
  readonly rate: RunRate | null
  /** Finished attempts, oldest first. */
  readonly attempts: readonly Attempt[]
  /**
   * Whether more than one attempt has passed its start mark, so that the handler's effects may have
   * happened more than once. The mark of an attempt is its claim; with delivery `at-most-once`, and
   * after a crash, it is a separate commit.
   */
  readonly possibleDuplicate: boolean
}

/** A run that has not started, or waits for its next attempt. */
export interface WaitingRun extends RunDefinition {
  /**
   * `waiting` for something other than time, `scheduled` for its time, or `queued` for a worker.
   */
  readonly state: 'waiting' | 'scheduled' | 'queued'
  /** The earliest time at which it may be claimed. */
  readonly nextAt: Date
  /** The obstacle of a `waiting` run: another run of its job, or a place of its concurrency key. */
  readonly waitsFor: 'overlap' | 'concurrency' | null
}

/** A run that a worker holds. */
export interface RunningRun extends RunDefinition {
  /** `cancelling` once its handler was signalled to stop. */
  readonly state: 'running' | 'cancelling'
  /** The worker that holds it. */
  readonly workerId: string
  /** When the worker claimed it. */
  readonly claimedAt: Date
  /** Why it is being cancelled; null while it is not. */
  readonly cancelReason: string | null
  /** The last progress reported by its handler; null before the first report. */
  readonly progress: unknown
}

/** A run whose target has accepted the work and reports its outcome. No worker holds it. */
export interface AwaitingRun extends RunDefinition {
  /** It has not ended, and its target works on it. */
  readonly state: 'awaiting'
  /** When the worker claimed it that passed it to the target. */
  readonly claimedAt: Date
  /** The instant until which the report is awaited. */
  readonly deadlineAt: Date
  /** Where the state of the work can be looked up; null when the target named no address. */
  readonly statusUrl: string | null
  /** The last reported progress; null before the first report. */
  readonly progress: unknown
}

/** The resolution of an unknown run. */
export interface RunResolution {
  /** The outcome that the user reported. */
  readonly as: Resolution
  /** When it was resolved. */
  readonly at: Date
  /** The note of the resolution; null without one. */
  readonly note: string | null
  /** Who resolved it; null when not given. */
  readonly by: string | null
}

/** A run that has ended. */
export interface FinishedRun extends RunDefinition {
  /** How it ended. */
  readonly state: FinalState
  /** When its first attempt started; null when none did. */
  readonly startedAt: Date | null
  /** When its end was stored. */
  readonly finishedAt: Date
  /** The return value of its handler; null unless it succeeded. */
  readonly output: unknown
  /** The error of the last attempt; null when it did not fail. */
  readonly error: Failure | null
  /** The reason for its end, where the state alone does not say it. */
  readonly reason: string | null
  /** First start minus `dueAt`, in milliseconds; null when it never started. */
  readonly latenessMs: number | null
  /** The resolution of an unknown run; null for runs that were never unknown or are unresolved. */
  readonly resolved: RunResolution | null
}

/** A run. Narrow on `state` to get the fields that only some states have. */
export type Run = WaitingRun | RunningRun | AwaitingRun | FinishedRun

/** A run as lists show it. */
export interface RunSummary {
  /** The id of the run. */
  readonly id: string
  /** The current state. */
  readonly state: RunState
  /** The name of its handler. */
  readonly handler: string
  /** The queue from which workers claim it. */
  readonly queue: string
  /** From 0 to 10, higher first. */
  readonly priority: number
  /** The requested start. */
  readonly dueAt: Date
  /** The number of finished attempts. */
  readonly attempt: number
  /** When it ended; null while it is live. */
  readonly finishedAt: Date | null
  /** The message of its last error; null without one. */
  readonly error: string | null
}

/** The position of a line in the log of its run: sorted by attempt, then by number. */
export interface LogPosition {
  /** The attempt that wrote it. */
  readonly attempt: number
  /** Its number in that attempt, from 0. */
  readonly seq: number
}

/** A line of the log of a run. */
export interface LogLine extends LogPosition {
  /** When it was written, by the clock of the database. */
  readonly at: Date
  /** The severity. */
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** The message, up to 32,768 characters. */
  readonly message: string
  /** The data logged with the message; null without any. */
  readonly data: unknown
}

/** A run as people see it: a union on `state`, so that a running one has a lease and a finished one has an end. */

import type { Failure } from '../errors/failure.ts'
import type { RunConcurrency, RunRate } from '../flow/flow.ts'
import type { Resolution } from './resolution.ts'
import type { Delivery, RunPolicy } from './run-policy.ts'
import type { AttemptOutcome, FinalState, RunState } from './run-state.ts'

/** One attempt at a run that has ended. */
export interface Attempt {
  /** 1 for the first. */
  readonly attempt: number
  /** How it ended. */
  readonly outcome: AttemptOutcome
  /** When its handler was called; null when it never was. */
  readonly startedAt: Date | null
  /** When its end was stored. */
  readonly endedAt: Date
  /** The worker that made it; null when it is not known. */
  readonly workerId: string | null
  /** What went wrong; null when nothing did. */
  readonly error: Failure | null
}

/** The job and the slot that a run is of. */
export interface JobOfRun {
  /** The id of the job. */
  readonly id: string
  /** Null when the job was deleted. */
  readonly name: string | null
  /** The nominal instant; null when the job was triggered by hand. */
  readonly slotAt: Date | null
  /** The first slot that it makes up for together with its own; null when it makes up for none. */
  readonly missedFrom: Date | null
}

/** What every run has, whatever its state. */
export interface RunDefinition {
  /** A UUID whose order is that of submission. */
  readonly id: string
  /** The tenant that it belongs to. */
  readonly tenantId: number
  /** The name of the handler that runs it. */
  readonly handler: string
  /** The queue that workers take it from. */
  readonly queue: string
  /** From 0 to 10, higher first. */
  readonly priority: number
  /** What its handler is called with, as it was submitted. */
  readonly payload: unknown
  /** When its first attempt was asked to start: at its submission, or by rescheduling it before that. */
  readonly dueAt: Date
  /** When it was accepted. */
  readonly createdAt: Date
  /** How many attempts are made at most, the first included. */
  readonly maxAttempts: number
  /** How long one attempt may take. */
  readonly timeoutMs: number
  /** Its key, of which one run is live at a time; null without one. */
  readonly key: string | null
  /** Names and values that were given with it. */
  readonly labels: Readonly<Record<string, string>>
  /** Who or what asked for it, where that was said. */
  readonly createdBy: string | null
  /** The W3C trace context of whoever submitted it. */
  readonly trace: string | null
  /** The job that it is a run of; null for a run that was submitted. */
  readonly job: JobOfRun | null
  /** How often its effects may happen. */
  readonly delivery: Delivery
  /** When it is tried again, and how often its handler must be heard of. */
  readonly policy: RunPolicy
  /** From then on no attempt begins; null when it is always worth running. */
  readonly expiresAt: Date | null
  /** The run that this one does again. */
  readonly replayOf: string | null
  /** The run that does this one again. */
  readonly replayedAs: string | null
  /** When somebody last changed its time, its priority or its payload. */
  readonly editedAt: Date | null
  /** So many runs of its key may go on at once; null when it has no key. */
  readonly concurrency: RunConcurrency | null
  /** So many runs of its key may start in a time; null when it has no such key. */
  readonly rate: RunRate | null
  /** Attempts that have ended, oldest first. */
  readonly attempts: readonly Attempt[]
  /**
   * More than one attempt has passed its start mark: what the handler does may have been done more than once. The mark
   * of an attempt is its claim; with delivery `at-most-once`, and after a crash, it is committed by itself.
   */
  readonly possibleDuplicate: boolean
}

/** A run that has not started, or waits for its next attempt. */
export interface WaitingRun extends RunDefinition {
  /** `waiting` for something other than time, `scheduled` for its time, or `queued` for a worker. */
  readonly state: 'waiting' | 'scheduled' | 'queued'
  /** When it may next be claimed. */
  readonly nextAt: Date
  /** What a `waiting` one waits for: another run of its job, or a place of its concurrency key. */
  readonly waitsFor: 'overlap' | 'concurrency' | null
}

/** A run that a worker has. */
export interface RunningRun extends RunDefinition {
  /** `cancelling` once its handler was asked to end. */
  readonly state: 'running' | 'cancelling'
  /** The worker that has it. */
  readonly workerId: string
  /** When the worker took it. */
  readonly claimedAt: Date
  /** Why it is asked to end; null while it is not. */
  readonly cancelReason: string | null
  /** What its handler last reported; null before the first report. */
  readonly progress: unknown
}

/** What somebody said became of an unknown run. */
export interface RunResolution {
  /** What became of it. */
  readonly as: Resolution
  /** When that was said. */
  readonly at: Date
  /** Why, where that was said. */
  readonly note: string | null
  /** By whom, where that was said. */
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
  /** What its handler returned; null unless it succeeded. */
  readonly output: unknown
  /** What the last attempt failed of; null when it did not fail. */
  readonly error: Failure | null
  /** Why it ended so, where the state alone does not say it. */
  readonly reason: string | null
  /** First start minus `dueAt`, in milliseconds; null when it never started. */
  readonly latenessMs: number | null
  /** Who said what became of it, when its worker had been lost; null when nobody had to. */
  readonly resolved: RunResolution | null
}

/** A run, by its `state`: narrow on that to get what the others do not have. */
export type Run = WaitingRun | RunningRun | FinishedRun

/** A run as lists show it. */
export interface RunSummary {
  /** Its id. */
  readonly id: string
  /** Where it is. */
  readonly state: RunState
  /** The name of its handler. */
  readonly handler: string
  /** The queue that it is in. */
  readonly queue: string
  /** From 0 to 10, higher first. */
  readonly priority: number
  /** When it was asked to start. */
  readonly dueAt: Date
  /** How many attempts were made, without the one that goes on. */
  readonly attempt: number
  /** When it ended; null while it has not. */
  readonly finishedAt: Date | null
  /** The message of its last error. */
  readonly error: string | null
}

/** Where a line stands in the log of its run: by attempt, then by number. */
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
  /** How grave it is. */
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Its text, up to 32,768 characters. */
  readonly message: string
  /** What was logged with it; null when nothing was. */
  readonly data: unknown
}

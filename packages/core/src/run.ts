/** A run as people see it: a union on `state`, so that a running one has a lease and a finished one has an end. */

import type { Failure } from './failure.ts'
import type { RunConcurrency, RunRate } from './flow.ts'
import type { Resolution } from './resolution.ts'
import type { Delivery, RunPolicy } from './run-policy.ts'
import type { AttemptOutcome, FinalState } from './run-state.ts'

export interface Attempt {
  readonly attempt: number
  readonly outcome: AttemptOutcome
  readonly startedAt: Date | null
  readonly endedAt: Date
  readonly workerId: string | null
  readonly error: Failure | null
}

interface RunDefinition {
  readonly id: string
  readonly tenantId: number
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: unknown
  /** When its first attempt was asked to start: at its submission, or by rescheduling it before that. */
  readonly dueAt: Date
  readonly createdAt: Date
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly key: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly createdBy: string | null
  readonly trace: string | null
  /** The job that it is a run of; null for a run that was submitted. */
  readonly job: {
    readonly id: string
    /** Null when the job was deleted. */
    readonly name: string | null
    /** The nominal instant; null when the job was triggered by hand. */
    readonly slotAt: Date | null
    /** The first slot that it makes up for together with its own. */
    readonly missedFrom: Date | null
  } | null
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

export interface WaitingRun extends RunDefinition {
  readonly state: 'waiting' | 'scheduled' | 'queued'
  /** When it may next be claimed. */
  readonly nextAt: Date
  /** What a `waiting` one waits for: another run of its job, or a place of its concurrency key. */
  readonly waitsFor: 'overlap' | 'concurrency' | null
}

export interface RunningRun extends RunDefinition {
  readonly state: 'running' | 'cancelling'
  readonly workerId: string
  readonly claimedAt: Date
  /** Why it is asked to end; null while it is not. */
  readonly cancelReason: string | null
  readonly progress: unknown
}

export interface FinishedRun extends RunDefinition {
  readonly state: FinalState
  readonly startedAt: Date | null
  readonly finishedAt: Date
  readonly output: unknown
  readonly error: Failure | null
  /** Why it ended so, where the state alone does not say it. */
  readonly reason: string | null
  /** First start minus `dueAt`, in milliseconds; null when it never started. */
  readonly latenessMs: number | null
  /** Who said what became of it, when its worker had been lost; null when nobody had to. */
  readonly resolved: {
    readonly as: Resolution
    readonly at: Date
    readonly note: string | null
    readonly by: string | null
  } | null
}

export type Run = WaitingRun | RunningRun | FinishedRun

export interface RunSummary {
  readonly id: string
  readonly state: Run['state']
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly dueAt: Date
  readonly attempt: number
  readonly finishedAt: Date | null
  readonly error: string | null
}

/** Where a line stands in the log of its run: by attempt, then by number. */
export interface LogPosition {
  readonly attempt: number
  readonly seq: number
}

export interface LogLine extends LogPosition {
  readonly at: Date
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly data: unknown
}

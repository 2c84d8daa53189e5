/** The store port of runs that await their targets: what targets report, and who looks after them. */
import type { Failure } from '../errors/failure.ts'
import type { AttemptOutcome, FinalState } from '../run/run-state.ts'

/** The report of a target on one attempt. */
export interface TargetReport {
  readonly outcome: 'succeeded' | 'failed'
  readonly output?: unknown
  /** `retryable` is false when another attempt cannot help. */
  readonly error?: Partial<Failure> & { readonly retryable?: boolean }
  /** How long to wait before the next attempt. */
  readonly retryAfterMs?: number
}

/** The attempt that a token speaks for. */
export interface ReportedAttempt {
  readonly tenantId: number
  readonly runId: string
  /** From 1. */
  readonly attempt: number
}

/** The state of a run after an accepted report. */
export type ReportedState = FinalState | 'retrying'

/**
 * The effect of a report. `accepted`: the run ended so, or is tried again, now or by an earlier
 * report that said the same. `ended`: the attempt ended in another way before. `superseded`: another
 * attempt follows, or has followed. `gone`: the run does not exist.
 */
export type ReportAnswer =
  | { readonly result: 'accepted'; readonly state: ReportedState }
  | {
      readonly result: 'ended'
      readonly state: FinalState
      readonly outcome: AttemptOutcome | null
    }
  | { readonly result: 'superseded' }
  | { readonly result: 'gone' }

/** The result of one look at overdue runs. */
export interface AwaitingLook {
  /** How many runs were given up. */
  readonly givenUp: number
  /** Whether more may be due. */
  readonly more: boolean
  /** Milliseconds until the next run has to be looked at; null when none awaits its target. */
  readonly nextInMs: number | null
}

export interface AwaitingStore {
  /** Ends the attempt, or lets the run be tried again, by its policy. */
  report(attempt: ReportedAttempt, report: TargetReport): Promise<ReportAnswer>
  /** Shows the progress of an attempt; false when it is not being made. */
  progress(attempt: ReportedAttempt, progress: string): Promise<boolean>
  /** Gives up runs whose targets did not report in time. */
  giveUp(limit: number): Promise<AwaitingLook>
}

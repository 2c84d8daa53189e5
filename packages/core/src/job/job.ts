/** A job as the API and the library return it. */
import type { RunConcurrency, RunRate } from '../flow/flow.ts'
import type { RetryPolicy } from '../run/retry.ts'
import type { Delivery } from '../run/run-policy.ts'
import type { Target } from '../target/target.ts'
import type { JobRules } from './job-rules.ts'
import type { SlotReason } from './slot-decision.ts'

/** A job with its settings and its position in the schedule. */
export interface Job {
  /** A UUID that stays the same when the job is changed. */
  readonly id: string
  /** The number of the tenant that owns it. */
  readonly tenantId: number
  /** Unique within the tenant. */
  readonly name: string
  /** The name of the handler of its runs. */
  readonly handler: string
  /** What performs its runs: the handler, or another target. */
  readonly target: Target
  /** The queue of its runs. */
  readonly queue: string
  /** The priority of its runs. */
  readonly priority: number
  /** The payload of its runs. */
  readonly payload: unknown
  /** When it fires, and how its slots are decided. */
  readonly rules: JobRules
  /** The earliest slot; null without a start. */
  readonly startAt: Date | null
  /** The end: no slot is at or after this instant; null without an end. */
  readonly endAt: Date | null
  /** The maximum number of runs; null without a limit. */
  readonly maxRuns: number | null
  /** How many of `maxRuns` are left; null without a limit. */
  readonly runsLeft: number | null
  /** The number of attempts of each run, including the first. */
  readonly maxAttempts: number
  /** How long one attempt at a run may take. */
  readonly timeoutMs: number
  /** How often the effects of its runs may happen. */
  readonly delivery: Delivery
  /** When failed attempts are retried. */
  readonly retry: RetryPolicy
  /** How often the handler must send a heartbeat; null when it need not. */
  readonly heartbeatMs: number | null
  /** How many runs with its key may run at the same time; null without a key. */
  readonly concurrency: RunConcurrency | null
  /** How many runs with its key may start per unit of time; null without such a key. */
  readonly rate: RunRate | null
  /** The labels of its runs. */
  readonly labels: Readonly<Record<string, string>>
  /** A description for readers; null without one. */
  readonly description: string | null
  /** The person or team responsible for the job; null without one. */
  readonly owner: string | null
  /** Who declares it; null for a job that was not declared by a source. */
  readonly source: string | null
  /** Who or what created it; null when not given. */
  readonly createdBy: string | null
  /** Increases with every change. */
  readonly version: number
  /** When it was created. */
  readonly createdAt: Date
  /** When it was last changed. */
  readonly updatedAt: Date
  /** When it was paused; null while it is not paused. */
  readonly pausedAt: Date | null
  /** The note given when it was paused; null without one. */
  readonly pausedNote: string | null
  /** Why it cannot be planned; null when it can. */
  readonly planningError: string | null
  /** Every slot up to here is decided. */
  readonly cursorAt: Date
  /**
   * The next slot to decide; null when there is none: paused, finished, or waiting for its run to
   * end.
   */
  readonly nextAt: Date | null
  /** For a one-off job: its time was already in the past when it was created, so it ran at once. */
  readonly lateAtCreation: boolean
  /** Consecutive dead runs, counted when `pauseAfterFailures` is set. */
  readonly failures: number
}

/** The ledger entry of a slot, or of a range of slots with one decision. */
export interface Slot {
  /** The slot; of a range, the last slot. */
  readonly slotAt: Date
  /** The first slot of the range; null for a single slot. */
  readonly fromAt: Date | null
  /** How many slots the entry covers. */
  readonly slots: number
  /** Whether it became a run. */
  readonly decision: 'run' | 'skip'
  /** Why it became a run or was skipped. */
  readonly reason: SlotReason
  /** The id of the run; null when the slot was skipped. */
  readonly runId: string | null
  /** When the decision was made. */
  readonly decidedAt: Date
}

/** The effect of creating or replacing a job. */
export type JobChange = 'created' | 'updated' | 'unchanged'

/** The result of registering one job. */
export interface JobResult {
  /** The job's id. */
  readonly id: string
  /** The job's name, unique within the tenant. */
  readonly name: string
  /** Whether the job was created, updated, or already as declared. */
  readonly change: JobChange
}

/** The result of a backfill. */
export interface BackfillResult {
  /** How many runs were created. */
  readonly runs: number
  /** Slots that had already run, alone or merged with others, or had been backfilled before. */
  readonly already: number
}

/** A job as people see it. */
import type { RunConcurrency, RunRate } from '../flow.ts'
import type { RetryPolicy } from '../retry.ts'
import type { Delivery } from '../run-policy.ts'
import type { JobRules } from './job-rules.ts'
import type { SlotReason } from './slot-decision.ts'

export interface Job {
  readonly id: string
  readonly tenantId: number
  readonly name: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: unknown
  readonly rules: JobRules
  readonly startAt: Date | null
  readonly endAt: Date | null
  readonly maxRuns: number | null
  readonly runsLeft: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly delivery: Delivery
  readonly retry: RetryPolicy
  /** How often the handler of its runs must be heard of; null when it need not be. */
  readonly heartbeatMs: number | null
  /** So many runs of its key may go on at once; null when it has no key. */
  readonly concurrency: RunConcurrency | null
  /** So many runs of its key may start in a time; null when it has no such key. */
  readonly rate: RunRate | null
  readonly labels: Readonly<Record<string, string>>
  readonly description: string | null
  readonly owner: string | null
  readonly source: string | null
  readonly createdBy: string | null
  /** Counts up with every change. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly pausedAt: Date | null
  readonly pausedNote: string | null
  /** Why it cannot be planned; null when it can. */
  readonly planningError: string | null
  /** Everything up to here is decided. */
  readonly cursorAt: Date
  /** The next slot to be decided; null when there is none: paused, finished, or waiting for its run to end. */
  readonly nextAt: Date | null
  /** Of a job that runs once: its time had passed when it was made, so that it ran at once. */
  readonly lateAtCreation: boolean
  /** Dead runs in a row, where the job counts them. */
  readonly failures: number
}

/** What the ledger says of one slot, or of a range of slots for which one thing was decided. */
export interface Slot {
  readonly slotAt: Date
  /** The first slot of the range; null when it is the only one. */
  readonly fromAt: Date | null
  readonly slots: number
  readonly decision: 'run' | 'skip'
  readonly reason: SlotReason
  readonly runId: string | null
  readonly decidedAt: Date
}

export type JobChange = 'created' | 'updated' | 'unchanged'

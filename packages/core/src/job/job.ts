/** A job as people see it. */
import type { RunConcurrency, RunRate } from '../flow/flow.ts'
import type { RetryPolicy } from '../run/retry.ts'
import type { Delivery } from '../run/run-policy.ts'
import type { JobRules } from './job-rules.ts'
import type { SlotReason } from './slot-decision.ts'

/** A job as it is registered, and how far it has come. */
export interface Job {
  /** A UUID that stays when the job is changed. */
  readonly id: string
  /** The tenant that it belongs to. */
  readonly tenantId: number
  /** Unique within the tenant. */
  readonly name: string
  /** The name of the handler of its runs. */
  readonly handler: string
  /** The queue of its runs. */
  readonly queue: string
  /** The priority of its runs. */
  readonly priority: number
  /** The payload of its runs. */
  readonly payload: unknown
  /** When it fires, and what becomes of its slots. */
  readonly rules: JobRules
  /** No slot before this; null when it has no start. */
  readonly startAt: Date | null
  /** No slot from this on; null when it has no end. */
  readonly endAt: Date | null
  /** The most runs that are made; null without a limit. */
  readonly maxRuns: number | null
  /** How many of them are left. */
  readonly runsLeft: number | null
  /** How many attempts its runs have. */
  readonly maxAttempts: number
  /** How long an attempt at one of its runs may take. */
  readonly timeoutMs: number
  /** How often the effects of its runs may happen. */
  readonly delivery: Delivery
  /** When its runs are tried again. */
  readonly retry: RetryPolicy
  /** How often the handler of its runs must be heard of; null when it need not be. */
  readonly heartbeatMs: number | null
  /** So many runs of its key may go on at once; null when it has no key. */
  readonly concurrency: RunConcurrency | null
  /** So many runs of its key may start in a time; null when it has no such key. */
  readonly rate: RunRate | null
  /** The labels of its runs. */
  readonly labels: Readonly<Record<string, string>>
  /** What it is for, in words. */
  readonly description: string | null
  /** Whom to ask about it. */
  readonly owner: string | null
  /** Who declares it; null when nobody does. */
  readonly source: string | null
  /** Who or what made it, where that was said. */
  readonly createdBy: string | null
  /** Counts up with every change. */
  readonly version: number
  /** When it was registered. */
  readonly createdAt: Date
  /** When it was last changed. */
  readonly updatedAt: Date
  /** When it was paused; null when it is not. */
  readonly pausedAt: Date | null
  /** Why it was paused, where that was said. */
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
  /** The slot; of a range, the last one. */
  readonly slotAt: Date
  /** The first slot of the range; null when it is the only one. */
  readonly fromAt: Date | null
  /** How many slots it stands for. */
  readonly slots: number
  /** Whether it became a run. */
  readonly decision: 'run' | 'skip'
  /** Why it did, or did not. */
  readonly reason: SlotReason
  /** The run that it became; null when it was skipped. */
  readonly runId: string | null
  /** When that was decided. */
  readonly decidedAt: Date
}

/** What registering a job came to. */
export type JobChange = 'created' | 'updated' | 'unchanged'

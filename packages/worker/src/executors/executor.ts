/**
 * What performs the runs of one kind of target. An executor says how far it came when it failed: a
 * run that must not be performed twice depends on that.
 */
import type { Failure } from '@punctual/core/errors'
import type { Target } from '@punctual/core/target'
import type { Callback } from '../handler/awaiting.ts'
import type { RunLog, SlotOfRun } from '../handler/handler.ts'

/** One attempt of a run, as an executor sees it. */
export interface Call {
  readonly runId: string
  readonly tenantId: number
  readonly queue: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  /** Identical in all attempts of the run. */
  readonly idempotencyKey: string
  readonly payload: unknown
  readonly dueAt: Date
  readonly timeoutMs: number
  /** The job and its slot; null for a submitted run. */
  readonly job: SlotOfRun | null
  /** The W3C trace context of the submitter; null when there was none. */
  readonly trace: string | null
  /** Whether the target must not be reached a second time when it is unknown what it did. */
  readonly atMostOnce: boolean
  readonly log: RunLog
  /** Reads a secret of the tenant; its value is removed from everything that is stored. */
  secret(name: string): Promise<string>
  /** Reports that the target is alive. */
  heartbeat(): void
  /** Where the target reports its outcome later, and the token that it shows. */
  callback(): Promise<Callback>
}

/** Whether the target has received the request: certainly not, perhaps, or certainly. */
export type Reached = 'no' | 'perhaps' | 'yes'

export type ExecutionOutcome =
  | { readonly kind: 'succeeded'; readonly output?: unknown }
  | {
      readonly kind: 'failed'
      readonly failure: Failure
      readonly reached: Reached
      /** False when another attempt would fail in the same way. @default true */
      readonly retry?: boolean
      /** How long the target asked to be left alone. */
      readonly retryAfterMs?: number
    }
  | {
      /** The target has accepted the work and reports its outcome later. */
      readonly kind: 'awaiting'
      /** How long to wait for it; the timeout of the run when left out. */
      readonly timeoutMs?: number
      /** Where its state can be looked up. */
      readonly statusUrl?: string
    }

/** A request that is ready to be sent. */
export interface Execution {
  /**
   * Performs it, once. `fence` grows with every lease of the run: a target may refuse smaller ones.
   * After the signal it ends within a second, and what it started is ended.
   */
  execute(signal: AbortSignal, fence: string): Promise<ExecutionOutcome>
}

export interface Executor<Kind extends Target = Target> {
  readonly kind: Kind['kind']
  /**
   * Does everything that can fail before the target is reached: templates, secrets, packages. What
   * it throws counts as not reached.
   */
  prepare(target: Kind, call: Call): Promise<Execution>
  /** Closes connections and ends what is still running. */
  close(): Promise<void>
}

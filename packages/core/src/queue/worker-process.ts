/** A worker as it is listed. */
import type { StuckHandler } from '../ports/work.ts'
import type { FinalState } from '../run/run-state.ts'

/**
 * The state of a worker. `active`: it claims work. `draining`: it claims nothing more, because a
 * drain was requested or it is stopping. `lost`: it sent no heartbeat for a whole lease; the reaper
 * will return its runs to the queue. `offline`: it ended within the last day.
 */
export type WorkerState = 'active' | 'draining' | 'lost' | 'offline'

/** A worker: a process that claims and executes runs. */
export interface WorkerProcess {
  /** The id of the worker's session; a restarted process has a new one. */
  readonly id: string
  /** Whether the worker is active, draining, lost or offline. */
  readonly state: WorkerState
  /** Host name of its machine. */
  readonly host: string
  /** Process id on that machine. */
  readonly pid: number
  /** The Punctual version it runs. */
  readonly version: string
  /** How many runs it may execute at the same time. */
  readonly capacity: number
  /** Names of the handlers it has registered. */
  readonly handlers: readonly string[]
  /** Names of the queues it claims from; empty when it claims from all. */
  readonly queues: readonly string[]
  /** Labels from its `worker.labels` option. */
  readonly labels: Readonly<Record<string, string>>
  /** How many runs it is executing. */
  readonly running: number
  /**
   * Runs that it ended in the last hour, by final state. Attempts that will be retried do not
   * count.
   */
  readonly endedLastHour: Readonly<Record<FinalState, number>>
  /**
   * Dead and unknown runs divided by those that succeeded, died or became unknown; null when there
   * are none.
   */
  readonly failureRate: number | null
  /** Handlers that are still executing although their attempts have ended. */
  readonly stuck: readonly StuckHandler[]
  /** When its session was opened. */
  readonly openedAt: Date
  /** Its last heartbeat; null once it is offline. */
  readonly renewedAt: Date | null
  /** When a drain was requested; null when none was. */
  readonly drainAskedAt: Date | null
  /** When its session ended; null while it is connected. */
  readonly endedAt: Date | null
  /** True when its session ended because it sent no heartbeat for a whole lease. */
  readonly fenced: boolean
  /** The tenant that it serves exclusively; null when it serves all tenants or is offline. */
  readonly tenantId: number | null
}

/** A worker whose lease expired without a heartbeat. */
export interface WorkerLoss {
  /** The id of the worker's session. */
  readonly workerId: string
  /** When the reaper took its runs back. */
  readonly at: Date
  /** Host name of its machine. */
  readonly host: string
  /** Process id on that machine. */
  readonly pid: number
}

/** The parts of a worker, the hints that wake it, and the events that it reports. */
import type { Clock, Random } from '@punctual/core/clock'
import type { ClaimedRun, Heartbeat, Settlement, WorkStore } from '@punctual/core/ports'
import type { Callback } from '../handler/awaiting.ts'
import type { RegisteredHandler, TransactionRunner } from '../handler/handler.ts'
import type { ReadSecret } from '../reports/secret-reads.ts'

export interface WorkerHint {
  readonly lanes: readonly number[] | null
  readonly newLane: boolean
  /** Runs whose handlers should be cancelled. */
  readonly cancels?: readonly string[]
  /** Workers that should drain, or claim again. */
  readonly sessions?: readonly string[]
}

/** The seam for logs and metrics: business code calls only these. */
export interface WorkerEvents {
  onStarted?(run: ClaimedRun, atMs: number): void
  onSettled?(settlement: Settlement, accepted: boolean): void
  onTransacted?(run: ClaimedRun): void
  /** The run returned to the queue unchanged, because its holder gave it back. */
  onGivenBack?(run: ClaimedRun): void
  onClaimed?(count: number): void
  onSessionLost?(sessionId: string): void
  onError?(what: string, error: unknown): void
}

export interface WorkerOptions {
  readonly store: WorkStore
  readonly clock: Clock
  readonly random: Random
  readonly heartbeat: Heartbeat
  readonly transaction: TransactionRunner
  /** Calls the listener when runs may be due; returns a function that stops listening. */
  readonly onHint: (listener: (hint: WorkerHint) => void) => () => void
  /** Whether hints arrive: then polling is slow. */
  readonly hintsArrive: () => boolean
  readonly handlers: ReadonlyMap<string, RegisteredHandler>
  readonly queues: readonly string[]
  readonly concurrency: number
  /**
   * How many runs may run at the same time, for programs that claim by hand: then nothing is
   * claimed ahead, and runs that no call waits for any more go back.
   * @default concurrency
   */
  readonly allowed?: () => number
  /**
   * Whether a run whose attempt has ended returns to the queue unchanged, instead of being settled.
   * @default none
   */
  readonly givesBack?: (run: ClaimedRun) => boolean
  /** Up to this many lanes, each claim covers them all; beyond, those with something due. @default 64 */
  readonly fewLanes?: number
  readonly queueConcurrency: Readonly<Record<string, number>>
  readonly leaseMs: number
  /** The largest output that is stored, in bytes of JSON. */
  readonly outputBytes: number
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly labels: Readonly<Record<string, string>>
  readonly events?: WorkerEvents
  /** Reads a secret for a handler. @default handlers cannot read secrets */
  readonly secret?: ReadSecret | undefined
  /** Where the target of a run reports its outcome. @default nowhere */
  readonly callback?: ((run: ClaimedRun) => Promise<Callback>) | undefined
}

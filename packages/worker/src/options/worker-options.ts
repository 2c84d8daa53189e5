/** What a worker is made of, what wakes it, and whom it tells. */
import type { Clock, Random } from '@punctual/core/clock'
import type { ClaimedRun, Heartbeat, Settlement, WorkStore } from '@punctual/core/ports'
import type { RegisteredHandler, TransactionRunner } from '../run/handler.ts'
import type { ReadSecret } from '../run/secret-reads.ts'

export interface WorkerHint {
  readonly lanes: readonly number[] | null
  readonly newLane: boolean
  /** Runs that are asked to end. */
  readonly cancels?: readonly string[]
  /** Workers that are asked to drain, or to take work again. */
  readonly sessions?: readonly string[]
}

/** The seam for logs and metrics: business code calls these, and nothing else. */
export interface WorkerEvents {
  onStarted?(run: ClaimedRun, atMs: number): void
  onSettled?(settlement: Settlement, accepted: boolean): void
  onTransacted?(run: ClaimedRun): void
  /** It went back as it was, because its holder said so. */
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
  /** Calls back when something may be due; returns how to stop listening. */
  readonly onHint: (listener: (hint: WorkerHint) => void) => () => void
  /** Whether hints arrive: then polling is slow. */
  readonly hintsArrive: () => boolean
  readonly handlers: ReadonlyMap<string, RegisteredHandler>
  readonly queues: readonly string[]
  readonly concurrency: number
  /**
   * How many runs may run at once where that changes, since somebody asks for runs by hand: then nothing is claimed
   * ahead, and what nobody asks for any more goes back.
   * @default concurrency
   */
  readonly allowed?: () => number
  /** Whether a run whose attempt has ended is to go back as it was, instead of being settled. @default none */
  readonly givesBack?: (run: ClaimedRun) => boolean
  readonly queueConcurrency: Readonly<Record<string, number>>
  readonly leaseMs: number
  /** The largest output that is stored. */
  readonly outputBytes: number
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly labels: Readonly<Record<string, string>>
  readonly events?: WorkerEvents
  /** How handlers read secrets. @default they cannot */
  readonly secret?: ReadSecret | undefined
}

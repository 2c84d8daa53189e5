/** What a handler is and what it is given. */
import type { ClaimedRun } from '@punctual/core'

/** Writes to the run's own log; flushed in batches, at the latest when the attempt is settled. */
export interface RunLog {
  debug(message: string, data?: unknown): void
  info(message: string, data?: unknown): void
  warn(message: string, data?: unknown): void
  error(message: string, data?: unknown): void
}

/** A connection inside of an open transaction: anything that can run a statement. */
export interface TransactionClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

export interface HandlerContext {
  readonly runId: string
  /** 1 for the first attempt. */
  readonly attempt: number
  readonly maxAttempts: number
  /** The same on every attempt of the run: hand it to whatever must not act twice. */
  readonly idempotencyKey: string
  readonly handler: string
  readonly queue: string
  readonly dueAt: Date
  /** W3C trace context of whoever submitted the run. */
  readonly trace: string | null
  /** The job that this is a run of; null for a run that was submitted. */
  readonly job: {
    readonly id: string
    /** The nominal instant; null when the job was triggered by hand. */
    readonly slotAt: Date | null
    /** When this run makes up for several slots: the first and the last of them. */
    readonly missed: { readonly from: Date; readonly to: Date } | null
  } | null
  /** Aborted at the timeout, when the run is cancelled and when the worker must stop. */
  readonly signal: AbortSignal
  readonly log: RunLog
  /** Shown while the run is running: any JSON value, a number from 0 to 1 by custom. */
  progress(value: unknown): void
  /** Says that the handler is alive, where the run asks for that (`heartbeatMs`); so do progress and checkpoints. */
  heartbeat(): void
  /**
   * Keeps how far the run has come: the next attempt finds it as `lastCheckpoint` and need not start over. Resolves
   * when it is stored; rejects with `lease_lost` when the run belongs to somebody else by now.
   */
  checkpoint(state: unknown): Promise<void>
  /** What the last checkpoint of an earlier attempt has kept; null when there is none. */
  readonly lastCheckpoint: unknown
  /** The transaction of a run with delivery `transactional`; others have none, and may open one. */
  readonly tx: TransactionClient
  /**
   * Runs the work in a transaction of Punctual's database that commits together with the run's success, or
   * not at all: what it writes happens exactly once. What the work returns becomes the run's output.
   */
  transaction<T>(work: (tx: TransactionClient) => Promise<T>): Promise<T>
}

export type HandlerFunction<Payload = unknown, Output = unknown> = (
  payload: Payload,
  context: HandlerContext,
) => Output | Promise<Output>

export interface HandlerOptions {
  /**
   * What becomes of a handler whose worker has lost its lease, so that its run is given to another: `continue`
   * lets it go on, and its outcome is refused; `abort` aborts its signal, before the lease ends where that is
   * known in time.
   * @default 'continue'; 'abort' for runs that are delivered at most once or must not overlap
   */
  readonly onLeaseLoss?: 'continue' | 'abort'
}

export interface RegisteredHandler extends HandlerOptions {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: a registry holds handlers of every payload type
  readonly run: HandlerFunction<any, any>
}

/** Settles a success inside of a transaction of the handler's own; rejects when the lease is gone. */
export type TransactionRunner = <T>(
  run: ClaimedRun,
  startedAgoMs: () => number,
  work: (tx: TransactionClient) => Promise<T>,
) => Promise<T>

/** What a handler is and what it is given. */
import type { ClaimedRun } from '@punctual/core/ports'

/** Writes to the run's own log; flushed in batches, at the latest when the attempt is settled. */
export interface RunLog {
  /** A line that helps to find a fault. */
  debug(message: string, data?: unknown): void
  /** A line that tells what happens. */
  info(message: string, data?: unknown): void
  /** A line about something that should not be so. */
  warn(message: string, data?: unknown): void
  /** A line about something that went wrong. */
  error(message: string, data?: unknown): void
}

/** A connection inside of an open transaction: anything that can run a statement. */
export interface TransactionClient {
  /** Runs one statement in the transaction. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The job that a handler is called for, and the slot. */
export interface SlotOfRun {
  /** The id of the job. */
  readonly id: string
  /** The nominal instant; null when the job was triggered by hand. */
  readonly slotAt: Date | null
  /** When this run makes up for several slots: the first and the last of them. */
  readonly missed: { readonly from: Date; readonly to: Date } | null
}

/** What a handler is given beside its payload, for one attempt. */
export interface HandlerContext {
  /** The id of the run. */
  readonly runId: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** How many attempts are made at most, the first included. */
  readonly maxAttempts: number
  /** The same on every attempt of the run: hand it to whatever must not act twice. */
  readonly idempotencyKey: string
  /** The name of the handler. */
  readonly handler: string
  /** The queue that the run was taken from. */
  readonly queue: string
  /** When the run was asked to start. */
  readonly dueAt: Date
  /** W3C trace context of whoever submitted the run. */
  readonly trace: string | null
  /** The job that this is a run of; null for a run that was submitted. */
  readonly job: SlotOfRun | null
  /** Aborted at the timeout, when the run is cancelled and when the worker must stop. */
  readonly signal: AbortSignal
  /** The log of the run, which `punctual.runs.logs` reads. */
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
  /**
   * The value of a secret of the tenant whose run this is, a few seconds old at most. From then on it is redacted from
   * what the run logs, reports, returns and throws; it is not from checkpoints.
   */
  secret(name: string): Promise<string>
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

/** What runs of a name do. What it returns becomes the output of the run; what it throws fails the attempt. */
export type HandlerFunction<Payload = unknown, Output = unknown> = (
  payload: Payload,
  context: HandlerContext,
) => Output | Promise<Output>

/** What every kind of handler may be registered with. */
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

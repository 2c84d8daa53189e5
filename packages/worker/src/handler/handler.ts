/** The handler function and its context. */
import type { ClaimedRun } from '@punctual/core/ports'
import type { Awaiting, AwaitOptions, Callback } from './awaiting.ts'

/**
 * Writes to the log of the run. Lines are flushed in batches, at the latest when the attempt is
 * settled.
 */
export interface RunLog {
  /** Writes a line with details for diagnosis. */
  debug(message: string, data?: unknown): void
  /** Writes a line about normal operation. */
  info(message: string, data?: unknown): void
  /** Writes a line about an unexpected condition. */
  warn(message: string, data?: unknown): void
  /** Writes a line about a failure. */
  error(message: string, data?: unknown): void
}

/** A connection inside an open transaction, on which statements can be run. */
export interface TransactionClient {
  /** Runs one statement in the transaction. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The job and the slot that a run belongs to. */
export interface SlotOfRun {
  /** The id of the job. */
  readonly id: string
  /** The instant of the slot; null when the job was triggered. */
  readonly slotAt: Date | null
  /** When this run stands for several missed slots: the first and the last of them; else null. */
  readonly missed: { readonly from: Date; readonly to: Date } | null
}

/** The context of one attempt, passed to the handler after the payload. */
export interface HandlerContext {
  /** The id of the run. */
  readonly runId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The most attempts that are made, including the first. */
  readonly maxAttempts: number
  /** Identical in all attempts of the run: pass it to systems that must not act twice. */
  readonly idempotencyKey: string
  /** The name of the handler. */
  readonly handler: string
  /** The queue of the run. */
  readonly queue: string
  /** When the run was due. */
  readonly dueAt: Date
  /** The W3C trace context passed to `submit`; null when there was none. */
  readonly trace: string | null
  /** The job of the run; null for a submitted run. */
  readonly job: SlotOfRun | null
  /** Aborted at the timeout, when the run is cancelled, and when the worker must stop. */
  readonly signal: AbortSignal
  /** The log of the run; `punctual.runs.logs` reads it. */
  readonly log: RunLog
  /**
   * Sets the progress shown while the run is running: any JSON value, by convention a number from 0
   * to 1.
   */
  progress(value: unknown): void
  /**
   * Reports that the handler is alive, for runs with `heartbeatMs`. Progress and checkpoints do so,
   * too.
   */
  heartbeat(): void
  /**
   * Stores how far the run has come: the next attempt receives it as `lastCheckpoint`. Resolves
   * when it is stored; rejects with `lease_lost` when another worker owns the run.
   */
  checkpoint(state: unknown): Promise<void>
  /**
   * Reads a secret of the run's tenant; the value is at most a few seconds old. From then on the
   * value is redacted from logs, progress, output and errors of the run, but not from checkpoints.
   */
  secret(name: string): Promise<string>
  /**
   * Where something outside reports the outcome of this attempt, and the token that it shows.
   * @throws `callbacks_unavailable` when this process does not know the address of the API
   */
  callback(): Promise<Callback>
  /**
   * `return ctx.awaitCallback()` leaves the run to its target: it is `awaiting` and occupies no
   * worker until the outcome is reported, or the time is over.
   */
  awaitCallback(options?: AwaitOptions): Awaiting
  /** The state that the last checkpoint of an earlier attempt stored; null when there is none. */
  readonly lastCheckpoint: unknown
  /**
   * The transaction of a run with delivery `transactional`. Other runs have none; they can call
   * `transaction`.
   */
  readonly tx: TransactionClient
  /**
   * Runs the work in a transaction of Punctual's database that commits together with the success of
   * the run, or not at all: its writes happen exactly once. The result of the work becomes the
   * output of the run.
   */
  transaction<T>(work: (tx: TransactionClient) => Promise<T>): Promise<T>
}

/** Executes a run. The returned value becomes the run's output; an error fails the attempt. */
export type HandlerFunction<Payload = unknown, Output = unknown> = (
  payload: Payload,
  context: HandlerContext,
) => Output | Promise<Output>

/** Options of every kind of handler. */
export interface HandlerOptions {
  /**
   * How a running handler is treated when its worker loses its lease and another worker claims the
   * run. `continue`: the handler continues and its outcome is refused. `abort`: its signal is
   * aborted, before the lease ends if that is known in time.
   * @default 'continue'; 'abort' for runs that are delivered at most once or must not overlap
   */
  readonly onLeaseLoss?: 'continue' | 'abort'
}

export interface RegisteredHandler extends HandlerOptions {
  readonly name: string
  // biome-ignore lint/suspicious/noExplicitAny: a registry holds handlers of every payload type
  readonly run: HandlerFunction<any, any>
}

/** Settles a success inside a transaction of the handler; rejects when the lease is lost. */
export type TransactionRunner = <T>(
  run: ClaimedRun,
  startedAgoMs: () => number,
  work: (tx: TransactionClient) => Promise<T>,
) => Promise<T>

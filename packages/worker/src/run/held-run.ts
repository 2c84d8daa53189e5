/**
 * A run that `punctual.claim` returned. To the worker it is an attempt whose handler has not
 * returned yet; the program's call settles that handler. So timeouts, cancellation, fencing and
 * retries work as for every attempt. Only the first call counts.
 */
import { RetryAfterError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import type { HandlerContext } from '../handler/handler.ts'

/**
 * How a held run ended. `retrying`: it will be retried. `given_back`: it waits in the queue again,
 * unchanged. `refused`: another worker owned the run, and nothing was stored. `awaiting`: its target
 * reports the outcome. `unknown`: it must not run twice, and nobody knows what its target did.
 */
export type RunFate =
  | 'succeeded'
  | 'retrying'
  | 'dead'
  | 'cancelled'
  | 'given_back'
  | 'refused'
  | 'awaiting'
  | 'unknown'

/**
 * A run returned by `punctual.claim`. It stays leased until you settle it with one of its methods;
 * only the first call counts.
 */
export interface HeldRun<Payload = unknown> {
  /** The id of the run. */
  readonly id: string
  /** The name of the handler that the run was submitted to. */
  readonly handler: string
  /** The queue of the run. */
  readonly queue: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The payload of the run. */
  readonly payload: Payload
  /**
   * Aborted at the timeout, when the run is cancelled, when the lease is lost and when Punctual
   * stops.
   */
  readonly signal: AbortSignal
  /** The context that a handler would receive: log, progress, checkpoints, transactions. */
  readonly context: HandlerContext
  /** Settles the run as succeeded. Resolves when that is stored, with how the run ended. */
  complete(output?: unknown): Promise<RunFate>
  /** Fails the attempt: the run is retried by its policy, or is dead. */
  fail(error: unknown): Promise<RunFate>
  /** Fails the attempt and delays the next one by `delayMs`. */
  retryLater(delayMs: number, message?: string): Promise<RunFate>
  /** Returns the run to the queue unchanged; the attempt does not count. */
  giveBack(): Promise<RunFate>
}

interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

function deferred<T>(): Deferred<T> {
  const made = {} as { -readonly [Key in keyof Deferred<T>]: Deferred<T>[Key] }
  made.promise = new Promise<T>((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

export class Held implements HeldRun {
  readonly run: ClaimedRun
  readonly payload: unknown
  readonly context: HandlerContext
  /** True when the run is to be returned to the queue unchanged. */
  returns = false
  readonly #onSettled: () => void
  readonly #work = deferred<unknown>()
  readonly #fate = deferred<RunFate>()
  #settled = false

  constructor(run: ClaimedRun, payload: unknown, context: HandlerContext, onSettled: () => void) {
    this.run = run
    this.payload = payload
    this.context = context
    this.#onSettled = onSettled
  }

  get id(): string {
    return this.run.id
  }
  get handler(): string {
    return this.run.handler
  }
  get queue(): string {
    return this.run.queue
  }
  get attempt(): number {
    return this.run.attempt + 1
  }
  get signal(): AbortSignal {
    return this.context.signal
  }
  /** The promise that the attempt waits for, in place of a handler's. */
  get work(): Promise<unknown> {
    return this.#work.promise
  }

  complete(output?: unknown): Promise<RunFate> {
    return this.#settle(() => this.#work.resolve(output))
  }

  fail(error: unknown): Promise<RunFate> {
    return this.#settle(() => this.#work.reject(error))
  }

  retryLater(delayMs: number, message?: string): Promise<RunFate> {
    return this.fail(new RetryAfterError(delayMs, message))
  }

  giveBack(): Promise<RunFate> {
    return this.#settle(() => {
      this.returns = true
      this.#work.reject(new Error('The run was given back.'))
    })
  }

  #settle(perform: () => void): Promise<RunFate> {
    if (!this.#settled) {
      this.#settled = true
      this.#onSettled()
      perform()
    }
    return this.#fate.promise
  }

  /**
   * The attempt has ended, settled by the program or by the worker; the program's call is no longer
   * awaited.
   */
  ended(fate: RunFate): void {
    this.#fate.resolve(fate)
    void this.complete()
  }

  /** Nothing can be stored from this process any more; later calls are ignored. */
  lost(): void {
    this.#settled = true
    this.#fate.resolve('refused')
  }
}

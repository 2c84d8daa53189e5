/**
 * A run in the hands of a loop of one's own. To the worker it is an attempt whose handler has not returned yet; what its
 * holder says is what the handler returns or throws. So timeouts, cancellation, fencing and retries are those of every
 * attempt. The first word counts.
 */
import { RetryAfterError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import type { HandlerContext } from './handler.ts'

/**
 * What became of a run: `retrying` will be tried again, `given_back` waits as it was, and `refused` means that it was
 * not this process's any more, so that nothing was stored.
 */
export type RunFate = 'succeeded' | 'retrying' | 'dead' | 'cancelled' | 'given_back' | 'refused'

/**
 * A run that `punctual.claim` gave: it is kept from others until its holder says what became of it. The first word
 * counts.
 */
export interface HeldRun<Payload = unknown> {
  /** The id of the run. */
  readonly id: string
  /** The name that it was submitted to. */
  readonly handler: string
  /** The queue that it was taken from. */
  readonly queue: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** What it was submitted with. */
  readonly payload: Payload
  /** Aborted at the timeout, when the run is cancelled, when the lease is lost and when Punctual stops. */
  readonly signal: AbortSignal
  /** What a handler would be given: log, progress, checkpoints, transactions. */
  readonly context: HandlerContext
  /** It succeeded. Resolves when that is stored, with what became of the run. */
  complete(output?: unknown): Promise<RunFate>
  /** The attempt failed: the run is tried again by its policy, or is dead. */
  fail(error: unknown): Promise<RunFate>
  /** The attempt failed, and the next one is worth making after this time. */
  retryLater(delayMs: number, message?: string): Promise<RunFate>
  /** It was not begun: it waits again for anybody, and this attempt does not count. */
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
  /** It is to go back as it was. */
  returns = false
  readonly #onSaid: () => void
  readonly #work = deferred<unknown>()
  readonly #fate = deferred<RunFate>()
  #said = false

  constructor(run: ClaimedRun, payload: unknown, context: HandlerContext, onSaid: () => void) {
    this.run = run
    this.payload = payload
    this.context = context
    this.#onSaid = onSaid
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
  /** What the attempt waits for. */
  get work(): Promise<unknown> {
    return this.#work.promise
  }

  complete(output?: unknown): Promise<RunFate> {
    return this.#say(() => this.#work.resolve(output))
  }

  fail(error: unknown): Promise<RunFate> {
    return this.#say(() => this.#work.reject(error))
  }

  retryLater(delayMs: number, message?: string): Promise<RunFate> {
    return this.fail(new RetryAfterError(delayMs, message))
  }

  giveBack(): Promise<RunFate> {
    return this.#say(() => {
      this.returns = true
      this.#work.reject(new Error('It was given back.'))
    })
  }

  #say(how: () => void): Promise<RunFate> {
    if (!this.#said) {
      this.#said = true
      this.#onSaid()
      how()
    }
    return this.#fate.promise
  }

  /** The attempt has ended, by what its holder said or without it; then its holder is not waited for. */
  ended(fate: RunFate): void {
    this.#fate.resolve(fate)
    void this.complete()
  }

  /** Nothing more can be stored from here. What its holder says is not heard. */
  lost(): void {
    this.#said = true
    this.#fate.resolve('refused')
  }
}

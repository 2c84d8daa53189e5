/**
 * A handler that runs in a separate thread or process. To its attempt it is an ordinary function,
 * with one difference: after its signal is aborted it always ends within a grace period, because a
 * handler that ignores the signal is killed. So it is never stuck, and its capacity is freed. Work
 * that the kill interrupts stays as it is.
 */
import type { Clock } from '@punctual/core/clock'
import type { HandlerContext, HandlerFunction } from '../handler/handler.ts'
import type { IsolateOptions } from './isolate.ts'
import { IsolatePool, type IsolateUser, type PooledIsolate } from './isolate-pool.ts'
import type { FromIsolate, RunFacts } from './messages.ts'
import { launchProcess } from './process-isolate.ts'
import { launchThread } from './thread-isolate.ts'
import { recordThrown, reviveThrown } from './thrown.ts'

/**
 * How long a handler may take to end after its signal was aborted; an attempt is not abandoned
 * earlier.
 */
const KILL_GRACE_MS = 1_000

export interface IsolatedHandlerOptions extends IsolateOptions {
  readonly isolation: 'thread' | 'process'
  readonly clock: Clock
}

export interface IsolatedHandler {
  readonly run: HandlerFunction
  /** Ends its threads or processes. */
  close(): Promise<void>
}

export function isolatedHandler(options: IsolatedHandlerOptions): IsolatedHandler {
  const { isolation, clock } = options
  const pool = new IsolatePool(
    options,
    isolation === 'thread' ? launchThread : launchProcess,
    clock,
  )
  return {
    run: (payload, context) =>
      new Promise((resolve, reject) => {
        context.signal.throwIfAborted()
        new IsolatedCall(pool, clock, context, { resolve, reject }).start(payload)
      }),
    close: () => pool.close(),
  }
}

interface Outcome {
  resolve(output: unknown): void
  reject(thrown: unknown): void
}

class IsolatedCall implements IsolateUser {
  readonly #pool: IsolatePool
  readonly #clock: Clock
  readonly #context: HandlerContext
  readonly #outcome: Outcome
  readonly #signal: AbortSignal
  readonly #onAbort = () => this.#abort()
  #member: PooledIsolate | null = null
  #killing: (() => void) | undefined

  constructor(pool: IsolatePool, clock: Clock, context: HandlerContext, outcome: Outcome) {
    this.#pool = pool
    this.#clock = clock
    this.#context = context
    this.#outcome = outcome
    this.#signal = context.signal
  }

  start(payload: unknown): void {
    const member = this.#pool.take(this)
    this.#member = member
    this.#signal.addEventListener('abort', this.#onAbort)
    try {
      member.isolate.post({ kind: 'run', payload, facts: factsOf(this.#context) })
    } catch (error) {
      this.#leave(true)?.reject(error)
    }
  }

  #abort(): void {
    const { name, message } = this.#signal.reason as Error
    this.#member?.isolate.post({ kind: 'abort', name, message })
    this.#killing = this.#clock.after(KILL_GRACE_MS, () => {
      this.#context.log.warn('The handler ignored its signal and was killed.')
      this.#fail(this.#signal.reason)
    })
  }

  onGone(why: Error): void {
    this.#fail(why)
  }

  /** A message that cannot be read fails the attempt, never the worker. */
  onMessage(message: FromIsolate): void {
    try {
      this.#handle(message)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#leave(false)?.reject(error)
  }

  #handle(message: FromIsolate): void {
    const { kind } = message
    if (kind === 'log') {
      const data = message.data === undefined ? undefined : JSON.parse(message.data)
      this.#context.log[message.level](message.message, data)
    } else if (kind === 'progress') this.#context.progress(JSON.parse(message.value))
    else if (kind === 'heartbeat') this.#context.heartbeat()
    else if (kind === 'checkpoint')
      this.#checkpoint(message.call, message.state).catch((error: unknown) => this.#fail(error))
    else if (kind === 'secret')
      this.#secret(message.call, message.name).catch((error: unknown) => this.#fail(error))
    else if (kind === 'callback')
      this.#callback(message.call).catch((error: unknown) => this.#fail(error))
    else if (kind === 'awaits')
      this.#leave(true)?.resolve(this.#context.awaitCallback(message.options))
    else if (kind === 'returned') {
      const output: unknown = JSON.parse(message.output)
      this.#leave(true)?.resolve(output)
    } else {
      const thrown = reviveThrown(message.thrown)
      this.#leave(kind === 'threw' && !message.spent)?.reject(thrown)
    }
  }

  async #checkpoint(call: number, state: string): Promise<void> {
    const refused = await this.#context.checkpoint(JSON.parse(state)).then(() => null, recordThrown)
    this.#member?.isolate.post({ kind: 'answer', call, refused })
  }

  #secret(call: number, name: string): Promise<void> {
    return this.#answer(call, this.#context.secret(name))
  }

  #callback(call: number): Promise<void> {
    return this.#answer(call, this.#context.callback().then(JSON.stringify))
  }

  async #answer(call: number, given: Promise<string>): Promise<void> {
    const answer = await given.then(
      (value) => ({ value, refused: null }),
      (thrown: unknown) => ({ refused: recordThrown(thrown) }),
    )
    this.#member?.isolate.post({ kind: 'answer', call, ...answer })
  }

  /** Ends the call once; returns null when it has ended before. */
  #leave(sound: boolean): Outcome | null {
    const member = this.#member
    if (!member) return null
    this.#member = null
    this.#killing?.()
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (sound) this.#pool.giveBack(member)
    else this.#pool.end(member)
    return this.#outcome
  }
}

function factsOf(context: HandlerContext): RunFacts {
  const { runId, attempt, maxAttempts, idempotencyKey, handler, queue } = context
  const { dueAt, trace, job, lastCheckpoint } = context
  const run = { runId, attempt, maxAttempts, idempotencyKey, handler, queue }
  return { ...run, dueAt, trace, job, lastCheckpoint }
}

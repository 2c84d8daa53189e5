/**
 * One try at a run: decode the payload, call the handler, and turn whatever happens into a settlement. An
 * attempt ends exactly once: by the handler, or at its timeout plus a short grace when the handler does not
 * heed its signal. What a handler does after that is its own business; its result is not used.
 */
import { encodeJson } from '@punctual/core/check'
import type { Clock } from '@punctual/core/clock'
import { isNonRetryable, limits, PunctualError, retryAfterMs } from '@punctual/core/errors'
import type { ClaimedRun, Settlement, StuckHandler } from '@punctual/core/ports'
import {
  type AttemptOutcome,
  decideAfterFailure,
  decodeRunPolicy,
  type RunPolicy,
  traits,
} from '@punctual/core/run'
import type {
  HandlerContext,
  RegisteredHandler,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
import type { RunLogs } from './run-logs.ts'
import type { Placed } from './running.ts'
import { failureWithout, type ReadSecret, SecretReads, storedJson } from './secret-reads.ts'
import { slotOfRun } from './slot-of-run.ts'

/** How long a handler has to end after its signal was aborted by the timeout. */
const TIMEOUT_GRACE_MS = 1_000
/** How long a handler that was silent for too long has to say that it lives. */
const LAST_CHANCE_MS = 50
/** How long a handler has to end after its run was cancelled. */
const CANCEL_GRACE_MS = 30_000

export interface AttemptHost {
  readonly clock: Clock
  readonly logs: RunLogs
  readonly transaction: TransactionRunner
  readonly random: () => number
  readonly outputBytes: number
  /** The attempt has its outcome; null when it was settled in the handler's own transaction. */
  onEnded(attempt: Attempt, settlement: Settlement | null): void
  /** The handler really returned: its slot is free. */
  onReturned(attempt: Attempt): void
  onProgress(attempt: Attempt, value: string): void
  /** The attempt has its outcome, and its handler goes on. */
  onStuck(attempt: Attempt): void
  /** Keeps a checkpoint; false when the run belongs to somebody else by now. */
  checkpoint(run: ClaimedRun, state: string): Promise<boolean>
  readonly secret?: ReadSecret | undefined
}

export class Attempt implements HandlerContext, Placed {
  readonly run: ClaimedRun
  place = -1
  /** Its handler went on after its end. */
  wasStuck = false
  readonly #host: AttemptHost
  #startedAtMs = 0
  /** False while the transaction that the handler is to run in has not begun. */
  #called = true
  #ended = false
  #returned = false
  #committed = false
  #timedOut = false
  #interrupted: Error | null = null
  #cancelled: string | null = null
  #controller: AbortController | undefined
  /** How to put off what is to happen later. */
  #timer: (() => void) | undefined
  #listening: (() => void) | undefined
  #heardAtMs = 0
  #onLeaseLoss: RegisteredHandler['onLeaseLoss']
  #checkpoint: string | null = null
  #tx: TransactionClient | undefined
  #log: RunLog | undefined
  #secrets: SecretReads | undefined

  constructor(run: ClaimedRun, host: AttemptHost) {
    this.run = run
    this.#host = host
  }

  get runId(): string {
    return this.run.id
  }
  get attempt(): number {
    return this.run.attempt + 1
  }
  get maxAttempts(): number {
    return this.run.maxAttempts
  }
  get idempotencyKey(): string {
    return this.run.id
  }
  get handler(): string {
    return this.run.handler
  }
  get queue(): string {
    return this.run.queue
  }
  get dueAt(): Date {
    return new Date(this.run.dueMs)
  }
  get trace(): string | null {
    return this.run.trace
  }
  get job(): HandlerContext['job'] {
    return slotOfRun(this.run)
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }
  get log(): RunLog {
    this.#log ??= this.#host.logs.open(this.run, this.attempt, () => this.#secrets)
    return this.#log
  }
  get ended(): boolean {
    return this.#ended
  }
  /** It has its outcome, and its handler goes on without heeding its signal. */
  get stuck(): StuckHandler | null {
    if (!this.#ended || this.#returned || this.#committed) return null
    const { id: runId, handler } = this.run
    return { runId, handler, attempt: this.attempt, ranMs: Math.round(this.#ranMs()) }
  }

  get lastCheckpoint(): unknown {
    return this.#checkpoint === null ? null : JSON.parse(this.#checkpoint)
  }
  get tx(): TransactionClient {
    if (this.#tx) return this.#tx
    throw new PunctualError(
      'invalid_option',
      'ctx.tx belongs to runs with delivery transactional. Submit the run so, or use ctx.transaction.',
      { field: 'delivery', id: this.run.id },
    )
  }

  // Made when asked for: most handlers ask for none, and may take them out of the context.
  get progress(): HandlerContext['progress'] {
    return (value) => {
      this.#heard()
      if (this.#ended) return
      const json = storedJson(this.#secrets, value, 'progress', limits.logMessageLength)
      this.#host.onProgress(this, json)
    }
  }
  get secret(): HandlerContext['secret'] {
    return (name) => {
      this.#secrets ??= new SecretReads(this.run, this.#host.secret)
      return this.#secrets.read(name)
    }
  }
  get heartbeat(): HandlerContext['heartbeat'] {
    return () => this.#heard()
  }
  get checkpoint(): HandlerContext['checkpoint'] {
    return async (state) => {
      this.#heard()
      const kept = encodeJson(state, 'checkpoint', limits.checkpointBytes)
      if (this.#ended || !(await this.#host.checkpoint(this.run, kept)))
        throw new PunctualError(
          'lease_lost',
          `Run ${this.run.id} does not belong to this attempt any more; the checkpoint is not kept.`,
          { id: this.run.id },
        )
      this.#heard()
    }
  }
  get transaction(): HandlerContext['transaction'] {
    return async (work) => {
      if (this.#tx) return work(this.#tx)
      let output: Awaited<ReturnType<typeof work>> | undefined
      const stored = async (tx: TransactionClient) => {
        output = await work(tx)
        return this.#secrets?.value(output) ?? output
      }
      await this.#host.transaction(this.run, () => this.#ranMs(), stored)
      this.#committed = true
      this.#end(null)
      return output as Awaited<ReturnType<typeof work>>
    }
  }

  #heard(): void {
    this.#heardAtMs = this.#host.clock.monotonicMs()
  }

  #ranMs(): number {
    return this.#host.clock.monotonicMs() - this.#startedAtMs
  }

  /** As it is settled: an attempt whose handler was never called has not started. */
  get #startedAgoMs(): number | null {
    return this.#called ? this.#ranMs() : null
  }

  start(handler: RegisteredHandler, startedAtMs: number, checkpoint: string | null = null): void {
    this.#startedAtMs = startedAtMs
    this.#heardAtMs = startedAtMs
    this.#onLeaseLoss = handler.onLeaseLoss
    this.#checkpoint = checkpoint
    try {
      const result = this.#call(handler)
      // Also looking for `then` may throw, and calling it.
      if (typeof (result as PromiseLike<unknown> | null)?.then === 'function')
        (result as PromiseLike<unknown>).then(
          (value) => this.#return(value, true),
          (thrown) => this.#return(thrown, false),
        )
      else this.#return(result, true)
    } catch (thrown) {
      this.#return(thrown, false)
    }
  }

  #call(handler: RegisteredHandler): unknown {
    const payload = JSON.parse(this.run.payload)
    if (this.run.policy === null || !this.#policy().transactional) return handler.run(payload, this)
    this.#called = false
    return this.transaction(async (tx) => {
      this.#called = true
      this.#tx = tx
      return handler.run(payload, this)
    })
  }

  #policy(): RunPolicy {
    return decodeRunPolicy(this.run.policy)
  }

  /** Called once the first burst of quick handlers is over: most never need a timer. */
  armTimeout(): void {
    if (this.#returned || this.#timer) return
    const { timeoutMs, policy } = this.run
    const leftMs = Math.max(0, timeoutMs - this.#ranMs())
    this.#timer = this.#host.clock.after(leftMs, () =>
      this.#expire(`The attempt took longer than ${timeoutMs} ms.`),
    )
    const { heartbeatMs } = policy === null ? {} : this.#policy()
    if (heartbeatMs !== undefined) this.#listen(heartbeatMs)
  }

  /**
   * Looks again when it would have been silent for too long. One that is silent is given a last chance: when another
   * handler has blocked the event loop, what it had to say is behind us in the queue.
   */
  #listen(heartbeatMs: number, last = false): void {
    const silentMs = this.#host.clock.monotonicMs() - this.#heardAtMs
    const silent = silentMs >= heartbeatMs
    const again = () => this.#listen(heartbeatMs, silent)
    if (silent && last) this.#expire(`The handler was not heard of for ${heartbeatMs} ms.`)
    else {
      const inMs = silent ? LAST_CHANCE_MS : heartbeatMs - silentMs
      this.#listening = this.#host.clock.after(inMs, again)
    }
  }

  #expire(message: string): void {
    if (this.#returned || this.#ended || this.#timedOut || this.#cancelled !== null) return
    this.#timedOut = true
    this.#timer?.()
    this.#listening?.()
    const reason = new DOMException(message, 'TimeoutError')
    this.#abort(reason)
    this.#timer = this.#host.clock.after(TIMEOUT_GRACE_MS, () => this.#fail('timed_out', reason))
  }

  /** The lease is lost, or about to be. */
  leaseLost(reason: Error): void {
    const mayOverlap = (this.run.traits & (traits.atMostOnce | traits.overlap)) === 0
    if ((this.#onLeaseLoss ?? (mayOverlap ? 'continue' : 'abort')) === 'abort')
      this.interrupt(reason)
  }

  /** Asks the handler to end; what it then throws counts as `cancelled` and is tried again elsewhere. */
  interrupt(reason: Error): void {
    this.#interrupted = reason
    this.#abort(reason)
  }

  /** Asks the handler to end for good; what it then throws ends the run as cancelled. */
  cancel(reason: string): void {
    if (this.#cancelled !== null || this.#ended) return
    this.#cancelled = reason
    this.#timer?.()
    const error = new DOMException(`The run is cancelled: ${reason}.`, 'AbortError')
    this.#timer = this.#host.clock.after(CANCEL_GRACE_MS, () => this.#endCancelled(error))
    this.#abort(error)
  }

  #endCancelled(thrown: unknown): void {
    this.#end({
      kind: 'cancelled',
      run: this.run,
      startedAgoMs: this.#startedAgoMs,
      failure: failureWithout(this.#secrets, thrown),
      reason: this.#cancelled ?? 'cancelled',
    })
  }

  /**
   * Gives the handler up: the run goes back to be tried again, now. One that must not run twice does not: it is dead
   * when its handler has ended, and otherwise it stays with the lease, whose end makes it `unknown`.
   */
  abandon(reason: Error): void {
    const failure = failureWithout(this.#secrets, reason)
    const { run } = this
    if ((run.traits & traits.atMostOnce) !== 0) {
      const dead = { kind: 'dead', outcome: 'cancelled', reason: 'interrupted' } as const
      if (this.#returned) this.#end({ ...dead, run, startedAgoMs: this.#startedAgoMs, failure })
      return
    }
    this.#end({
      kind: 'retry',
      run: this.run,
      startedAgoMs: this.#startedAgoMs,
      outcome: 'cancelled',
      failure,
      delayMs: 0,
    })
  }

  #abort(reason: Error): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }

  #return(value: unknown, ok: boolean): void {
    if (this.#returned) return
    this.#returned = true
    this.#timer?.()
    this.#listening?.()
    if (!this.#ended) {
      if (this.#cancelled !== null && !ok) this.#endCancelled(value)
      else if (this.#timedOut) this.#fail('timed_out', ok ? this.signal.reason : value)
      else if (ok) this.#succeed(value)
      else if (this.#interrupted) this.abandon(this.#interrupted)
      else this.#fail('failed', value)
    }
    this.#host.onReturned(this)
  }

  #succeed(value: unknown): void {
    let output: string | null = null
    if (value !== undefined && value !== null)
      try {
        output = storedJson(this.#secrets, value, 'output', this.#host.outputBytes)
      } catch (error) {
        this.#fail('failed', error)
        return
      }
    this.#end({ kind: 'succeeded', run: this.run, startedAgoMs: this.#ranMs(), output })
  }

  #fail(outcome: AttemptOutcome, thrown: unknown): void {
    if (this.#ended) return
    const { run } = this
    const failure = failureWithout(this.#secrets, thrown)
    const next = decideAfterFailure(
      {
        outcome,
        codes: failure.code === undefined ? [failure.name] : [failure.code, failure.name],
        failures: run.attempt + 1 - run.crashes,
        maxAttempts: run.maxAttempts,
        nonRetryable: isNonRetryable(thrown),
        retryAfterMs: retryAfterMs(thrown),
      },
      this.#policy(),
      this.#host.random(),
    )
    const base = { run, startedAgoMs: this.#startedAgoMs, outcome, failure }
    this.#end(
      next.kind === 'retry'
        ? { ...base, kind: 'retry', delayMs: next.delayMs }
        : { ...base, kind: 'dead', reason: next.reason },
    )
  }

  #end(settlement: Settlement | null): void {
    if (this.#ended || (settlement !== null && this.#committed)) return
    this.#ended = true
    this.#timer?.()
    this.#listening?.()
    this.#host.onEnded(this, settlement)
    if (this.#returned || settlement === null) return
    this.wasStuck = true
    this.#host.onStuck(this)
  }
}

/**
 * One try at a run: decodes the payload, calls the handler, and turns its end into a settlement.
 * `transition` decides; this file performs the effects. An attempt ends exactly once: by its
 * handler, or a grace period after its timeout or cancellation when the handler ignores its
 * signal. The result of a handler that continues after that is not used.
 */
import { encodeJson } from '@punctual/core/check'
import type { Clock } from '@punctual/core/clock'
import { limits, PunctualError } from '@punctual/core/errors'
import type { ClaimedRun, Settlement, StuckHandler } from '@punctual/core/ports'
import { decodeRunPolicy, type RunPolicy, traits } from '@punctual/core/run'
import { settlementOf } from './attempt-outcome.ts'
import {
  type AttemptEvent,
  type AttemptState,
  type EndedState,
  RUNNING,
  transition,
} from './attempt-state.ts'
import type {
  HandlerContext,
  RegisteredHandler,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
import type { RunLogs } from './run-logs.ts'
import type { Placed } from './running.ts'
import { type ReadSecret, SecretReads, storedJson } from './secret-reads.ts'
import { slotOfRun } from './slot-of-run.ts'

/** How long a handler has to stop after its timeout aborted its signal. */
const TIMEOUT_GRACE_MS = 1_000
/** How long a handler that sent no heartbeat in time has to send one. */
const LAST_CHANCE_MS = 50
/** How long a handler has to stop after its run was cancelled. */
const CANCEL_GRACE_MS = 30_000

export interface AttemptHost {
  readonly clock: Clock
  readonly logs: RunLogs
  readonly transaction: TransactionRunner
  readonly random: () => number
  readonly outputBytes: number
  /** The attempt has its outcome. */
  onEnded(attempt: Attempt, settlement: Settlement): void
  /** The handler's own transaction settled the run. */
  onCommitted(attempt: Attempt): void
  /** The handler has returned: its capacity is free. `wasStuck`: it outlived its attempt. */
  onReturned(attempt: Attempt, wasStuck: boolean): void
  onProgress(attempt: Attempt, value: string): void
  /** The attempt has its outcome, and its handler is still executing. */
  onStuck(attempt: Attempt): void
  /** Stores a checkpoint; false when another session owns the run by now. */
  checkpoint(run: ClaimedRun, state: string): Promise<boolean>
  readonly secret?: ReadSecret | undefined
}

export class Attempt implements HandlerContext, Placed {
  readonly run: ClaimedRun
  place = -1
  readonly #host: AttemptHost
  #startedAtMs = 0
  /** False while the transaction that the handler is to run in has not begun. */
  #called = true
  #state: AttemptState = RUNNING
  #controller: AbortController | undefined
  /** Calls off the timeout, or the end of a grace period. */
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
    return this.#state.kind === 'ended'
  }
  /** The handler, when it is executing although the attempt has ended. */
  get stuck(): StuckHandler | null {
    if (!this.#isStuck(this.#state)) return null
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
      'ctx.tx belongs to runs with delivery transactional. Submit the run with it, or use ctx.transaction.',
      { field: 'delivery', id: this.run.id },
    )
  }

  // Created on access: most handlers use none of them, and may take them out of the context.
  get progress(): HandlerContext['progress'] {
    return (value) => {
      this.#heard()
      if (this.ended) return
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
      const json = encodeJson(state, 'checkpoint', limits.checkpointBytes)
      if (this.ended || !(await this.#host.checkpoint(this.run, json)))
        throw new PunctualError(
          'lease_lost',
          `Run ${this.run.id} does not belong to this attempt any more; the checkpoint is not stored.`,
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
      this.#apply({ kind: 'commit' })
      return output as Awaited<ReturnType<typeof work>>
    }
  }

  #heard(): void {
    this.#heardAtMs = this.#host.clock.monotonicMs()
  }

  #ranMs(): number {
    return this.#host.clock.monotonicMs() - this.#startedAtMs
  }

  /** An attempt whose handler was never called has not started. */
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
      // Reading `then` may throw, and so may calling it.
      if (typeof (result as PromiseLike<unknown> | null)?.then === 'function')
        (result as PromiseLike<unknown>).then(
          (value) => this.#apply({ kind: 'return', value }),
          (thrown) => this.#apply({ kind: 'throw', thrown }),
        )
      else this.#apply({ kind: 'return', value: result })
    } catch (thrown) {
      this.#apply({ kind: 'throw', thrown })
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

  /** Called after the first burst of quick handlers: most never need a timer. */
  armTimeout(): void {
    if (this.ended || this.#timer) return
    const { timeoutMs, policy } = this.run
    const leftMs = Math.max(0, timeoutMs - this.#ranMs())
    this.#timer = this.#host.clock.after(leftMs, () =>
      this.#expire(`The attempt took longer than ${timeoutMs} ms.`),
    )
    const { heartbeatMs } = policy === null ? {} : this.#policy()
    if (heartbeatMs !== undefined) this.#listen(heartbeatMs)
  }

  /**
   * Checks the heartbeat when it would be overdue. A handler whose heartbeat is overdue has a last
   * chance: when another handler has blocked the event loop, its heartbeat waits in the queue.
   */
  #listen(heartbeatMs: number, last = false): void {
    const silentMs = this.#host.clock.monotonicMs() - this.#heardAtMs
    const silent = silentMs >= heartbeatMs
    const again = () => this.#listen(heartbeatMs, silent)
    if (silent && last) this.#expire(`The handler sent no heartbeat for ${heartbeatMs} ms.`)
    else {
      const inMs = silent ? LAST_CHANCE_MS : heartbeatMs - silentMs
      this.#listening = this.#host.clock.after(inMs, again)
    }
  }

  #expire(message: string): void {
    const reason = new DOMException(message, 'TimeoutError')
    if (!this.#apply({ kind: 'time_out', reason })) return
    this.#listening?.()
    this.#abort(reason)
    this.#grace(TIMEOUT_GRACE_MS)
  }

  #grace(ms: number): void {
    this.#timer?.()
    this.#timer = this.#host.clock.after(ms, () => this.#apply({ kind: 'grace_over' }))
  }

  /** The lease is lost, or about to be. */
  leaseLost(reason: Error): void {
    const mayOverlap = (this.run.traits & (traits.atMostOnce | traits.overlap)) === 0
    if ((this.#onLeaseLoss ?? (mayOverlap ? 'continue' : 'abort')) === 'abort')
      this.interrupt(reason)
  }

  /** Asks the handler to stop; an error that it then throws returns the run to be tried again. */
  interrupt(reason: Error): void {
    this.#apply({ kind: 'interrupt', reason })
    this.#abort(reason)
  }

  /** Asks the handler to stop for good; an error that it then throws ends the run as cancelled. */
  cancel(reason: string): void {
    const error = new DOMException(`The run is cancelled: ${reason}.`, 'AbortError')
    if (!this.#apply({ kind: 'cancel', reason, error })) return
    this.#grace(CANCEL_GRACE_MS)
    this.#abort(error)
  }

  /**
   * Waits for the handler no longer: the run returns to be tried again, now. A run that must not
   * run twice stays with the lease, whose end makes it `unknown`.
   */
  abandon(reason: Error): void {
    if ((this.run.traits & traits.atMostOnce) === 0) this.#apply({ kind: 'abandon', reason })
  }

  #abort(reason: Error): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }

  /** Moves the attempt and performs what follows; false when the event changes nothing. */
  #apply(event: AttemptEvent): boolean {
    const before = this.#state
    const after = transition(before, event)
    if (after === before) return false
    this.#state = after
    if (after.kind !== 'ended') return true
    const wasStuck = this.#isStuck(before)
    if (before.kind !== 'ended') this.#end(after)
    if (after.returned) this.#host.onReturned(this, wasStuck)
    return true
  }

  #end({ ending, returned }: EndedState): void {
    this.#timer?.()
    this.#listening?.()
    if (ending.kind === 'committed') this.#host.onCommitted(this)
    else {
      const agoMs = this.#startedAgoMs
      const settlement = settlementOf(ending, this.run, agoMs, this.#secrets, this.#host)
      this.#host.onEnded(this, settlement)
      if (!returned) this.#host.onStuck(this)
    }
  }

  /** A handler whose transaction settled the run may continue: it is not stuck. */
  #isStuck(state: AttemptState): boolean {
    return state.kind === 'ended' && !state.returned && state.ending.kind !== 'committed'
  }
}

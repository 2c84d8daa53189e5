/**
 * One try at a run: decodes the payload, calls the handler, and turns its end into a settlement.
 * `transition` decides; this file performs the effects. An attempt ends exactly once: by its
 * handler, or a grace period after its timeout or cancellation when the handler ignores its
 * signal. The result of a handler that continues after that is not used.
 */
import type { Clock } from '@punctual/core/clock'
import type { ClaimedRun, Settlement, StuckHandler } from '@punctual/core/ports'
import { decodeRunPolicy, traits } from '@punctual/core/run'
import type { RegisteredHandler } from '../handler/handler.ts'
import { AttemptContext, type ContextAttempt, type ContextServices } from './attempt-context.ts'
import { type OutcomeRules, settlementOf } from './attempt-outcome.ts'
import {
  type AttemptEvent,
  type AttemptState,
  type EndedState,
  RUNNING,
  transition,
} from './attempt-state.ts'
import { AttemptTimers, type TimedAttempt } from './attempt-timers.ts'
import type { Placed } from './running.ts'

const LEASE_LOST = new DOMException('Another worker owns this run now.', 'AbortError')

export interface AttemptHost extends ContextServices, OutcomeRules {
  readonly clock: Clock
  /** The attempt has its outcome. */
  onEnded(attempt: Attempt, settlement: Settlement): void
  /** The handler's own transaction settled the run. */
  onCommitted(attempt: Attempt): void
  /** The handler has returned: its capacity is free. `wasStuck`: it outlived its attempt. */
  onReturned(attempt: Attempt, wasStuck: boolean): void
  /** The attempt has its outcome, and its handler is still executing. */
  onStuck(attempt: Attempt): void
}

export class Attempt implements ContextAttempt, TimedAttempt, Placed {
  readonly run: ClaimedRun
  place = -1
  readonly #host: AttemptHost
  readonly #handler: RegisteredHandler
  readonly #context: AttemptContext
  readonly #startedAtMs: number
  #state: AttemptState = RUNNING
  /** Created on demand: most attempts end before they need a timer. */
  #timers: AttemptTimers | undefined
  /** False while the transaction in which the handler runs has not begun. */
  #called = true

  constructor(
    run: ClaimedRun,
    handler: RegisteredHandler,
    host: AttemptHost,
    startedAtMs: number,
    checkpoint: string | null,
  ) {
    this.run = run
    this.#host = host
    this.#handler = handler
    this.#startedAtMs = startedAtMs
    this.#context = new AttemptContext(this, host, checkpoint)
  }

  get ended(): boolean {
    return this.#state.kind === 'ended'
  }

  get ranMs(): number {
    return this.#host.clock.monotonicMs() - this.#startedAtMs
  }

  /** The handler, when it is executing although the attempt has ended. */
  get stuck(): StuckHandler | null {
    if (!isStuck(this.#state)) return null
    const { id: runId, handler, attempt } = this.run
    return { runId, handler, attempt: attempt + 1, ranMs: Math.round(this.ranMs) }
  }

  start(): void {
    try {
      const result = this.#call()
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

  #call(): unknown {
    const { policy } = this.run
    const payload = JSON.parse(this.run.payload)
    if (policy === null || !decodeRunPolicy(policy).transactional)
      return this.#handler.run(payload, this.#context)
    this.#called = false
    return this.#context.insideTransaction(() => {
      this.#called = true
      return this.#handler.run(payload, this.#context)
    })
  }

  /** Called after the first burst of quick handlers: most never need a timer. */
  armTimers(): void {
    if (this.ended) return
    const { timeoutMs, policy } = this.run
    const heartbeatMs = policy === null ? undefined : decodeRunPolicy(policy).heartbeatMs
    this.#needTimers().arm(timeoutMs, timeoutMs - this.ranMs, heartbeatMs)
  }

  #needTimers(): AttemptTimers {
    this.#timers ??= new AttemptTimers(this.#host.clock, this, this.#startedAtMs)
    return this.#timers
  }

  onHeartbeat(): void {
    this.#needTimers().heartbeat()
  }

  onTimeout(message: string): void {
    const reason = new DOMException(message, 'TimeoutError')
    if (!this.#apply({ kind: 'time_out', reason })) return
    this.#needTimers().startGrace('timed_out')
    this.#context.abort(reason)
  }

  onGraceOver(): void {
    this.#apply({ kind: 'grace_over' })
  }

  onCommitted(): void {
    this.#apply({ kind: 'commit' })
  }

  /** The lease is lost, or about to be. */
  leaseLost(reason: Error = LEASE_LOST): void {
    const mayOverlap = (this.run.traits & (traits.atMostOnce | traits.overlap)) === 0
    const { onLeaseLoss = mayOverlap ? 'continue' : 'abort' } = this.#handler
    if (onLeaseLoss === 'abort') this.interrupt(reason)
  }

  /** Asks the handler to stop; an error that it then throws returns the run to be tried again. */
  interrupt(reason: Error): void {
    this.#apply({ kind: 'interrupt', reason })
    this.#context.abort(reason)
  }

  /** Asks the handler to stop for good; an error that it then throws ends the run as cancelled. */
  cancel(reason: string): void {
    const error = new DOMException(`The run is cancelled: ${reason}.`, 'AbortError')
    if (!this.#apply({ kind: 'cancel', reason, error })) return
    this.#needTimers().startGrace('cancelled')
    this.#context.abort(error)
  }

  /**
   * Waits for the handler no longer: the run returns to be tried again, now. A run that must not
   * run twice stays with the lease, whose end makes it `unknown`.
   */
  abandon(reason: Error): void {
    if ((this.run.traits & traits.atMostOnce) === 0) this.#apply({ kind: 'abandon', reason })
  }

  /** Moves the attempt and performs what follows; false when the event changes nothing. */
  #apply(event: AttemptEvent): boolean {
    const before = this.#state
    const after = transition(before, event)
    if (after === before) return false
    this.#state = after
    if (after.kind !== 'ended') return true
    if (before.kind !== 'ended') this.#end(after)
    if (after.returned) this.#host.onReturned(this, isStuck(before))
    return true
  }

  #end({ ending, returned }: EndedState): void {
    this.#timers?.stop()
    if (ending.kind === 'committed') this.#host.onCommitted(this)
    else {
      // An attempt whose handler was never called has not started.
      const agoMs = this.#called ? this.ranMs : null
      const { secretReads } = this.#context
      this.#host.onEnded(this, settlementOf(ending, this.run, agoMs, secretReads, this.#host))
      if (!returned) this.#host.onStuck(this)
    }
  }
}

/** A handler whose transaction settled the run may continue: it is not stuck. */
function isStuck(state: AttemptState): boolean {
  return state.kind === 'ended' && !state.returned && state.ending.kind !== 'committed'
}

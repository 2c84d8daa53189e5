/** The running attempts of a worker: starts them, arms their timers, and lists the stuck ones. */
import type { Clock } from '@punctual/core/clock'
import type { ClaimedRun, Settlement, StuckHandler, WorkStore } from '@punctual/core/ports'
import type { Callback } from '../handler/awaiting.ts'
import type { RegisteredHandler, TransactionRunner } from '../handler/handler.ts'
import { Progress } from '../reports/progress.ts'
import type { RunLogs } from '../reports/run-logs.ts'
import type { ReadSecret } from '../reports/secret-reads.ts'
import { Attempt, type AttemptHost } from './attempt.ts'
import { Running } from './running.ts'

const STUCK_SHOWN_MAX = 100

export interface AttemptsOptions {
  readonly store: Pick<WorkStore, 'reportProgress' | 'saveCheckpoint'>
  readonly clock: Clock
  readonly logs: RunLogs
  readonly handlers: ReadonlyMap<string, RegisteredHandler>
  readonly transaction: TransactionRunner
  readonly random: () => number
  readonly outputBytes: number
  readonly secret?: ReadSecret | undefined
  /** Where the target of a run reports its outcome. @default nowhere */
  readonly callback?: ((run: ClaimedRun) => Promise<Callback>) | undefined
  /** Called when an attempt has its outcome. */
  settle(settlement: Settlement): void
  /** Called when a handler has returned. */
  onReturned(run: ClaimedRun): void
  /** `atMs` is by the monotonic clock. */
  onStarted(run: ClaimedRun, atMs: number): void
  /** Called when the handler's own transaction has settled the run. */
  onTransacted(run: ClaimedRun): void
  /** Called when a handler starts or stops to outlive its attempt. */
  onStuckChanged(): void
  onError(error: unknown): void
}

export class Attempts {
  readonly #options: AttemptsOptions
  readonly #host: AttemptHost
  readonly #running = new Running<Attempt>()
  /** Attempts whose timers are armed after this turn of the event loop. */
  #fresh: Attempt[] = []

  constructor(options: AttemptsOptions) {
    const { store, clock, logs, random, outputBytes, transaction, secret, callback } = options
    const progress = new Progress(store, clock, options.onError)
    this.#options = options
    this.#host = {
      ...{ clock, logs, random, outputBytes, transaction, secret, callback },
      onEnded: (_attempt, settlement) => options.settle(settlement),
      onCommitted: ({ run }) => options.onTransacted(run),
      onReturned: (attempt, wasStuck) => this.#returned(attempt, wasStuck),
      onProgress: (run, value) => progress.report(run, value),
      onStuck: () => options.onStuckChanged(),
      checkpoint: (run, state) => store.saveCheckpoint(run, state),
    }
  }

  get size(): number {
    return this.#running.size
  }

  /** A copy of the list: later changes do not affect it. */
  all(): readonly Attempt[] {
    return this.#running.all()
  }

  start(run: ClaimedRun, checkpoint: string | null): void {
    const handler = this.#options.handlers.get(run.handler) ?? missing(run)
    const startedAtMs = this.#options.clock.monotonicMs()
    const attempt = new Attempt(run, handler, this.#host, startedAtMs, checkpoint)
    this.#running.add(attempt)
    this.#options.onStarted(run, startedAtMs)
    attempt.start()
    if (attempt.place < 0) return
    if (this.#fresh.push(attempt) === 1) setImmediate(() => this.#armTimers())
  }

  #armTimers(): void {
    const fresh = this.#fresh
    this.#fresh = []
    for (const attempt of fresh) attempt.armTimers()
  }

  #returned(attempt: Attempt, wasStuck: boolean): void {
    this.#running.delete(attempt)
    if (wasStuck) this.#options.onStuckChanged()
    this.#options.onReturned(attempt.run)
  }

  /** Handlers that are still executing although their attempts have ended. */
  stuck(): StuckHandler[] {
    const all = this.all().map((attempt) => attempt.stuck)
    return all.filter((stuck) => stuck !== null).slice(0, STUCK_SHOWN_MAX)
  }
}

function missing(run: ClaimedRun): RegisteredHandler {
  return {
    name: run.handler,
    run: () => {
      throw new Error(`This worker has no handler ${run.handler}.`)
    },
  }
}

/**
 * Runs claimed runs: holds them in claimed order, lane by lane, starts them as capacity becomes
 * free, and passes outcomes to the settler. Runs whose start has to be prepared wait as suspects.
 */
import type { ClaimedRun, StuckHandler, WorkStore } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import type { Attempt } from './attempt.ts'
import { Attempts, type AttemptsOptions } from './attempts.ts'
import type { Capacity } from './capacity.ts'
import { needsPreparation, Preparation } from './preparation.ts'
import { Suspects } from './suspects.ts'
import { WaitingLines } from './waiting-lines.ts'

const SUSPECT_PATIENCE_MS = 1_000
const LARGE_BATCH = 50
/** After this many starts the event loop gets a turn. */
const AT_ONCE_MAX = 200

export interface RunnerOptions extends AttemptsOptions {
  readonly store: WorkStore
  readonly capacity: Capacity
}

export class Runner {
  readonly #options: RunnerOptions
  readonly #attempts: Attempts
  readonly #waiting = new WaitingLines()
  readonly #suspects = new Suspects()
  readonly #preparation: Preparation
  #pumping = false
  #startedAtOnce = 0
  /** When runs with an expiry expire, by the monotonic clock. */
  readonly #expiries = new WeakMap<ClaimedRun, number>()
  #idle: (() => void)[] = []

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#attempts = new Attempts({
      ...options,
      onReturned: (run) => this.#release(run),
      onTransacted: (run) => {
        this.settled(run)
        options.onTransacted(run)
      },
    })
    this.#preparation = new Preparation({
      store: options.store,
      onPrepared: (run, checkpoint) => this.#attempts.start(run, checkpoint),
      onRefused: (run) => {
        this.settled(run)
        this.#release(run)
      },
      onError: options.onError,
    })
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts.all()
  }

  /** All runs held by this worker, started or not. */
  held(): ClaimedRun[] {
    const running = this.attempts.map(({ run }) => run)
    return [...running, ...this.#preparation.runs(), ...this.#unstarted()]
  }

  /** The fences of all held runs. */
  claims(): bigint[] {
    return this.held().map((run) => run.fence)
  }

  #unstarted(): ClaimedRun[] {
    return [...this.#waiting.all(), ...this.#suspects.all()]
  }

  accept(runs: readonly ClaimedRun[]): void {
    const sinceMs = this.#options.clock.monotonicMs()
    for (const run of runs) {
      this.#options.capacity.hold(run.queue)
      if ((run.traits & traits.expires) !== 0 && run.expiresInMs !== null)
        this.#expiries.set(run, sinceMs + run.expiresInMs)
      if (needsPreparation(run)) this.#suspects.add(run, sinceMs)
      else this.#waiting.add(run)
    }
    // A large batch starts in the next turn, after the caller has sent the next claim: both then
    // proceed in parallel.
    if (runs.length < LARGE_BATCH) this.pump()
    else setImmediate(() => this.pump())
  }

  /**
   * Starts as many runs as there is capacity. A handler that returns at once frees capacity
   * meanwhile: this loop then starts the next run, not the handler's return, which would nest
   * thousands of calls on one stack.
   */
  pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    try {
      while (this.#options.capacity.free > 0 && this.#waiting.size > 0) {
        if (!this.#mayStart()) break
        const run = this.#waiting.take()
        if (this.#expired(run)) continue
        this.#options.capacity.start()
        this.#attempts.start(run, null)
      }
      if (this.#suspects.size > 0) this.#pumpSuspects()
    } finally {
      this.#pumping = false
    }
  }

  /** Settles a run as skipped that has expired. */
  #expired(run: ClaimedRun): boolean {
    if ((run.traits & traits.expires) === 0) return false
    const expiresMs = this.#expiries.get(run)
    if (expiresMs === undefined || this.#options.clock.monotonicMs() < expiresMs) return false
    this.#options.capacity.release(run.queue, false)
    this.#options.settle({ kind: 'skipped', run, startedAgoMs: null, reason: 'expired' })
    return true
  }

  /**
   * Quick handlers can start one another endlessly: after a burst the event loop gets a turn, for
   * example for new runs.
   */
  #mayStart(): boolean {
    if (this.#startedAtOnce++ < AT_ONCE_MAX) return true
    if (this.#startedAtOnce === AT_ONCE_MAX + 1)
      setImmediate(() => {
        this.#startedAtOnce = 0
        this.pump()
      })
    return false
  }

  #pumpSuspects(): void {
    while (this.#options.capacity.free > 0) {
      const run = this.#suspects.take()
      if (!run) break
      if (this.#expired(run)) continue
      this.#suspects.started(run)
      this.#options.capacity.start()
      this.#preparation.begin(run)
    }
  }

  /**
   * Runs that have waited too long for another one to end: a different worker can start them
   * sooner.
   */
  takeOverdueSuspects(): ClaimedRun[] {
    const bound = this.#options.clock.monotonicMs() - SUSPECT_PATIENCE_MS
    const overdue = this.#suspects.takeAddedBefore(bound)
    for (const { queue } of overdue) this.#options.capacity.release(queue, false)
    return overdue
  }

  /** The outcome of a run is stored. */
  settled(run: ClaimedRun): void {
    if (this.#suspects.settled(run)) this.pump()
  }

  /** Handlers that are still executing although their attempts have ended. */
  stuck(): StuckHandler[] {
    return this.#attempts.stuck()
  }

  #release(run: ClaimedRun): void {
    this.#suspects.returned(run)
    this.#options.capacity.release(run.queue, true)
    this.#options.onReturned(run)
    this.pump()
    if (this.#isIdle) for (const done of this.#idle.splice(0)) done()
  }

  get #isIdle(): boolean {
    return this.#attempts.size === 0 && this.#preparation.size === 0
  }

  /** Resolves when the runs that are about to start have started; null when there are none. */
  get preparing(): Promise<unknown> | null {
    return this.#preparation.done
  }

  /** The lease of all held runs is lost, or about to be. */
  leaseLost(reason?: Error): void {
    for (const attempt of this.attempts) if (!attempt.ended) attempt.leaseLost(reason)
  }

  /** Removes and returns all runs that have not started, or the matching ones. */
  takeUnstarted(leaves: (run: ClaimedRun) => boolean = () => true): ClaimedRun[] {
    const runs = this.#unstarted().filter(leaves)
    if (runs.length === 0) return runs
    this.#waiting.remove(leaves)
    this.#suspects.remove(leaves)
    for (const run of runs) this.#options.capacity.release(run.queue, false)
    return runs
  }

  /** Resolves when no handler is running or about to start. */
  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }
}

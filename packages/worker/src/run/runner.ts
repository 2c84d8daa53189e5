/**
 * Runs claimed runs: holds them in claimed order, lane by lane, starts them as capacity becomes
 * free, and passes outcomes to the settler. A run that has crashed, or must not run twice, is
 * marked as started first. Runs that one more crash would quarantine run one at a time, so that a
 * poison pill does not count against other runs.
 */
import type { Clock } from '@punctual/core/clock'
import { defaults } from '@punctual/core/errors'
import type { ClaimedRun, Settlement, StuckHandler, WorkStore } from '@punctual/core/ports'
import { traits } from '@punctual/core/run'
import type { RegisteredHandler, TransactionRunner } from '../handler/handler.ts'
import { Progress } from '../reports/progress.ts'
import type { RunLogs } from '../reports/run-logs.ts'
import type { ReadSecret } from '../reports/secret-reads.ts'
import { Attempt, type AttemptHost } from './attempt.ts'
import type { Capacity } from './capacity.ts'
import { Running } from './running.ts'
import { WaitingLines } from './waiting-lines.ts'

const SUSPECT_PATIENCE_MS = 1_000
const LARGE_BATCH = 50
/** After this many starts the event loop gets a turn. */
const AT_ONCE_MAX = 200
const STUCK_SHOWN_MAX = 100
/** Runs that must not run twice are marked as started; runs with a checkpoint receive it. */
const PREPARED = traits.atMostOnce | traits.checkpointed

/** A run with a single crash still runs concurrently: usually another run caused the crash. */
const runsAlone = (run: ClaimedRun) => run.crashes >= defaults.crashesUntilQuarantine - 1

export interface RunnerOptions {
  readonly store: WorkStore
  readonly clock: Clock
  readonly logs: RunLogs
  readonly capacity: Capacity
  readonly handlers: ReadonlyMap<string, RegisteredHandler>
  readonly transaction: TransactionRunner
  readonly random: () => number
  readonly outputBytes: number
  readonly secret?: ReadSecret | undefined
  /** Called when an attempt has its outcome. */
  settle(settlement: Settlement): void
  /** Called when a handler has returned. */
  onReturned(run: ClaimedRun): void
  /** `atMs` is by the monotonic clock. */
  onStarted(run: ClaimedRun, atMs: number): void
  onTransacted(run: ClaimedRun): void
  /** Called when a handler starts or stops to outlive its attempt. */
  onStuckChanged(): void
  onError(error: unknown): void
}

export class Runner {
  readonly #options: RunnerOptions
  readonly #progress: Progress
  readonly #running = new Running<Attempt>()
  readonly #host: AttemptHost
  readonly #waiting = new WaitingLines()
  #suspects: { run: ClaimedRun; sinceMs: number }[] = []
  /** The run that runs alone now; the next one starts when both flags are set. */
  #alone: { readonly run: ClaimedRun; returned: boolean; settled: boolean } | null = null
  /** Runs that are about to start: the store is marking them or reading their checkpoint. */
  readonly #preparing = new Map<ClaimedRun, Promise<void>>()
  #pumping = false
  #startedAtOnce = 0
  /** When runs with an expiry expire, by the monotonic clock. */
  readonly #expiries = new WeakMap<ClaimedRun, number>()
  #fresh: Attempt[] = []
  #idle: (() => void)[] = []

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#progress = new Progress(options.store, options.clock, options.onError)
    this.#host = {
      clock: options.clock,
      logs: options.logs,
      random: options.random,
      outputBytes: options.outputBytes,
      transaction: options.transaction,
      onEnded: (_attempt, settlement) => options.settle(settlement),
      onCommitted: ({ run }) => {
        this.settled(run)
        options.onTransacted(run)
      },
      onReturned: (attempt, wasStuck) => this.#returned(attempt, wasStuck),
      onProgress: (run, value) => this.#progress.report(run, value),
      onStuck: () => options.onStuckChanged(),
      checkpoint: (run, state) => options.store.saveCheckpoint(run, state),
      secret: options.secret,
    }
  }

  get attempts(): readonly Attempt[] {
    return this.#running.all()
  }

  /** All runs held by this worker, started or not. */
  held(): ClaimedRun[] {
    const running = this.#running.all().map((attempt) => attempt.run)
    return [...running, ...this.#preparing.keys(), ...this.#unstarted()]
  }

  /** The fences of all held runs. */
  claims(): bigint[] {
    return this.held().map((run) => run.fence)
  }

  #unstarted(): ClaimedRun[] {
    return [...this.#waiting.all(), ...this.#suspects.map((s) => s.run)]
  }

  accept(runs: readonly ClaimedRun[]): void {
    const sinceMs = this.#options.clock.monotonicMs()
    for (const run of runs) {
      this.#options.capacity.hold(run.queue)
      if ((run.traits & traits.expires) !== 0 && run.expiresInMs !== null)
        this.#expiries.set(run, sinceMs + run.expiresInMs)
      if (run.crashes > 0 || (run.traits & PREPARED) !== 0) this.#suspects.push({ run, sinceMs })
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
        this.#start(run)
      }
      if (this.#suspects.length > 0) this.#pumpSuspects()
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
      const index = this.#suspects.findIndex(({ run }) => !runsAlone(run) || this.#alone === null)
      if (index < 0) break
      const { run } = this.#suspects.splice(index, 1)[0] as { run: ClaimedRun }
      if (this.#expired(run)) continue
      if (runsAlone(run)) this.#alone = { run, returned: false, settled: false }
      this.#options.capacity.start()
      this.#preparing.set(run, this.#startPrepared(run))
    }
  }

  /**
   * Runs that have waited too long for another one to end: a different worker can start them
   * sooner.
   */
  takeOverdueSuspects(): ClaimedRun[] {
    const bound = this.#options.clock.monotonicMs() - SUSPECT_PATIENCE_MS
    const overdue = this.#suspects.filter((s) => s.sinceMs < bound)
    this.#suspects = this.#suspects.filter((s) => s.sinceMs >= bound)
    for (const { run } of overdue) this.#options.capacity.release(run.queue, false)
    return overdue.map((s) => s.run)
  }

  async #startPrepared(run: ClaimedRun): Promise<void> {
    const { store } = this.#options
    try {
      const states = run.traits & traits.checkpointed ? await store.checkpoints([run.id]) : null
      const marks = run.crashes > 0 || (run.traits & traits.atMostOnce) !== 0
      const owned = !marks || (await store.markStarted([run])).has(run.id)
      if (owned) {
        this.#preparing.delete(run)
        return this.#start(run, states?.get(run.id) ?? null)
      }
    } catch (error) {
      this.#options.onError(error)
      // It is unknown whether the run was marked, but it was not started. If this fails, it is
      // found as a stray.
      await store.giveBack([run]).catch(this.#options.onError)
    }
    // Another worker owns the run, or may own it: do not start it.
    this.#preparing.delete(run)
    this.settled(run)
    this.#release(run)
  }

  #start(run: ClaimedRun, checkpoint: string | null = null): void {
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

  /**
   * Called when the outcome of a run is stored. Until then the next run that runs alone does not
   * start: if that one is the poison pill, this one would count as having crashed with it.
   */
  settled(run: ClaimedRun): void {
    if (this.#alone?.run !== run) return
    this.#alone.settled = true
    if (this.#leaveAlone()) this.pump()
  }

  #leaveAlone(): boolean {
    if (!this.#alone?.returned || !this.#alone.settled) return false
    this.#alone = null
    return true
  }

  /** Handlers that are still executing although their attempts have ended. */
  stuck(): StuckHandler[] {
    const all = this.#running.all().map((attempt) => attempt.stuck)
    return all.filter((stuck) => stuck !== null).slice(0, STUCK_SHOWN_MAX)
  }

  #returned(attempt: Attempt, wasStuck: boolean): void {
    this.#running.delete(attempt)
    if (wasStuck) this.#options.onStuckChanged()
    this.#release(attempt.run)
  }

  #release(run: ClaimedRun): void {
    if (this.#alone?.run === run) {
      this.#alone.returned = true
      this.#leaveAlone()
    }
    this.#options.capacity.release(run.queue, true)
    this.#options.onReturned(run)
    this.pump()
    if (this.#isIdle) for (const done of this.#idle.splice(0)) done()
  }

  get #isIdle(): boolean {
    return this.#running.size === 0 && this.#preparing.size === 0
  }

  /** Resolves when the runs that are about to start have started; null when there are none. */
  get preparing(): Promise<unknown> | null {
    return this.#preparing.size === 0 ? null : Promise.all(this.#preparing.values())
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
    this.#suspects = this.#suspects.filter(({ run }) => !leaves(run))
    for (const run of runs) this.#options.capacity.release(run.queue, false)
    return runs
  }

  /** Resolves when no handler is running or about to start. */
  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
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

/**
 * A worker: one loop that claims as many runs as its handlers can start soon, and otherwise sleeps
 * to the millisecond until the next run is due, a hint arrives, or a poll is due. `ClaimLoop` owns
 * all state of claiming; running and settling report to it by waking the loop.
 *
 * Stopping drains: nothing more is claimed, runs that have not started go back at once, and running
 * handlers may finish until the deadline. Then they are signalled to stop, and after a short grace
 * they are abandoned.
 */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { ClaimLoop } from './claim/claim-loop.ts'
import { LaneList } from './claim/lane-list.ts'
import { Wake } from './claim/wake.ts'
import type { WorkerEvents, WorkerHint, WorkerOptions } from './options/worker-options.ts'
import { RunLogs } from './reports/run-logs.ts'
import { Capacity } from './run/capacity.ts'
import { Runner } from './run/runner.ts'
import { Session } from './session.ts'
import { SettleBatcher } from './settle/settle-batcher.ts'

const STRAYS_EVERY_MS = 60_000
const CANCELS_EVERY_MS = 10_000
const INTERRUPT_GRACE_MS = 1_000
const SETTLE_GRACE_MS = 10_000
const EXPIRING_REST_MS = 200

const LOST = new DOMException('Another worker owns this run now.', 'AbortError')
const EXPIRING = new DOMException('The lease of this worker is about to expire.', 'AbortError')

export class Worker {
  readonly #options: WorkerOptions
  readonly #events: WorkerEvents
  readonly #wake: Wake
  readonly #capacity: Capacity
  readonly #lanes: LaneList
  readonly #logs: RunLogs
  readonly #settler: SettleBatcher
  readonly #runner: Runner
  readonly #session: Session
  readonly #claimer: ClaimLoop
  #straysAtMs: number
  #cancelsAtMs = Number.NEGATIVE_INFINITY
  #loop: Promise<void> | null = null
  #stopping: Promise<void> | null = null
  #stopped = false
  #checking = false
  #pollers: (() => void)[] = []
  /** Runs that are being returned to the queue unchanged. */
  readonly #returning = new Set<Promise<void>>()
  /** A drain was requested for this worker. */
  #drains = false

  constructor(options: WorkerOptions) {
    const { clock, store } = options
    this.#options = options
    this.#events = options.events ?? {}
    this.#wake = new Wake(clock)
    this.#capacity = new Capacity(options)
    this.#lanes = new LaneList(store, clock, () => [...options.handlers.keys()], options.queues)
    const onError = (what: string) => (error: unknown) => this.#events.onError?.(what, error)
    this.#logs = new RunLogs(store, clock, onError('log'))
    this.#straysAtMs = clock.monotonicMs()
    let sessionId = '0'
    this.#session = new Session({
      store,
      clock,
      heartbeat: options.heartbeat,
      random: options.random,
      announce: () => this.#announcement(),
      describe: () => ({
        state: this.#stopped || this.#drains ? 'draining' : 'active',
        handlers: [...options.handlers.keys()],
        stuck: this.#runner.stuck(),
      }),
      onDrains: (drains) => void this.#drain(drains),
      onExpiring: () => {
        this.#leaseLost(EXPIRING)
        // Other workers may claim the runs before they could finish here, so they do not start.
        void this.#giveBackUnstarted('lease')
      },
      onLost: (id) => {
        // Runs that had not started went back with the session; running ones are fenced later.
        this.#runner.takeUnstarted()
        this.#leaseLost(LOST)
        this.#events.onSessionLost?.(id)
        this.#wake.wake()
      },
      onFailing: (message) => this.#events.onError?.('heartbeat', new Error(message)),
    })
    this.#settler = new SettleBatcher({
      store,
      clock,
      logs: this.#logs,
      sessionId: () => {
        sessionId = this.#session.id ?? sessionId
        return sessionId
      },
      events: {
        onSettled: (s, accepted) => this.#settled(s, accepted),
        onError: onError('settle'),
      },
    })
    this.#runner = new Runner({
      store,
      clock,
      logs: this.#logs,
      capacity: this.#capacity,
      handlers: options.handlers,
      transaction: options.transaction,
      random: () => options.random.fraction(),
      outputBytes: options.outputBytes,
      secret: options.secret,
      settle: (settlement) => this.#settle(settlement),
      onReturned: () => this.#returned(),
      onStarted: (run, atMs) => this.#events.onStarted?.(run, atMs),
      onTransacted: (run) => this.#events.onTransacted?.(run),
      onStuckChanged: () => this.#describe('stuck'),
      onError: onError('run'),
    })
    this.#claimer = new ClaimLoop({
      ...{ store, clock, random: options.random, lanes: this.#lanes, capacity: this.#capacity },
      hintsArrive: options.hintsArrive,
      sessionId: () => this.#session.id,
      backlog: () => this.#settler.backlog,
      onSessionLost: async () => void (await this.#session.renew()),
      onClaimed: (runs, claimedAtMs) => this.#claimed(runs, claimedAtMs),
      onParked: (runIds) => {
        // Runs that can start should not wait; if this fails, the reaper releases them.
        store.resolveParked(runIds).catch(onError('overlap'))
      },
    })
  }

  async #claimed(runs: readonly ClaimedRun[], claimedAtMs: number): Promise<void> {
    const { clock, leaseMs, store } = this.#options
    this.#events.onClaimed?.(runs.length)
    // A delay of the answer may have hit the heartbeat too: others may own the runs by now.
    const late = this.#session.expiring || clock.monotonicMs() - claimedAtMs > leaseMs / 2
    const unwanted = this.#capacity.exact && this.#capacity.free < 1
    if (this.#stopped || this.#drains || late || unwanted) await store.giveBack(runs)
    else this.#runner.accept(runs)
  }

  get sessionId(): string | null {
    return this.#session.id
  }
  get running(): number {
    return this.#capacity.running
  }
  get held(): number {
    return this.#capacity.held
  }

  #announcement() {
    const { host, pid, version, handlers, queues, labels, concurrency, leaseMs } = this.#options
    return {
      host,
      pid,
      version,
      handlers: [...handlers.keys()],
      queues,
      labels,
      capacity: concurrency,
      leaseMs,
      drains: this.#drains,
    }
  }

  /** Starts claiming. The loop opens the session and retries while the database is unreachable. */
  start(): void {
    if (this.#loop !== null) return
    const unlisten = this.#options.onHint((hint) => this.#hinted(hint))
    this.#loop = this.#run().finally(unlisten)
  }

  /** A handler was added: announces it and claims from its lanes. */
  async handlersChanged(): Promise<void> {
    this.#lanes.invalidate()
    await this.#session.describe()
    this.#claimer.hinted()
    this.#wake.wake()
  }

  /** Polls for work now; resolves when the work was claimed, or when claiming failed. */
  poll(): Promise<void> {
    this.#wake.wake()
    return new Promise((resolve) => this.#pollers.push(resolve))
  }

  /** Resolves when the runs that are about to start have started; null when there are none. */
  get preparing(): Promise<unknown> | null {
    return this.#runner.preparing
  }

  /** Returns runs to the queue that were claimed and have not started. */
  giveBackUnstarted(): Promise<void> {
    return this.#giveBackUnstarted('give back')
  }

  #hinted(hint: WorkerHint): void {
    if (hint.cancels) {
      if (this.#runner.holdsAny(new Set(hint.cancels))) void this.#checkCancels()
      return
    }
    if (hint.sessions) {
      const ours = this.#session.id !== null && hint.sessions.includes(this.#session.id)
      if (ours) this.#session.renew().catch((error) => this.#events.onError?.('drain', error))
      return
    }
    if (hint.newLane) this.#lanes.invalidate()
    const ours =
      hint.lanes === null || hint.newLane || hint.lanes.some((lane) => this.#lanes.mayHave(lane))
    if (!ours) return
    this.#claimer.hinted(hint.lanes)
    this.#wake.wake()
  }

  /** A drain was requested or ended. Running handlers continue. */
  async #drain(drains: boolean): Promise<void> {
    if (this.#drains === drains) return
    this.#drains = drains
    this.#describe('drain')
    if (drains) await this.#giveBackUnstarted('drain')
    else {
      this.#claimer.hinted()
      this.#wake.wake()
    }
  }

  /** If this fails, the leases are unknown to this worker, and are found as strays. */
  async #giveBackUnstarted(what: string): Promise<void> {
    try {
      await this.#options.store.giveBack(this.#runner.takeUnstarted())
    } catch (error) {
      this.#straysAtMs = Number.NEGATIVE_INFINITY
      this.#events.onError?.(what, error)
    }
  }

  /** Publishes a change of state; if this fails, the next change publishes it. */
  #describe(what: string): void {
    queueMicrotask(() =>
      this.#session.describe().catch((error) => this.#events.onError?.(what, error)),
    )
  }

  #leaseLost(reason: Error): void {
    for (const attempt of this.#runner.attempts) if (!attempt.ended) attempt.leaseLost(reason)
  }

  /** Signals those running handlers to stop for which a cancel was requested. */
  async #checkCancels(): Promise<void> {
    this.#cancelsAtMs = this.#options.clock.monotonicMs()
    const runs = this.#runner.held()
    if (runs.length === 0) return
    try {
      const requests = await this.#options.store.cancelRequests(runs)
      for (const attempt of this.#runner.attempts) {
        const reason = requests.get(attempt.run.fence)
        if (typeof reason === 'string') attempt.cancel(reason)
        else if (reason === null && !attempt.ended) attempt.leaseLost(LOST)
      }
      for (const run of this.#runner.takeUnstarted(({ fence }) => requests.has(fence))) {
        const reason = requests.get(run.fence)
        if (typeof reason === 'string')
          this.#settler.add({ kind: 'cancelled', run, startedAgoMs: null, failure: null, reason })
      }
    } catch (error) {
      this.#events.onError?.('cancel', error)
    }
  }

  #settle(settlement: Settlement): void {
    const { run, kind } = settlement
    if (kind === 'cancelled' || kind === 'skipped' || !this.#options.givesBack?.(run))
      this.#settler.add(settlement)
    else {
      const returning = this.#putBack(run).finally(() => this.#returning.delete(returning))
      this.#returning.add(returning)
    }
  }

  /** If this fails, the lease is unknown to this worker, and is found as a stray. */
  async #putBack(run: ClaimedRun): Promise<void> {
    try {
      await this.#options.store.giveBack([run])
    } catch (error) {
      this.#straysAtMs = Number.NEGATIVE_INFINITY
      this.#events.onError?.('give back', error)
    }
    this.#runner.settled(run)
    this.#events.onGivenBack?.(run)
  }

  #returned(): void {
    this.#claimer.returned()
    this.#capacityFreed()
  }

  #settled(settlement: Settlement, accepted: boolean): void {
    this.#runner.settled(settlement.run)
    this.#events.onSettled?.(settlement, accepted)
    this.#capacityFreed()
  }

  /** Checks once after a burst of runs has ended, not after each run. */
  #capacityFreed(): void {
    if (this.#checking || this.#wake.pending) return
    this.#checking = true
    queueMicrotask(() => {
      this.#checking = false
      if (this.#claimer.wanted) this.#wake.wake()
    })
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#stopped) {
      let pauseMs: number
      const pollers = this.#pollers.splice(0)
      try {
        pauseMs = await this.tick()
        failures = 0
      } catch (error) {
        this.#events.onError?.('claim', error)
        // The claim may have succeeded although its answer was lost: look for unknown leases.
        this.#straysAtMs = Number.NEGATIVE_INFINITY
        pauseMs = Math.min(5_000, 100 * 2 ** Math.min(failures++, 6))
      }
      if (this.#claimer.postponed) this.#pollers.unshift(...pollers)
      else for (const resolve of pollers) resolve()
      await this.#wake.sleep(pauseMs)
    }
    for (const resolve of this.#pollers.splice(0)) resolve()
  }

  /** One turn of the loop; returns how long to sleep. */
  async tick(): Promise<number> {
    if (!this.#session.id) await this.#session.open()
    const nowMs = this.#options.clock.monotonicMs()
    const straysDue = nowMs - this.#straysAtMs >= STRAYS_EVERY_MS
    // The leases of a claim in progress would look like strays.
    if (straysDue) await this.#claimer.between(() => this.#returnStrays())
    // The hint of a cancel may have been lost.
    if (nowMs - this.#cancelsAtMs > CANCELS_EVERY_MS && this.#capacity.held > 0)
      await this.#checkCancels()
    const overdue = this.#runner.takeOverdueSuspects()
    if (overdue.length > 0) await this.#options.store.giveBack(overdue)
    if (this.#drains) return CANCELS_EVERY_MS
    return this.#session.expiring ? EXPIRING_REST_MS : this.#claimer.tick(straysDue)
  }

  /** Returns leases of this session that this worker does not know: a claim's answer was lost. */
  async #returnStrays(): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs()
    const sessionId = this.#session.id
    if (!sessionId) return
    const known = [...this.#runner.claims(), ...this.#settler.claims()]
    const strays = await this.#options.store.strayLeases(sessionId, known)
    if (strays.length > 0) await this.#options.store.giveBack(strays)
    this.#straysAtMs = nowMs
  }

  /** Drains and stops; resolves when nothing of this worker remains. */
  stop(drainMs: number): Promise<void> {
    this.#stopping ??= this.#stop(drainMs)
    return this.#stopping
  }

  async #stop(drainMs: number): Promise<void> {
    this.#stopped = true
    this.#wake.wake()
    await this.#loop
    await this.#claimer.idle()
    const { clock, store } = this.#options
    const attempt = (what: string, work: Promise<unknown>) =>
      work.catch((error) => this.#events.onError?.(what, error))
    await attempt('drain', this.#session.describe())
    await attempt('give back', store.giveBack(this.#runner.takeUnstarted()))
    await this.#within(this.#runner.idle(), drainMs)
    const reason = new DOMException('The worker is stopping.', 'AbortError')
    for (const running of this.#runner.attempts) running.interrupt(reason)
    await this.#within(this.#runner.idle(), INTERRUPT_GRACE_MS)
    for (const running of this.#runner.attempts) running.abandon(reason)
    await Promise.all(this.#returning)
    await this.#within(Promise.all([this.#settler.idle(), this.#logs.flush()]), SETTLE_GRACE_MS)
    this.#settler.giveUp()
    await attempt('close', this.#session.close())
    await clock.sleep(0)
  }

  async #within(work: Promise<unknown>, ms: number): Promise<void> {
    const done = new AbortController()
    await Promise.race([work.then(() => done.abort()), this.#options.clock.sleep(ms, done.signal)])
    done.abort()
  }
}

/**
 * A worker: one loop that claims as many runs as its handlers can start soon, and otherwise sleeps
 * to the millisecond until the next run is due, a hint arrives, or a poll is due. It owns the loop,
 * the session and the drain; `Pipeline` has the path of a run.
 */
import type { SessionDescription } from '@punctual/core/ports'
import { Strays } from './claim/strays.ts'
import { Wake } from './claim/wake.ts'
import { drain } from './drain.ts'
import { announcementOf } from './options/announcement.ts'
import type { WorkerHint, WorkerOptions } from './options/worker-options.ts'
import { Pipeline } from './pipeline.ts'
import { Session } from './session.ts'

const DRAINING_REST_MS = 10_000
const EXPIRING_REST_MS = 200

const EXPIRING = new DOMException('The lease of this worker is about to expire.', 'AbortError')

export class Worker {
  readonly #options: WorkerOptions
  readonly #wake: Wake
  readonly #strays: Strays
  readonly #session: Session
  readonly #pipeline: Pipeline
  #loop: Promise<void> | null = null
  #stopping: Promise<void> | null = null
  #stopped = false
  #pollers: (() => void)[] = []

  constructor(options: WorkerOptions) {
    const { clock, store, heartbeat, random } = options
    this.#options = options
    this.#wake = new Wake(clock)
    this.#strays = new Strays(store, clock)
    this.#session = new Session({
      ...{ store, clock, heartbeat, random },
      announce: () => announcementOf(options),
      describe: () => this.#description(),
      onDrains: (drains) => this.#drain(drains),
      onExpiring: () => this.#leaseExpires(),
      onLost: (id) => this.#sessionLost(id),
      onFailing: (message) => this.#failed('heartbeat', new Error(message)),
    })
    this.#pipeline = new Pipeline(options, {
      ...{ session: this.#session, strays: this.#strays, wake: this.#wake },
      mayStart: () => !this.#stopped && !this.#session.drains,
      onStuckChanged: () => this.#describe('stuck'),
    })
  }

  get sessionId(): string | null {
    return this.#session.id
  }
  get running(): number {
    return this.#pipeline.capacity.running
  }
  get held(): number {
    return this.#pipeline.capacity.held
  }

  /** Resolves when the runs that are about to start have started; null when there are none. */
  get preparing(): Promise<unknown> | null {
    return this.#pipeline.runner.preparing
  }

  /** Starts claiming. The loop opens the session and retries while the database is unreachable. */
  start(): void {
    if (this.#loop !== null) return
    const unlisten = this.#options.onHint((hint) => this.#hinted(hint))
    this.#loop = this.#run().finally(unlisten)
  }

  /** A handler was added: announces it and claims from its lanes. */
  async handlersChanged(): Promise<void> {
    this.#pipeline.lanes.invalidate()
    await this.#session.describe()
    this.#claimSoon()
  }

  /** Polls for work now; resolves when the work was claimed, or when claiming failed. */
  poll(): Promise<void> {
    this.#pipeline.lanes.due.searchNow()
    this.#wake.wake()
    return new Promise((resolve) => this.#pollers.push(resolve))
  }

  /** Returns runs to the queue that were claimed and have not started. */
  giveBackUnstarted(): Promise<void> {
    return this.#pipeline.giveBackUnstarted('give back')
  }

  #failed(what: string, error: unknown): void {
    this.#options.events?.onError?.(what, error)
  }

  #hinted({ cancels, sessions, lanes, newLane }: WorkerHint): void {
    const known = this.#pipeline.lanes
    const { id } = this.#session
    if (cancels) this.#pipeline.cancels.hinted(cancels)
    else if (sessions) {
      if (id !== null && sessions.includes(id))
        this.#session.renew().catch((error) => this.#failed('drain', error))
    } else {
      if (newLane) known.invalidate()
      const ours = lanes === null || newLane || lanes.some((lane) => known.mayHave(lane))
      if (ours) this.#claimSoon(lanes)
    }
  }

  /** Something may be due; `lanes`: where, if that is known. */
  #claimSoon(lanes: readonly number[] | null = null): void {
    this.#pipeline.claimer.hinted(lanes)
    this.#wake.wake()
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#stopped) {
      let pauseMs: number
      const pollers = this.#pollers.splice(0)
      try {
        pauseMs = await this.#turn()
        failures = 0
      } catch (error) {
        this.#failed('claim', error)
        // The claim may have succeeded although its answer was lost.
        this.#strays.request()
        pauseMs = Math.min(5_000, 100 * 2 ** Math.min(failures++, 6))
      }
      if (this.#pipeline.claimer.postponed) this.#pollers.unshift(...pollers)
      else for (const resolve of pollers) resolve()
      await this.#wake.sleep(pauseMs)
    }
    for (const resolve of this.#pollers.splice(0)) resolve()
  }

  /** One turn of the loop; returns how long to sleep. */
  async #turn(): Promise<number> {
    const { cancels, claimer, runner } = this.#pipeline
    if (!this.#session.id) await this.#session.open()
    const [straysDue, cancelsDue] = [this.#strays.due, cancels.due]
    // The leases of a claim in progress would look like strays.
    if (straysDue)
      await claimer.between(() => this.#strays.giveBack(this.#session.id, this.#pipeline.fences()))
    if (cancelsDue) await cancels.check()
    const overdue = runner.takeOverdueSuspects()
    if (overdue.length > 0) await this.#options.store.giveBack(overdue)
    if (this.#session.drains) return DRAINING_REST_MS
    return this.#session.expiring ? EXPIRING_REST_MS : claimer.tick(straysDue)
  }

  /** Other workers may claim the runs before they could finish here, so they do not start. */
  #leaseExpires(): void {
    this.#pipeline.runner.leaseLost(EXPIRING)
    void this.#pipeline.giveBackUnstarted('lease')
  }

  /** Runs that had not started went back with the session; running ones are fenced later. */
  #sessionLost(id: string): void {
    this.#pipeline.runner.takeUnstarted()
    this.#pipeline.runner.leaseLost()
    this.#options.events?.onSessionLost?.(id)
    this.#wake.wake()
  }

  #description(): SessionDescription {
    const state = this.#stopped || this.#session.drains ? 'draining' : 'active'
    const handlers = [...this.#options.handlers.keys()]
    return { state, handlers, stuck: this.#pipeline.runner.stuck() }
  }

  /** Publishes a change of state; if this fails, the next change publishes it. */
  #describe(what: string): void {
    queueMicrotask(() => this.#session.describe().catch((error) => this.#failed(what, error)))
  }

  /** A drain was requested or ended. Running handlers continue. */
  #drain(drains: boolean): void {
    this.#describe('drain')
    if (drains) void this.#pipeline.giveBackUnstarted('drain')
    else this.#claimSoon()
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
    await this.#pipeline.claimer.idle()
    await this.#session.describe().catch((error) => this.#failed('drain', error))
    await drain(this.#pipeline, this.#options.clock, drainMs)
    await this.#session.close().catch((error) => this.#failed('close', error))
    await this.#options.clock.sleep(0)
  }
}

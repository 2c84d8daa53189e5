/**
 * The path of a run through a worker: claim, run, settle. Each part passes runs to the next one by
 * a callback, and imports none of the others. Two reports take the opposite way: the end of a run
 * frees capacity, which may wake the loop for another claim, and the runner learns which outcomes
 * are stored.
 */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { ClaimLoop } from './claim/claim-loop.ts'
import { LaneList } from './claim/lane-list.ts'
import type { Strays } from './claim/strays.ts'
import type { Wake } from './claim/wake.ts'
import type { WorkerEvents, WorkerOptions } from './options/worker-options.ts'
import { RunLogs } from './reports/run-logs.ts'
import { Cancels } from './run/cancels.ts'
import { Capacity } from './run/capacity.ts'
import { Runner } from './run/runner.ts'
import type { Session } from './session.ts'
import { Returns } from './settle/returns.ts'
import { SettleBatcher } from './settle/settle-batcher.ts'

/** What the pipeline needs of the worker. */
export interface PipelineHost {
  readonly session: Session
  readonly strays: Strays
  readonly wake: Wake
  /** False when the worker drains or stops: then claimed runs go back. */
  readonly mayStart: () => boolean
  readonly onStuckChanged: () => void
}

export class Pipeline {
  readonly #options: WorkerOptions
  readonly #events: WorkerEvents
  readonly #host: PipelineHost
  readonly capacity: Capacity
  readonly lanes: LaneList
  readonly logs: RunLogs
  readonly claimer: ClaimLoop
  readonly runner: Runner
  readonly cancels: Cancels
  readonly returns: Returns
  readonly settler: SettleBatcher
  /** Freed capacity is about to be checked. */
  #checking = false

  constructor(options: WorkerOptions, host: PipelineHost) {
    const { clock, store, random, handlers } = options
    const { session } = host
    this.#options = options
    this.#events = options.events ?? {}
    this.#host = host
    const onError = (what: string) => (error: unknown) => this.#events.onError?.(what, error)
    this.capacity = new Capacity(options)
    const { queues, fewLanes } = options
    this.lanes = new LaneList(store, clock, () => [...handlers.keys()], queues, fewLanes)
    this.logs = new RunLogs(store, clock, onError('log'))
    this.settler = new SettleBatcher({
      ...{ store, clock, logs: this.logs, sessionId: () => session.lastId },
      mayRepeat: () => session.wasLost,
      events: {
        onSettled: (settlement, accepted) => this.#settled(settlement, accepted),
        onError: onError('settle'),
      },
    })
    this.returns = new Returns({
      store,
      onGivenBack: (run) => this.#givenBack(run),
      onFailed: (what, error) => {
        host.strays.request()
        this.#events.onError?.(what, error)
      },
    })
    this.runner = new Runner({
      ...{ store, clock, logs: this.logs, capacity: this.capacity, handlers },
      transaction: options.transaction,
      random: () => random.fraction(),
      outputBytes: options.outputBytes,
      secret: options.secret,
      callback: options.callback,
      settle: (settlement) => this.#settle(settlement),
      onReturned: () => this.#returned(),
      onStarted: (run, atMs) => this.#events.onStarted?.(run, atMs),
      onTransacted: (run) => this.#events.onTransacted?.(run),
      onStuckChanged: host.onStuckChanged,
      onError: onError('run'),
    })
    this.cancels = new Cancels({
      ...{ store, clock, runner: this.runner, onError: onError('cancel') },
      settle: (settlement) => this.settler.add(settlement),
    })
    this.claimer = new ClaimLoop({
      ...{ store, clock, random, lanes: this.lanes, capacity: this.capacity },
      hintsArrive: options.hintsArrive,
      sessionId: () => session.id,
      backlog: () => this.settler.backlog,
      onSessionLost: async () => void (await session.renew()),
      onClaimed: (runs, claimedAtMs) => this.#claimed(runs, claimedAtMs),
      onParked: (runIds) => {
        // Runs that can start should not wait; if this fails, the reaper releases them.
        store.resolveParked(runIds).catch(onError('overlap'))
      },
    })
  }

  /** The fences of all leases that this worker knows. */
  fences(): bigint[] {
    return [...this.runner.claims(), ...this.settler.claims()]
  }

  /** Returns runs that have not started to the queue; never rejects. */
  giveBackUnstarted(what: string): Promise<void> {
    return this.returns.giveBack(what, this.runner.takeUnstarted())
  }

  /** Claim to run. */
  async #claimed(runs: readonly ClaimedRun[], claimedAtMs: number): Promise<void> {
    const { clock, leaseMs, store } = this.#options
    const { session, mayStart } = this.#host
    this.#events.onClaimed?.(runs.length)
    // A delay of the answer may have hit the heartbeat too: others may own the runs by now.
    const late = session.expiring || clock.monotonicMs() - claimedAtMs > leaseMs / 2
    const unwanted = this.capacity.exact && this.capacity.free < 1
    if (!mayStart() || late || unwanted) await store.giveBack(runs)
    else this.runner.accept(runs)
  }

  /** Run to settle. */
  #settle(settlement: Settlement): void {
    const { run, kind } = settlement
    const ends = kind === 'cancelled' || kind === 'skipped'
    if (ends || !this.#options.givesBack?.(run)) this.settler.add(settlement)
    else this.returns.ended(run)
  }

  #settled(settlement: Settlement, accepted: boolean): void {
    this.runner.settled(settlement.run)
    this.#events.onSettled?.(settlement, accepted)
    this.#capacityFreed()
  }

  #givenBack(run: ClaimedRun): void {
    this.runner.settled(run)
    this.#events.onGivenBack?.(run)
  }

  #returned(): void {
    this.claimer.returned()
    this.#capacityFreed()
  }

  /** Checks once after a burst of runs has ended, not after each run. */
  #capacityFreed(): void {
    if (this.#checking || this.#host.wake.pending) return
    this.#checking = true
    queueMicrotask(() => {
      this.#checking = false
      if (this.claimer.wanted) this.#host.wake.wake()
    })
  }
}

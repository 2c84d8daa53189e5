/**
 * Activity as programs receive it: `on`, `once`, `off` and streams, of this process and of the
 * fleet.
 */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { Submission } from '@punctual/core/submit'
import { type Accepted, type PostgresStore, systemClock } from '@punctual/store'
import { ActivityHub, type ActivityListener, type ActivityOptions } from './event-hub.ts'
import type {
  ActivityEvent,
  ActivityType,
  FleetActivityType,
  LocalActivityType,
} from './event-types.ts'
import { FleetWatch } from './fleet-watch.ts'
import { RunEvents } from './run-events.ts'

/**
 * Listens to events of one type; returns a function that stops listening.
 * @example
 * ```ts
 * const stop = punctual.on('run.dead', ({ runId, error }) => console.error(runId, error?.message))
 * punctual.on('run.dead', (event) => console.error(event), { fleet: true })
 * stop()
 * ```
 */
export interface Listen {
  /** Events of this process. */
  <Name extends LocalActivityType>(
    type: Name,
    listener: ActivityListener<Name>,
    options?: { fleet?: false },
  ): () => void
  /**
   * Events of the default tenant's runs and of workers in all processes, about one second later.
   */
  <Name extends FleetActivityType>(
    type: Name,
    listener: ActivityListener<Name>,
    options: { fleet: true },
  ): () => void
}

/** Removes the listener from this type, even if it was added several times. */
export type Unlisten = <Name extends ActivityType>(
  type: Name,
  listener: ActivityListener<Name>,
) => void

/**
 * Events as an async iterable. The loop ends when its signal is aborted or Punctual stops, and
 * throws `activity_behind` when it is too slow.
 * @example
 * ```ts
 * for await (const event of punctual.activity({ types: ['run.dead'], fleet: true }))
 *   console.error(event.runId, event.reason)
 * ```
 */
export interface StreamActivity {
  /** Events of this process. */
  <Name extends LocalActivityType = LocalActivityType>(
    options?: ActivityOptions<Name> & { fleet?: false },
  ): AsyncIterableIterator<ActivityEvent<Name>>
  /**
   * Events of the default tenant's runs and of workers in all processes, about one second later.
   */
  <Name extends FleetActivityType = FleetActivityType>(
    options: ActivityOptions<Name> & { fleet: true },
  ): AsyncIterableIterator<ActivityEvent<Name>>
}

export class Activity {
  readonly #hub: ActivityHub
  readonly #watch: FleetWatch
  readonly #runs: RunEvents
  readonly #nowMs: () => number

  constructor(store: PostgresStore, onError: (error: unknown) => void) {
    const { clock } = store.database
    this.#nowMs = () => clock.nowMs()
    const watch = new FleetWatch({
      ends: store.ends,
      clock: systemClock,
      nowMs: this.#nowMs,
      onEvent: (event) => this.#hub.publish(event, true),
      onError,
    })
    this.#watch = watch
    this.#hub = new ActivityHub({ onFleetWanted: (types) => watch.want(types), onError })
    this.#runs = new RunEvents(this.#hub, (at) => (at === undefined ? clock.nowMs() : clock.at(at)))
    store.schedules.steering.onPaused = ({ id: jobId, name: job, note }) =>
      this.#publish({ type: 'job.paused', at: this.#now(), jobId, job, note })
  }

  readonly on: Listen = (type: ActivityType, listener: ActivityListener<never>, options = {}) =>
    this.#hub.listen(type, listener, options, false)

  readonly once: Listen = (type: ActivityType, listener: ActivityListener<never>, options = {}) =>
    this.#hub.listen(type, listener, options, true)

  readonly off: Unlisten = (type, listener) => this.#hub.off(type, listener)

  readonly stream: StreamActivity = <Name extends ActivityType>(
    options: ActivityOptions<Name> = {},
  ) => this.#hub.stream<Name>(options)

  #now(): Date {
    return new Date(this.#nowMs())
  }

  #publish(event: ActivityEvent): void {
    if (this.#hub.wants(event.type)) this.#hub.publish(event)
  }

  submitted(submissions: readonly Submission[], accepted: readonly Accepted[]): void {
    if (!this.#hub.wants('run.submitted')) return
    for (const [i, { id, created, outcome }] of accepted.entries()) {
      const { handler, queue } = (submissions[i] as Submission).options
      const facts = { at: this.#now(), runId: id, handler, queue, created, outcome }
      this.#hub.publish({ type: 'run.submitted', ...facts })
    }
  }

  started(run: ClaimedRun, monotonicMs: number): void {
    this.#runs.started(run, monotonicMs)
  }

  succeeded(run: ClaimedRun): void {
    this.#runs.succeeded(run)
  }

  settled(settlement: Settlement): void {
    this.#runs.settled(settlement)
    if (['dead', 'cancelled', 'skipped'].includes(settlement.kind)) this.#watch.hint()
  }

  workerLost(workerId: string, host: string, pid: number): void {
    this.#publish({ type: 'worker.lost', at: this.#now(), workerId, host, pid })
  }

  /** Ends all streams, and stops reading events of the fleet. */
  async close(): Promise<void> {
    this.#hub.close()
    await this.#watch.idle()
  }
}

/**
 * Claims runs for programs with their own loop: `claim` returns due runs, up to a limit, and each
 * stays leased until the program settles it. It is a worker like any other, with a session, a
 * heartbeat and a settler, except that it claims only as many runs as calls are waiting for, and
 * none ahead.
 */
import type { Clock } from '@punctual/core/clock'
import { invariant } from '@punctual/core/errors'
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { HandlerContext, RegisteredHandler } from './handler/handler.ts'
import type { WorkerEvents, WorkerOptions } from './options/worker-options.ts'
import { AttemptContext } from './run/attempt-context.ts'
import { Held, type HeldRun, type RunFate } from './run/held-run.ts'
import type { Worker } from './worker.ts'

/** How long prepared runs wait for runs of the same claim whose start has to be marked first. */
const PREPARING_MS_MAX = 1_000

const fates = {
  ...{ succeeded: 'succeeded', retry: 'retrying', dead: 'dead', cancelled: 'cancelled' },
  // The program never receives a skipped run.
  skipped: 'given_back',
  ...{ awaiting: 'awaiting', unknown: 'unknown' },
} as const satisfies Record<Settlement['kind'], RunFate>

/** A `claim` call that waits for runs. */
interface WaitingCall {
  readonly limit: number
  readonly runs: HeldRun[]
  resolve(): void
}

export interface ClaimCallOptions {
  readonly limit: number
  /** How long to wait for the first run when none is due. The store is queried at least once. */
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export interface ManualClaimerOptions {
  readonly clock: Clock
  readonly handlers: readonly string[]
  readonly events: WorkerEvents
  /** Makes the worker; these options are set by the claimer. */
  readonly makeWorker: (
    parts: Required<Pick<WorkerOptions, 'handlers' | 'allowed' | 'givesBack' | 'events'>>,
  ) => Worker
}

export class ManualClaimer {
  readonly #clock: Clock
  readonly #worker: Worker
  readonly #calls = new Set<WaitingCall>()
  readonly #held = new Map<bigint, Held>()
  /** Runs that were about to start when no call waited for them any more. */
  readonly #unwanted = new Set<bigint>()
  /** Runs that were handed out and are not settled yet. */
  #open = 0

  constructor({ clock, handlers, events, makeWorker }: ManualClaimerOptions) {
    this.#clock = clock
    const run: RegisteredHandler['run'] = (payload, context) => this.#arrived(payload, context)
    this.#worker = makeWorker({
      handlers: new Map(handlers.map((name) => [name, { name, run, onLeaseLoss: 'abort' }])),
      allowed: () => this.#open + this.#wanted,
      givesBack: ({ fence }) =>
        this.#unwanted.has(fence) || this.#held.get(fence)?.returns === true,
      events: this.#listening(events),
    })
    this.#worker.start()
  }

  /** How many runs are held, settled or not. */
  get held(): number {
    return this.#held.size
  }

  get #wanted(): number {
    let wanted = 0
    for (const { limit, runs } of this.#calls) wanted += limit - runs.length
    return wanted
  }

  #listening(events: WorkerEvents): WorkerEvents {
    return {
      ...events,
      onSettled: (settlement, accepted) => {
        this.#ended(settlement.run, accepted ? fates[settlement.kind] : 'refused')
        events.onSettled?.(settlement, accepted)
      },
      onTransacted: (run) => {
        this.#ended(run, 'succeeded')
        events.onTransacted?.(run)
      },
      onGivenBack: (run) => {
        this.#unwanted.delete(run.fence)
        this.#ended(run, 'given_back')
        events.onGivenBack?.(run)
      },
    }
  }

  #ended({ fence }: ClaimedRun, fate: RunFate): void {
    const held = this.#held.get(fence)
    this.#held.delete(fence)
    held?.ended(fate)
  }

  /**
   * Returns what is due now, up to the limit; otherwise the first run that becomes due in time, or
   * nothing.
   */
  async claim({ limit, waitMs, signal }: ClaimCallOptions): Promise<readonly HeldRun[]> {
    const waiting = new AbortController()
    const call: WaitingCall = { limit, runs: [], resolve: () => waiting.abort() }
    this.#calls.add(call)
    const end = () => this.#answer(call)
    signal?.addEventListener('abort', end, { once: true })
    const polled = this.#worker.poll()
    if (signal?.aborted) end()
    await this.#clock.sleep(waitMs, waiting.signal)
    if (!waiting.signal.aborted) await Promise.race([polled, aborted(waiting.signal)])
    signal?.removeEventListener('abort', end)
    // Runs that are about to start are returned with the first one.
    if (this.#calls.has(call)) await this.#answerPrepared(call)
    return call.runs
  }

  /** A run is about to start: the call that has waited longest receives it. */
  #arrived(payload: unknown, context: HandlerContext): Promise<unknown> {
    invariant(context instanceof AttemptContext, 'the worker makes the contexts of its attempts')
    const { run } = context
    const call = [...this.#calls].find(({ runs, limit }) => runs.length < limit)
    if (!call) {
      this.#unwanted.add(run.fence)
      return Promise.reject(new Error('No call waits for this run any more.'))
    }
    const held = new Held(run, payload, context, () => {
      this.#open--
    })
    this.#open++
    this.#held.set(run.fence, held)
    // Runs of the same claim start before this microtask, and are returned together.
    if (call.runs.push(held) === 1) queueMicrotask(() => void this.#answerPrepared(call))
    return held.work
  }

  async #answerPrepared(call: WaitingCall): Promise<void> {
    const { preparing } = this.#worker
    if (preparing !== null && call.runs.length < call.limit)
      await Promise.race([preparing, this.#clock.sleep(PREPARING_MS_MAX)])
    this.#answer(call)
  }

  #answer(call: WaitingCall): void {
    if (!this.#calls.delete(call)) return
    call.resolve()
    if (this.#wanted === 0) void this.#worker.giveBackUnstarted()
  }

  /** Waits for held runs as for handlers. Runs that are not settled by then return to the queue. */
  async stop(drainMs: number): Promise<void> {
    for (const call of this.#calls) this.#answer(call)
    await this.#worker.stop(drainMs)
    for (const held of this.#held.values()) held.lost()
    this.#held.clear()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

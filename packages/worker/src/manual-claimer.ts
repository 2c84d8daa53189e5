/**
 * Runs for people who bring their own loop: `claim` gives as many as are due, up to a limit, and each is held until its
 * holder says what became of it. It is a worker like any other, with a session, a heartbeat and a settler; only how much
 * it may claim follows what is asked for, and nothing is claimed ahead of that.
 */
import type { Clock } from '@punctual/core/clock'
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import type { WorkerEvents, WorkerOptions } from './options/worker-options.ts'
import type { Attempt } from './run/attempt.ts'
import type { HandlerContext, RegisteredHandler } from './run/handler.ts'
import { Held, type HeldRun, type RunFate } from './run/held-run.ts'
import type { Worker } from './worker.ts'

/** How long runs that came together wait for those among them whose start has to be marked first. */
const PREPARING_MS_MAX = 1_000

const fates = {
  ...{ succeeded: 'succeeded', retry: 'retrying', dead: 'dead', cancelled: 'cancelled' },
  // Never handed out.
  skipped: 'given_back',
} as const satisfies Record<Settlement['kind'], RunFate>

/** A call that waits for runs. */
interface Asking {
  readonly limit: number
  readonly runs: HeldRun[]
  resolve(): void
}

export interface AskOptions {
  readonly limit: number
  /** How long to wait for the first run when none is due. One look is made in any case. */
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export interface ManualClaimerOptions {
  readonly clock: Clock
  readonly handlers: readonly string[]
  readonly events: WorkerEvents
  /** Makes the worker, of which these parts are the loop's. */
  readonly makeWorker: (
    parts: Required<Pick<WorkerOptions, 'handlers' | 'allowed' | 'givesBack' | 'events'>>,
  ) => Worker
}

export class ManualClaimer {
  readonly #clock: Clock
  readonly #worker: Worker
  readonly #asking = new Set<Asking>()
  readonly #held = new Map<bigint, Held>()
  /** Runs that nobody asked for any more when they were about to start. */
  readonly #unasked = new Set<bigint>()
  /** Held, and nothing is said of them. */
  #open = 0

  constructor({ clock, handlers, events, makeWorker }: ManualClaimerOptions) {
    this.#clock = clock
    const run: RegisteredHandler['run'] = (payload, context) => this.#arrived(payload, context)
    this.#worker = makeWorker({
      handlers: new Map(handlers.map((name) => [name, { name, run, onLeaseLoss: 'abort' }])),
      allowed: () => this.#open + this.#wanted,
      givesBack: ({ fence }) => this.#unasked.has(fence) || this.#held.get(fence)?.returns === true,
      events: this.#listening(events),
    })
    this.#worker.start()
  }

  /** How many runs are held. */
  get held(): number {
    return this.#held.size
  }

  get #wanted(): number {
    let wanted = 0
    for (const { limit, runs } of this.#asking) wanted += limit - runs.length
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
        this.#unasked.delete(run.fence)
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

  /** What is due now, up to the limit; otherwise the first that comes within the time, or nothing. */
  async claim({ limit, waitMs, signal }: AskOptions): Promise<readonly HeldRun[]> {
    const waiting = new AbortController()
    const asking: Asking = { limit, runs: [], resolve: () => waiting.abort() }
    this.#asking.add(asking)
    const end = () => this.#answer(asking)
    signal?.addEventListener('abort', end, { once: true })
    const looked = this.#worker.look()
    if (signal?.aborted) end()
    await this.#clock.sleep(waitMs, waiting.signal)
    if (!waiting.signal.aborted) await Promise.race([looked, aborted(waiting.signal)])
    signal?.removeEventListener('abort', end)
    // Those that are about to start come with the first.
    if (this.#asking.has(asking)) await this.#answerPrepared(asking)
    return asking.runs
  }

  /** A run is about to start: whoever asked first is given it. */
  #arrived(payload: unknown, context: HandlerContext): Promise<unknown> {
    // The worker calls handlers with the attempt itself.
    const { run } = context as Attempt
    const asking = [...this.#asking].find(({ runs, limit }) => runs.length < limit)
    if (!asking) {
      this.#unasked.add(run.fence)
      return Promise.reject(new Error('Nobody asks for it any more.'))
    }
    const held = new Held(run, payload, context, () => {
      this.#open--
    })
    this.#open++
    this.#held.set(run.fence, held)
    // Those that were claimed with it start before this does.
    if (asking.runs.push(held) === 1) queueMicrotask(() => void this.#answerPrepared(asking))
    return held.work
  }

  async #answerPrepared(asking: Asking): Promise<void> {
    const { preparing } = this.#worker
    if (preparing !== null && asking.runs.length < asking.limit)
      await Promise.race([preparing, this.#clock.sleep(PREPARING_MS_MAX)])
    this.#answer(asking)
  }

  #answer(asking: Asking): void {
    if (!this.#asking.delete(asking)) return
    asking.resolve()
    if (this.#wanted === 0) void this.#worker.giveBackUnstarted()
  }

  /** Waits for what is held, as for handlers; what nothing is said of goes back to be tried again. */
  async stop(drainMs: number): Promise<void> {
    for (const asking of this.#asking) this.#answer(asking)
    await this.#worker.stop(drainMs)
    for (const held of this.#held.values()) held.lost()
    this.#held.clear()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** `punctual.workers`: the processes that run handlers, and draining them. */
import { integer, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import type { StuckHandler } from '@punctual/core/ports'
import type { FinalState } from '@punctual/core/run'
import {
  type PastSession,
  type PostgresStore,
  systemClock,
  type WorkerSession,
} from '@punctual/store'
import { type Ends, endsOfWorkers, noneEnded } from './stats.ts'

const LOOK_AGAIN_MS = 200
const WAIT_MS_MAX = 2_147_483_647
const ID_MAX = 2n ** 63n

/**
 * `active` takes work. `draining` takes nothing more: somebody asked it to, or it is stopping. `lost` was not heard of
 * for a whole lease, and its runs will be taken from it. `offline` has left, in the last day.
 */
export type WorkerState = 'active' | 'draining' | 'lost' | 'offline'

/** A worker: a process that takes runs. */
export interface WorkerProcess {
  /** Of this start of it; another start has another. */
  readonly id: string
  /** What it does. */
  readonly state: WorkerState
  /** The machine that it is on. */
  readonly host: string
  /** Its process there. */
  readonly pid: number
  /** Its version of Punctual. */
  readonly version: string
  /** How many runs it runs at once. */
  readonly capacity: number
  /** The names of its handlers. */
  readonly handlers: readonly string[]
  /** Empty when it takes from all. */
  readonly queues: readonly string[]
  /** What it was given as `worker.labels`. */
  readonly labels: Readonly<Record<string, string>>
  /** How many runs it holds. */
  readonly running: number
  /** How many runs it ended in the last hour, and how. Attempts that are tried again have not ended a run. */
  readonly endedLastHour: Readonly<Record<FinalState, number>>
  /** Those that died or were lost among those that succeeded, died or were lost: from 0 to 1, null when there is none. */
  readonly failureRate: number | null
  /** Handlers that go on although their attempts have ended. */
  readonly stuck: readonly StuckHandler[]
  /** Since when it is there. */
  readonly openedAt: Date
  /** When it was last heard of; null once it has left. */
  readonly renewedAt: Date | null
  /** When somebody asked it to drain. */
  readonly drainAskedAt: Date | null
  /** When it left. */
  readonly endedAt: Date | null
  /** It has left because it was not heard of for a whole lease. */
  readonly fenced: boolean
  /** The number of the tenant that it works for; null when it works for all, or has left. */
  readonly tenantId: number | null
}

/** How long to wait for a worker. */
export interface DrainedOptions {
  /** After this the wait rejects with `wait_timeout`; the worker goes on draining. @default no limit */
  timeoutMs?: number
  /** Ends the wait with its reason. */
  signal?: AbortSignal
}

function stateOf({ alive, state, drainAskedAt }: WorkerSession): WorkerState {
  if (!alive) return 'lost'
  return state === 'draining' || drainAskedAt !== null ? 'draining' : 'active'
}

/** What is known of a worker beside how its runs ended. */
type Known = Omit<WorkerProcess, 'endedLastHour' | 'failureRate'>

function toKnown({ alive, held, ...session }: WorkerSession): Known {
  const state = stateOf({ alive, held, ...session })
  return { ...session, state, running: held, endedAt: null, fenced: false }
}

function rated(worker: Known, ends: Ends | undefined): WorkerProcess {
  const ended = ends?.ended ?? noneEnded()
  const failed = ended.dead + ended.unknown
  const tried = ended.succeeded + failed
  return { ...worker, endedLastHour: ended, failureRate: tried === 0 ? null : failed / tried }
}

function checkId(id: unknown): string {
  if (typeof id === 'string' && /^\d{1,19}$/.test(id) && BigInt(id) < ID_MAX) return id
  return refuseOption('id', 'the id of a worker, such as workers.list tells', id)
}

/**
 * `punctual.workers`: the processes that run handlers, and draining them. Those of `punctual.tenant(id)` are the remote
 * workers that work for that tenant alone; for it, others are not there.
 */
export class Workers {
  readonly #store: PostgresStore
  readonly #tenantId: number | null

  /** @internal */
  constructor(store: PostgresStore, tenantId: number | null = null) {
    this.#store = store
    this.#tenantId = tenantId
  }

  async #sessions(): Promise<WorkerSession[]> {
    const all = await this.#store.workers.sessions()
    const tenantId = this.#tenantId
    return tenantId === null ? all : all.filter((session) => session.tenantId === tenantId)
  }

  /** Those that left in the last day; whom they worked for is not kept. */
  async #past(id?: string): Promise<PastSession[]> {
    return this.#tenantId === null ? this.#store.workers.past(id) : []
  }

  /** Those that are there, oldest first. */
  async present(): Promise<WorkerProcess[]> {
    return this.#rated((await this.#sessions()).map(toKnown))
  }

  async #rated(workers: readonly Known[]): Promise<WorkerProcess[]> {
    const ends = await endsOfWorkers(this.#store)
    return workers.map((worker) => rated(worker, ends.get(worker.id)))
  }

  /** Those that are there, oldest first, then those that left in the last day; of a tenant those that are there. */
  async list(): Promise<WorkerProcess[]> {
    const [present, past] = await Promise.all([this.#sessions(), this.#past()])
    const left = past.map((session): Known => {
      const never = { running: 0, stuck: [], renewedAt: null, drainAskedAt: null, tenantId: null }
      return { ...session, ...never, state: 'offline' }
    })
    return this.#rated([...present.map(toKnown), ...left])
  }

  /**
   * Asks a worker to take nothing more: it gives back what it has not started, and finishes what it runs. False when
   * it was asked already. It holds for the process, also when that loses its session: one that is started again takes
   * work.
   * @throws `PunctualError` with `worker_not_found`.
   */
  async drain(id: string): Promise<boolean> {
    return this.#ask(checkId(id), true)
  }

  /**
   * Asks a worker that drains to take work again. False when it was not asked to drain.
   * @throws `PunctualError` with `worker_not_found`.
   */
  async activate(id: string): Promise<boolean> {
    return this.#ask(checkId(id), false)
  }

  async #ask(id: string, drains: boolean): Promise<boolean> {
    const answer = await this.#store.workers.drain(id, drains, this.#tenantId)
    if (answer !== null) return answer === 'asked'
    const [past] = await this.#past(id)
    const message = past
      ? `Worker ${id} has left at ${past.endedAt.toISOString()}.`
      : `There is no worker ${id}. Each start of a worker has an id of its own.`
    throw new PunctualError('worker_not_found', message, { id })
  }

  /**
   * Resolves when the worker holds no run any more, or has left.
   * @throws `PunctualError` with `wait_timeout`.
   */
  async waitUntilDrained(id: string, options: DrainedOptions = {}): Promise<'drained' | 'left'> {
    checkId(id)
    const { timeoutMs, signal } = options
    if (timeoutMs !== undefined) integer('timeoutMs', timeoutMs, 0, WAIT_MS_MAX)
    const limits = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)]
    const ending = AbortSignal.any(limits.filter((it) => it !== undefined))
    for (;;) {
      const worker = (await this.#sessions()).find((it) => it.id === id)
      if (!worker) return 'left'
      if (worker.held === 0 && worker.state === 'draining') return 'drained'
      signal?.throwIfAborted()
      if (ending.aborted)
        throw new PunctualError(
          'wait_timeout',
          `Worker ${id} still holds ${worker.held} runs after ${timeoutMs} ms. It goes on draining.`,
          { id },
        )
      await systemClock.sleep(LOOK_AGAIN_MS, ending)
    }
  }
}

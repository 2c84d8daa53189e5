/** `punctual.workers`: lists and drains the processes that run handlers. */
import { integer, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import type { Ends, WorkerProcess, WorkerState } from '@punctual/core/queue'
import {
  type PastSession,
  type PostgresStore,
  systemClock,
  type WorkerSession,
} from '@punctual/store'
import type { ControlWrites, WriteScope } from '../audit/control-writes.ts'
import { endsOfWorkers, noneEnded } from './stats.ts'

const POLL_MS = 200
const WAIT_MS_MAX = 2_147_483_647
const ID_MAX = 2n ** 63n

/** Options of `waitUntilDrained`. */
export interface DrainedOptions {
  /**
   * After this many milliseconds the wait rejects with `wait_timeout`; the worker keeps draining.
   * @default no limit
   */
  timeoutMs?: number
  /** Ends the wait with the signal's reason. */
  signal?: AbortSignal
}

function stateOf({ alive, state, drainAskedAt }: WorkerSession): WorkerState {
  if (!alive) return 'lost'
  return state === 'draining' || drainAskedAt !== null ? 'draining' : 'active'
}

/** A worker without the counts of how its runs ended. */
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
  return refuseOption('id', 'the id of a worker, as workers.list returns it', id)
}

/**
 * `punctual.workers`: lists and drains the processes that run handlers. With `punctual.tenant(id)`
 * it covers only the remote workers that serve that tenant exclusively.
 */
export class Workers {
  readonly #store: PostgresStore
  readonly #writes: ControlWrites
  readonly #tenantId: number | null

  /** @internal */
  constructor({ store, writes, tenantId }: WriteScope<number | null>) {
    this.#store = store
    this.#writes = writes
    this.#tenantId = tenantId
  }

  async #sessions(): Promise<WorkerSession[]> {
    const all = await this.#store.workers.sessions()
    const tenantId = this.#tenantId
    return tenantId === null ? all : all.filter((session) => session.tenantId === tenantId)
  }

  /**
   * Workers that ended within the last day. Their tenant is not stored, so a tenant sees none of
   * them.
   */
  async #past(id?: string): Promise<PastSession[]> {
    return this.#tenantId === null ? this.#store.workers.past(id) : []
  }

  /** The connected workers, oldest first. */
  async present(): Promise<WorkerProcess[]> {
    return this.#rated((await this.#sessions()).map(toKnown))
  }

  async #rated(workers: readonly Known[]): Promise<WorkerProcess[]> {
    const ends = await endsOfWorkers(this.#store)
    return workers.map((worker) => rated(worker, ends.get(worker.id)))
  }

  /**
   * The connected workers, oldest first, then those that ended within the last day; a tenant sees
   * only the former.
   */
  async list(): Promise<WorkerProcess[]> {
    const [present, past] = await Promise.all([this.#sessions(), this.#past()])
    const left = past.map((session): Known => {
      const never = { running: 0, stuck: [], renewedAt: null, drainAskedAt: null, tenantId: null }
      return { ...session, ...never, state: 'offline' }
    })
    return this.#rated([...present.map(toKnown), ...left])
  }

  /**
   * Requests a drain: the worker claims nothing more, releases what it has not started, and
   * finishes what it is running. False when a drain was requested before. The request holds for the
   * process, even if it loses its session; a restarted process claims work again.
   * @throws `PunctualError` with `worker_not_found`.
   */
  async drain(id: string): Promise<boolean> {
    return this.#record('worker.drain', checkId(id), true)
  }

  /**
   * Ends a drain: the worker claims work again. False when no drain was requested.
   * @throws `PunctualError` with `worker_not_found`.
   */
  async activate(id: string): Promise<boolean> {
    return this.#record('worker.activate', checkId(id), false)
  }

  #record(action: string, id: string, drains: boolean): Promise<boolean> {
    return this.#writes.record(this.#tenantId, async () => {
      const result = await this.#request(id, drains)
      const worker = (await this.#store.workers.sessions()).find((session) => session.id === id)
      const target = { kind: 'worker', id, name: worker ? `${worker.host}:${worker.pid}` : null }
      const entry = { action, target, before: { drains: !drains }, after: { drains } }
      return { result, entries: result ? [entry] : [] }
    })
  }

  async #request(id: string, drains: boolean): Promise<boolean> {
    const answer = await this.#store.workers.drain(id, drains, this.#tenantId)
    if (answer !== null) return answer === 'asked'
    const [past] = await this.#past(id)
    const message = past
      ? `Worker ${id} ended at ${past.endedAt.toISOString()}.`
      : `No worker has the id ${id}. Each start of a worker has its own id.`
    throw new PunctualError('worker_not_found', message, { id })
  }

  /**
   * Resolves when the worker has drained and holds no runs, or has left.
   * @throws `PunctualError` with `wait_timeout`.
   */
  async waitUntilDrained(id: string, options: DrainedOptions = {}): Promise<'drained' | 'left'> {
    checkId(id)
    const { timeoutMs, signal } = options
    if (timeoutMs !== undefined) integer('timeoutMs', timeoutMs, 0, WAIT_MS_MAX)
    const limits = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)]
    const ending = AbortSignal.any(limits.filter((limit) => limit !== undefined))
    for (;;) {
      const worker = (await this.#sessions()).find((session) => session.id === id)
      if (!worker) return 'left'
      if (worker.held === 0 && worker.state === 'draining') return 'drained'
      signal?.throwIfAborted()
      if (ending.aborted)
        throw new PunctualError(
          'wait_timeout',
          `Worker ${id} still holds ${worker.held} runs after ${timeoutMs} ms. It keeps draining.`,
          { id },
        )
      await systemClock.sleep(POLL_MS, ending)
    }
  }
}

/**
 * `punctual.claim`: runs for programs with their own loop. Calls with the same handlers and queues
 * share a session.
 */
import { checkName, integer, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { systemClock } from '@punctual/store'
import { type HeldRun, ManualClaimer, type WorkerEvents } from '@punctual/worker'
import { makeWorker, type WorkerHome } from './make-worker.ts'

const LIMIT_MAX = 1_000
const WAIT_MS_MAX = 2_147_483_647
/** Each loop has a session and a connection that keeps it alive. */
const LOOPS_MAX = 16
const KNOWN = ['handlers', 'queues', 'limit', 'waitMs', 'signal']

/** Options of `punctual.claim`. */
export interface ClaimOptions {
  /**
   * The names of the handlers whose runs to claim, up to 1,000. A process may use 16 different
   * combinations of handlers and queues.
   */
  handlers: readonly string[]
  /** The queues to claim from. @default those of `worker.queues`, or all */
  queues?: readonly string[]
  /** The most runs to return, up to 1,000. @default 1 */
  limit?: number
  /** How long to wait for the first run when none is due, in ms. @default 10000 */
  waitMs?: number
  /** Ends the wait. */
  signal?: AbortSignal
}

export class ManualClaims {
  readonly #home: WorkerHome
  readonly #events: WorkerEvents
  readonly #loops = new Map<string, ManualClaimer>()
  #stopped = false

  constructor(home: WorkerHome, events: WorkerEvents) {
    this.#home = home
    this.#events = events
  }

  /** How many claimed runs are not settled yet. */
  get held(): number {
    let held = 0
    for (const loop of this.#loops.values()) held += loop.held
    return held
  }

  async claim(options: ClaimOptions): Promise<readonly HeldRun[]> {
    const { handlers, queues, limit, waitMs, signal } = compile(options, this.#home.options.queues)
    if (this.#stopped)
      throw new PunctualError('stopped', 'This Punctual is stopping; nothing more is claimed here.')
    const loop = this.#loop(handlers, queues, limit)
    return loop.claim({ limit, waitMs, ...(signal && { signal }) })
  }

  #loop(handlers: readonly string[], queues: readonly string[], limit: number): ManualClaimer {
    const key = JSON.stringify([handlers, queues])
    const known = this.#loops.get(key)
    if (known) return known
    if (this.#loops.size >= LOOPS_MAX)
      refuseOption('handlers', `one of at most ${LOOPS_MAX} combinations in a process`, handlers)
    const loop = new ManualClaimer({
      clock: systemClock,
      handlers,
      events: this.#events,
      makeWorker: (parts) =>
        makeWorker(this.#home, { ...parts, queues, concurrency: limit, queueConcurrency: {} }),
    })
    this.#loops.set(key, loop)
    return loop
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopped = true
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop(drainMs)))
  }
}

function checkNames(field: string, given: unknown): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > LIMIT_MAX)
    return refuseOption(field, 'a list of names', given)
  for (const name of given) checkName(field, name)
  return [...new Set(given as string[])].sort()
}

function compile(options: ClaimOptions, ownQueues: readonly string[]) {
  if (typeof options !== 'object' || options === null) refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name))
      refuseOption('options', `an object with only ${KNOWN.join(', ')}`, name)
  const { queues, limit = 1, waitMs = 10_000, signal } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    refuseOption('signal', 'an AbortSignal', signal)
  return {
    handlers: checkNames('handlers', options.handlers),
    queues: queues === undefined ? ownQueues : checkNames('queues', queues),
    limit: integer('limit', limit, 1, LIMIT_MAX),
    waitMs: integer('waitMs', waitMs, 0, WAIT_MS_MAX),
    signal,
  }
}

/**
 * A worker without a database connection: it claims runs from a Punctual server over HTTP, with the
 * same loop, handlers and fences as a connected worker. Operations that need the database are
 * refused.
 */
import { hostname } from 'node:os'
import { defaults, PunctualError } from '@punctual/core/errors'
import { systemClock, systemRandom } from '@punctual/store'
import {
  createRemoteHeartbeat,
  PunctualServer,
  RemoteHints,
  RemoteWorkStore,
  Worker,
  type WorkerEvents,
} from '@punctual/worker'
import type { Logger } from '../config/logger.ts'
import { compileOptions, type WorkerSettings } from '../config/options.ts'
import { version } from '../config/version.ts'
import { addExecutors } from '../handlers/add-executors.ts'
import { Handlers } from '../handlers/handlers.ts'
import type { Middleware } from '../handlers/middleware.ts'
import type { HandlerArgument } from '../handlers/options.ts'
import type { RegisterHandler } from '../handlers/register.ts'
import type { HandlerHandle } from '../submit/handler-handle.ts'
import { HandlerWorker } from './handler-worker.ts'

/** Options of `RemoteWorker.start`. */
export interface RemoteWorkerOptions {
  /**
   * The server's address, such as `https://jobs.example.com`; a list names several nodes of one
   * installation.
   */
  server: string | readonly string[]
  /** An API key with the scope `worker`. @default none, for a server without authentication */
  apiKey?: string
  /** Queues, concurrency and other settings of the worker. */
  worker?: WorkerSettings
  /** How long `stop` waits for running handlers, in ms. @default 30000 */
  drainMs?: number
  /** The largest output, in bytes of JSON, up to 16 MiB. @default 1048576 */
  outputBytes?: number
  /** Receives operational messages; false discards them. @default false */
  logger?: Logger | false
}

function notRemote(operation: string): never {
  const message = `${operation} needs the database, and this worker has no database connection. Run it with DATABASE_URL instead.`
  throw new PunctualError('not_remote', message)
}

function serversOf(server: string | readonly string[]): string[] {
  const servers = [server].flat().map((url) => url.trim().replace(/\/+$/, ''))
  const wrong = servers.find((url) => !URL.canParse(url) || !/^https?:/.test(url))
  if (wrong !== undefined || servers.length === 0)
    throw new PunctualError(
      'invalid_config',
      `server must be an address such as https://jobs.example.com; got ${JSON.stringify(wrong ?? server)}.`,
      { field: 'server' },
    )
  return servers
}

/**
 * Runs handlers without a database connection: it claims runs from a Punctual server over HTTP.
 * When several nodes are named and one is unreachable, the worker uses another.
 * @example
 * ```ts
 * import { RemoteWorker } from 'punctual'
 *
 * const worker = RemoteWorker.start({ server: 'https://jobs.example.com', apiKey: 'punctual_…' })
 * worker.handler('send-email', async ({ to }: { to: string }) => `sent to ${to}`)
 * process.once('SIGTERM', () => void worker.stop())
 * ```
 */
export class RemoteWorker {
  readonly #options: ReturnType<typeof compileOptions>
  readonly #servers: readonly string[]
  readonly #apiKey: string | null
  readonly #handlers: Handlers
  readonly #worker: HandlerWorker

  private constructor(given: RemoteWorkerOptions) {
    const { server, apiKey, ...options } = given
    // Satisfies the check for a database URL, which this worker does not use.
    this.#options = compileOptions({ ...options, embedded: true }, {})
    this.#servers = serversOf(server)
    this.#apiKey = apiKey ?? null
    this.#handlers = new Handlers(this.#options.targets.has('handler'))
    this.#worker = new HandlerWorker({
      make: () => this.#make(),
      onError: (error) => this.#fault('worker', error),
    })
    if (addExecutors(this.#handlers, this.#options, null)) this.#worker.announce()
  }

  /**
   * Starts working when the first handler is registered; retries while no server answers.
   * @throws `PunctualError` with `invalid_config`.
   */
  static start(options: RemoteWorkerOptions): RemoteWorker {
    return new RemoteWorker(options)
  }

  /** Registers a handler, as `punctual.handler` does; the returned handle cannot submit. */
  readonly handler: RegisterHandler = (
    name: string,
    first: HandlerArgument,
    second?: HandlerArgument,
  ): HandlerHandle<unknown> => {
    this.#handlers.register(name, first, second)
    if (this.#options.targets.has('handler')) this.#worker.announce()
    const submit = async () => notRemote('Submitting')
    return { name, submit, submitMany: submit }
  }

  /** Wraps every handler call in this process, as `punctual.use` does. */
  use(middleware: Middleware): this {
    this.#handlers.use(middleware)
    return this
  }

  /** How many runs this process is executing. */
  get running(): number {
    return this.#worker.running
  }

  #make(): Worker {
    const { leaseMs, concurrency, queueConcurrency, queues, labels, outputBytes } = this.#options
    const at = { servers: this.#servers, apiKey: this.#apiKey }
    const server = new PunctualServer({ ...at, clock: systemClock })
    const hints = new RemoteHints(server, systemClock, () => worker.sessionId)
    const renewMs = Math.floor(leaseMs / 3)
    const store = new RemoteWorkStore(server)
    const worker: Worker = new Worker({
      ...{ concurrency, queueConcurrency, queues, labels, leaseMs, outputBytes },
      store,
      clock: systemClock,
      random: systemRandom,
      heartbeat: createRemoteHeartbeat({ ...at, renewMs, stallMs: defaults.stallMs }),
      transaction: async () => notRemote('A transaction in a handler'),
      secret: (run, name) => store.secret(run, name),
      onHint: (listener) => hints.listen(listener),
      hintsArrive: () => hints.arrive,
      handlers: this.#handlers.all,
      host: hostname(),
      pid: process.pid,
      version,
      events: this.#events(),
    })
    return worker
  }

  #events(): WorkerEvents {
    const { logger } = this.#options
    return {
      onSettled: ({ run }, accepted) => {
        if (!accepted && logger)
          logger.warn({ runId: run.id }, 'an outcome was refused: another worker owns the run now')
      },
      onSessionLost: () => {
        if (logger) logger.warn({}, 'this worker lost its lease and opens a new session')
      },
      onError: (where, error) => this.#fault(where, error),
    }
  }

  #fault(where: string, error: unknown): void {
    const { logger } = this.#options
    const message = error instanceof Error ? error.message : String(error)
    if (logger) logger.error({ err: error, where }, `${where}: ${message}`)
  }

  /**
   * Drains and stops. Resolves when everything has ended.
   * @param options - `drainMs`: how long to wait for running handlers; overrides the `drainMs`
   * given to `start`.
   */
  async stop(options: { drainMs?: number } = {}): Promise<void> {
    await this.#worker.stop(options.drainMs ?? this.#options.drainMs)
    await this.#handlers.close()
  }
}

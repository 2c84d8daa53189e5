/**
 * A worker without a database: it takes runs from a Punctual server over HTTP, with the same loop, the same handlers and
 * the same fences as one that is connected. What needs the database is refused.
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
import { Handlers } from '../handlers/handlers.ts'
import type { Middleware } from '../handlers/middleware.ts'
import type { HandlerArgument } from '../handlers/options.ts'
import type { RegisterHandler } from '../handlers/register.ts'
import type { HandlerHandle } from '../submit/handler-handle.ts'
import { HandlerWorker } from './handler-worker.ts'

/** What `RemoteWorker.start` takes. */
export interface RemoteWorkerOptions {
  /** Where the server is, such as `https://jobs.example.com`; several nodes of one installation as a list. */
  server: string | readonly string[]
  /** A key with the scope `worker`. @default none, for a server without keys */
  apiKey?: string
  /** How this process takes runs. */
  worker?: WorkerSettings
  /** How long `stop` waits for running handlers. @default 30000 */
  drainMs?: number
  /** The largest output, in bytes of JSON, up to 16 MiB. @default 1048576 */
  outputBytes?: number
  /** Where operational messages go; false = nowhere. @default false */
  logger?: Logger | false
}

function notRemote(what: string): never {
  const message = `${what} needs the database, and this worker takes its runs over HTTP. Run it with a DATABASE_URL instead.`
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
 * Runs handlers without a connection to the database: runs come from a Punctual server over HTTP. Several of its nodes
 * can be named: while one is gone, another one is asked.
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
  readonly #handlers = new Handlers()
  readonly #worker: HandlerWorker

  private constructor(given: RemoteWorkerOptions) {
    const { server, apiKey, ...options } = given
    // The database of a worker that has none is not asked for.
    this.#options = compileOptions({ ...options, embedded: true }, {})
    this.#servers = serversOf(server)
    this.#apiKey = apiKey ?? null
    this.#worker = new HandlerWorker({
      make: () => this.#make(),
      onError: (error) => this.#fault('worker', error),
    })
  }

  /**
   * Begins to work with the first handler that is registered; tries again while no server answers.
   * @throws `PunctualError` with `invalid_config`.
   */
  static start(options: RemoteWorkerOptions): RemoteWorker {
    return new RemoteWorker(options)
  }

  /** Registers what runs of this name do, as `punctual.handler` does; its handle cannot submit. */
  readonly handler: RegisterHandler = (
    name: string,
    first: HandlerArgument,
    second?: HandlerArgument,
  ): HandlerHandle<unknown> => {
    this.#handlers.register(name, first, second)
    this.#worker.announce()
    const submit = async () => notRemote('To submit')
    return { name, submit, submitMany: submit }
  }

  /** Surrounds every call of a handler in this process. */
  use(middleware: Middleware): this {
    this.#handlers.use(middleware)
    return this
  }

  /** How many runs this process is running. */
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
      transaction: async () => notRemote('A transaction of a handler'),
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
          logger.warn(
            { runId: run.id },
            'an outcome was refused: the run was given to another worker',
          )
      },
      onSessionLost: () => {
        if (logger) logger.warn({}, 'the lease of this worker was lost; a new one is opened')
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
   * Drains and stops. Resolves when nothing is left.
   * @param options - `drainMs`: how long to wait for running handlers, instead of what `start` was given.
   */
  async stop(options: { drainMs?: number } = {}): Promise<void> {
    await this.#worker.stop(options.drainMs ?? this.#options.drainMs)
    await this.#handlers.close()
  }
}

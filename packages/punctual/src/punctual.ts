/** The library: everything that a program needs of Punctual, wired in one place. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  compileOptions as compileSubmission,
  defaults,
  encodeJson,
  type GuaranteePanel,
  judgeGuarantees,
  limits,
  PunctualError,
  type Submission,
  type SubmitOptions,
} from '@punctual/core'
import { RoleLoop } from '@punctual/engine'
import {
  asUnavailable,
  createHeartbeat,
  type EmbeddedServer,
  PostgresStore,
  readGuaranteeFacts,
  startEmbedded,
  systemClock,
  systemRandom,
} from '@punctual/store'
import { Worker } from '@punctual/worker'
import { DeadLetters } from './dead-letters.ts'
import type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
  Submitted,
} from './handler-handle.ts'
import type { HandlerArgument } from './handler-options.ts'
import { Handlers } from './handlers.ts'
import { Jobs } from './jobs.ts'
import { makeRoles } from './make-roles.ts'
import { Metrics } from './metrics.ts'
import type { Middleware } from './middleware.ts'
import { type CompiledOptions, compileOptions, type PunctualOptions } from './options.ts'
import { Queues } from './queues.ts'
import type { RegisterHandler } from './register-handler.ts'
import { Runs } from './runs.ts'
import { at, checkCall } from './submit-call.ts'
import { type Verification, type VerifyOptions, verify } from './verify.ts'
import { version } from './version.ts'
import { Waiter } from './waiter.ts'
import { Workers } from './workers.ts'

const ANNOUNCE_AGAIN_MS = 1_000

interface Parts {
  readonly options: CompiledOptions
  readonly store: PostgresStore
  readonly server: EmbeddedServer | null
  readonly databaseUrl: string
}

export class Punctual {
  readonly runs: Runs
  readonly jobs: Jobs
  readonly queues: Queues
  readonly workers: Workers
  readonly deadLetters: DeadLetters
  readonly metrics: Metrics
  readonly store: PostgresStore
  readonly #parts: Parts
  readonly #handlers = new Handlers()
  readonly #waiter: Waiter
  readonly #loops: RoleLoop[] = []
  #worker: Worker | null = null
  #workerStarting: Promise<void> | null = null
  #announced = true
  #stopping: Promise<void> | null = null

  private constructor(parts: Parts) {
    this.#parts = parts
    this.store = parts.store
    this.#waiter = new Waiter({
      clock: systemClock,
      finished: (ids) => parts.store.runs.finished(ids),
      find: (id) => parts.store.runs.find(id),
    })
    this.runs = new Runs(parts.store, this.#waiter, parts.options.payloadBytes)
    this.jobs = new Jobs(parts.store, parts.options)
    this.queues = new Queues(parts.store)
    this.workers = new Workers(parts.store)
    this.deadLetters = new DeadLetters(parts.store, parts.options)
    this.metrics = new Metrics(parts.store, () => systemClock.monotonicMs())
  }

  /** Connects (or starts the embedded PostgreSQL), brings the schema up to date and starts the roles. */
  static async start(options: PunctualOptions = {}): Promise<Punctual> {
    const compiled = compileOptions(options, process.env)
    const server =
      compiled.databaseUrl === null ? await startEmbedded({ dataDir: compiled.dataDir }) : null
    const databaseUrl = compiled.databaseUrl ?? (server as EmbeddedServer).url
    const store = new PostgresStore({
      url: databaseUrl,
      schema: compiled.schema,
      clock: systemClock,
      random: systemRandom,
      node: randomUUID(),
      ...(compiled.preparedStatements !== undefined && {
        preparedStatements: compiled.preparedStatements,
      }),
    })
    try {
      if (compiled.migrate) await store.migrate()
      const { roles } = compiled
      await store.check({ makeDays: roles.has('janitor'), planning: roles.has('planner') })
    } catch (error) {
      await store.close()
      await server?.stop()
      throw asUnavailable(error)
    }
    const punctual = new Punctual({ options: compiled, store, server, databaseUrl })
    punctual.#startRoles()
    return punctual
  }

  /** The database that is in use; it holds a password. */
  get databaseUrl(): string {
    return this.#parts.databaseUrl
  }
  get embedded(): boolean {
    return this.#parts.server !== null
  }
  get schema(): string {
    return this.#parts.options.schema
  }

  #log(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    const { logger } = this.#parts.options
    if (logger) logger[level](fields, message)
  }

  #fault(where: string, error: unknown): void {
    this.metrics.failed(where)
    this.#log(
      'error',
      { err: error, where },
      `${where}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }

  #startRoles(): void {
    const { options, store } = this.#parts
    const log = (level: 'info' | 'warn' | 'error', fields: object, message: string) =>
      this.#log(level, fields, message)
    for (const role of makeRoles(options, store, this.metrics, log)) {
      const loop = new RoleLoop(role, systemClock, {
        onError: (where, error) => this.#fault(where, error),
      })
      this.#loops.push(loop)
      if (role.name === 'planner') store.signals.onHint((hint) => hint.jobs && loop.wake())
      loop.start()
    }
  }

  /** Registers what runs of this name do. The worker starts with the first handler. */
  readonly handler: RegisterHandler = (
    name: string,
    first: HandlerArgument,
    second?: HandlerArgument,
  ): HandlerHandle<unknown> => {
    this.#handlers.register(name, first, second)
    if (this.#parts.options.roles.has('worker')) this.#ensureWorker()
    return {
      name,
      submit: (payload, options) => this.submit(name, payload, options),
      submitMany: (payloads, options) => this.submitMany(name, payloads, options),
    }
  }

  /**
   * Surrounds every call of a handler in this process, also of those registered before: tracing, AsyncLocalStorage,
   * reports of errors. Those added first are outermost.
   */
  use(middleware: Middleware): this {
    this.#handlers.use(middleware)
    return this
  }

  #ensureWorker(): void {
    this.#announced = false
    this.#workerStarting ??= this.#announce().finally(() => {
      this.#workerStarting = null
    })
  }

  /** Until every handler is announced: others may come while some are being announced. */
  async #announce(): Promise<void> {
    while (!this.#announced && this.#stopping === null) {
      // Handlers that are registered together are announced together.
      await new Promise<void>((resolve) => setImmediate(resolve))
      this.#announced = true
      try {
        await this.#startWorker()
      } catch (error) {
        this.#fault('worker', error)
        this.#announced = false
        await systemClock.sleep(ANNOUNCE_AGAIN_MS)
      }
    }
  }

  async #startWorker(): Promise<void> {
    if (this.#stopping !== null) return
    if (this.#worker) return this.#worker.handlersChanged()
    const { options, store, databaseUrl } = this.#parts
    store.signals.listen()
    const worker: Worker = new Worker({
      store: store.work,
      clock: systemClock,
      random: systemRandom,
      heartbeat: createHeartbeat({
        url: databaseUrl,
        schema: options.schema,
        renewMs: Math.floor(options.leaseMs / 3),
        stallMs: defaults.stallMs,
      }),
      transaction: (run, startedAgoMs, work) =>
        store.succeedWith(run, worker.sessionId ?? '0', startedAgoMs, work),
      onHint: (listener) => store.signals.onHint(listener),
      hintsArrive: () => store.signals.connected,
      handlers: this.#handlers.all,
      queues: options.queues,
      concurrency: options.concurrency,
      queueConcurrency: options.queueConcurrency,
      leaseMs: options.leaseMs,
      outputBytes: options.outputBytes,
      labels: options.labels,
      host: hostname(),
      pid: process.pid,
      version,
      events: {
        onStarted: (run, atMs) =>
          this.metrics.started(run, store.database.clock.at(atMs) - run.dueMs),
        onSettled: (settlement, accepted) => {
          this.metrics.settled(settlement, accepted)
          if (settlement.kind !== 'retry') this.#waiter.settled(settlement.run.id)
          if (!accepted)
            this.#log(
              'warn',
              { runId: settlement.run.id },
              'an outcome was refused: the run was given to another worker',
            )
        },
        onTransacted: (run) => {
          this.metrics.transacted(run)
          this.#waiter.settled(run.id)
        },
        onSessionLost: () =>
          this.#log('warn', {}, 'the lease of this worker was lost; a new one is opened'),
        onError: (where, error) => this.#fault(where, error),
      },
    })
    this.#worker = worker
    worker.start()
  }

  /**
   * Proves that every slot of a range has exactly one decision and every run of it a place. Reads only; beside
   * everything else that goes on.
   */
  verify(options: VerifyOptions = {}): Promise<Verification> {
    return verify(this.store, this.#parts.options.retentionDays, options)
  }

  /**
   * Which promises hold on this server as it is now, which are weakened, why, and what to do. Read from the
   * server's settings, its standbys, its connections and clock, and the time zone data of the planners.
   */
  async guarantees(): Promise<GuaranteePanel> {
    return judgeGuarantees(await readGuaranteeFacts(this.store.database))
  }

  /** How many runs this process is running. */
  get running(): number {
    return this.#worker?.running ?? 0
  }

  #checkOpen(): void {
    if (this.#stopping !== null)
      throw new PunctualError(
        'stopped',
        'This Punctual is stopping; nothing more is accepted here.',
      )
  }

  #encode(payload: unknown): string {
    return encodeJson(payload, 'payload', this.#parts.options.payloadBytes)
  }

  /** Submits a run of a handler that may live in another process. */
  async submit(
    handler: string,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<Submitted> {
    const { tx, ...rest } = checkCall(options)
    const submission = { options: compileSubmission(handler, rest), payload: this.#encode(payload) }
    await this.#handlers.checkPayload(handler, payload)
    return (await this.#submit([submission], tx))[0] as Submitted
  }

  /** Submits up to 10,000 runs: all are accepted, or none. */
  async submitMany<Payload>(
    handler: string,
    payloads: readonly Payload[],
    options: SubmitManyOptions<Payload> = {},
  ): Promise<readonly Submitted[]> {
    if (!Array.isArray(payloads) || payloads.length > limits.batchSize)
      throw new PunctualError(
        'invalid_option',
        `payloads must be an array of at most ${limits.batchSize}; submit more in several calls.`,
        { field: 'payloads' },
      )
    if (payloads.length === 0) return []
    await this.#handlers.checkPayloads(handler, payloads)
    if (typeof options === 'function') {
      const submissions = Array.from(payloads, (payload, i) =>
        at(i, () => ({
          options: compileSubmission(handler, options(payload, i)),
          payload: this.#encode(payload),
        })),
      )
      return this.#submit(submissions)
    }
    const { tx, ...rest } = checkCall(options)
    const compiled = compileSubmission(handler, rest as SubmitOptions)
    return this.#submit(
      Array.from(payloads, (payload, i) =>
        at(i, () => ({ options: compiled, payload: this.#encode(payload) })),
      ),
      tx,
    )
  }

  async #submit(
    submissions: readonly Submission[],
    tx?: SubmitCallOptions['tx'],
  ): Promise<readonly Submitted[]> {
    this.#checkOpen()
    for (const { options } of submissions)
      if (
        options.strict &&
        !this.#handlers.all.has(options.handler) &&
        !(await this.store.hasHandler(options.handler, options.queue))
      )
        throw new PunctualError(
          'handler_unknown',
          `No live worker has the handler ${JSON.stringify(options.handler)} for the queue ${JSON.stringify(options.queue)}. Start one, or submit without strict.`,
          { field: 'handler' },
        )
    return this.store.submit(submissions, tx ? { tx } : {})
  }

  /** Drains and stops everything, the embedded database included. Resolves when nothing is left. */
  stop(options: { drainMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(options.drainMs ?? this.#parts.options.drainMs)
    return this.#stopping
  }

  async #stop(drainMs: number): Promise<void> {
    await this.#workerStarting
    await this.#worker?.stop(drainMs)
    await this.#handlers.close()
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    await this.store.close()
    await this.#parts.server?.stop()
  }
}

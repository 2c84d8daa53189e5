/** The library: everything that a program needs of Punctual, wired in one place. */
import { randomUUID } from 'node:crypto'
import {
  compileOptions as compileSubmission,
  encodeJson,
  type GuaranteePanel,
  judgeGuarantees,
  limits,
  makeSubmission,
  PunctualError,
  type Submission,
  type SubmitOptions,
} from '@punctual/core'
import { RoleLoop } from '@punctual/engine'
import {
  asUnavailable,
  type EmbeddedServer,
  PostgresStore,
  readGuaranteeFacts,
  startEmbedded,
  systemClock,
  systemRandom,
} from '@punctual/store'
import type { HeldRun, Worker, WorkerEvents } from '@punctual/worker'
import { checkStrict } from './check-strict.ts'
import { DeadLetters } from './dead-letters.ts'
import { Events, type Listen, type StreamEvents, type Unlisten } from './events/events.ts'
import { Groups } from './groups.ts'
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
import { makeWorker, reportTo } from './make-worker.ts'
import { Metrics } from './metrics.ts'
import type { Middleware } from './middleware.ts'
import { type CompiledOptions, compileOptions, type PunctualOptions } from './options.ts'
import { type ClaimOptions, OwnLoops } from './own-loops.ts'
import { Queues } from './queues.ts'
import type { RegisterHandler } from './register-handler.ts'
import { Runs } from './runs.ts'
import { at, type CheckedCall, checkCall } from './submit-call.ts'
import { type Verification, type VerifyOptions, verify } from './verify.ts'
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
  readonly groups: Groups
  readonly metrics: Metrics
  readonly store: PostgresStore
  /** Calls back at each event of this process or, with `{ fleet: true }`, of all. Returns how to stop. */
  readonly on: Listen
  /** As `on`, for the next one only. */
  readonly once: Listen
  readonly off: Unlisten
  /** Events for a loop: `for await (const event of punctual.events({ types: ['run.dead'] }))`. */
  readonly events: StreamEvents
  readonly #events: Events
  readonly #workerEvents: WorkerEvents
  readonly #ownLoops: OwnLoops
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
    const fault = (where: string, error: unknown) => this.#fault(where, error)
    this.#events = new Events(parts.store, (error) => fault('events', error))
    this.on = this.#events.on
    this.once = this.#events.once
    this.off = this.#events.off
    this.events = this.#events.stream
    this.#workerEvents = reportTo({
      ...{ store: parts.store, metrics: this.metrics, waiter: this.#waiter, fault },
      events: this.#events,
      warn: (fields, message) => this.#log('warn', fields, message),
    })
    this.#ownLoops = new OwnLoops(parts, this.#workerEvents)
    this.groups = new Groups({
      ...{ store: parts.store, handlers: this.#handlers, checkOpen: () => this.#checkOpen() },
      payloadBytes: parts.options.payloadBytes,
      submitted: (submissions, accepted) => this.#events.submitted(submissions, accepted),
    })
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
      if (role.name === 'group-finisher')
        store.signals.onHint(({ groups }) => groups && loop.wake())
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

  /**
   * Runs for a loop of one's own, without a handler: what is due now, up to the limit, or the first that comes within
   * `waitMs`; none when nothing does. Each is held, and kept from others, until its holder says what became of it.
   */
  claim<Payload = unknown>(options: ClaimOptions): Promise<readonly HeldRun<Payload>[]> {
    return this.#ownLoops.claim(options) as Promise<readonly HeldRun<Payload>[]>
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
    this.#worker = makeWorker(this.#parts, {
      handlers: this.#handlers.all,
      events: this.#workerEvents,
    })
    this.#worker.start()
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
    return (this.#worker?.running ?? 0) + this.#ownLoops.held
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
    const submission = makeSubmission(compileSubmission(handler, rest), this.#encode(payload))
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
        at(i, () =>
          makeSubmission(compileSubmission(handler, options(payload, i)), this.#encode(payload)),
        ),
      )
      return this.#submit(submissions)
    }
    const { tx, ...rest } = checkCall(options)
    const compiled = compileSubmission(handler, rest as SubmitOptions)
    return this.#submit(
      Array.from(payloads, (payload, i) =>
        at(i, () => makeSubmission(compiled, this.#encode(payload))),
      ),
      tx,
    )
  }

  async #submit(
    submissions: readonly Submission[],
    tx?: CheckedCall['tx'],
  ): Promise<readonly Submitted[]> {
    this.#checkOpen()
    await checkStrict(submissions, this.#handlers, this.store)
    const accepted = await this.store.submit(submissions, tx ? { tx } : {})
    if (!tx) this.#events.submitted(submissions, accepted)
    return accepted
  }

  /** Drains and stops everything, the embedded database included. Resolves when nothing is left. */
  stop(options: { drainMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(options.drainMs ?? this.#parts.options.drainMs)
    return this.#stopping
  }

  async #stop(drainMs: number): Promise<void> {
    await this.#workerStarting
    await Promise.all([this.#worker?.stop(drainMs), this.#ownLoops.stop(drainMs)])
    await this.#handlers.close()
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    await this.#events.close()
    await this.store.close()
    await this.#parts.server?.stop()
  }
}

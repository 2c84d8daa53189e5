/** The `Punctual` class: the library's public API, wired together in one place. */
import type { Actor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import type { Caller, Scope } from '@punctual/core/identity'
import type { GuaranteePanel } from '@punctual/core/ports'
import type { Submitted } from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'
import type { RoleLoop } from '@punctual/engine'
import {
  judgeGuarantees,
  type PostgresStore,
  type ReplicaState,
  readGuaranteeFacts,
  systemClock,
} from '@punctual/store'
import type { HeldRun } from '@punctual/worker'
import { Activity, type Listen, type StreamActivity, type Unlisten } from './activity/activity.ts'
import { Audit } from './audit/audit.ts'
import { ControlWrites } from './audit/control-writes.ts'
import { type CompiledOptions, compileOptions, type PunctualOptions } from './config/options.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'
import type { Groups } from './groups/groups.ts'
import { addExecutors } from './handlers/add-executors.ts'
import { Handlers } from './handlers/handlers.ts'
import type { Middleware } from './handlers/middleware.ts'
import type { HandlerArgument } from './handlers/options.ts'
import type { RegisterHandler } from './handlers/register.ts'
import type { Jobs } from './jobs/jobs.ts'
import { Metrics } from './metrics/metrics.ts'
import { type OpenStore, openStore } from './open-store.ts'
import type { Limits } from './queues/limits.ts'
import type { Queues } from './queues/queues.ts'
import type { Stats } from './queues/stats.ts'
import { Workers } from './queues/workers.ts'
import type { AwaitingReports } from './runs/awaiting.ts'
import type { Runs } from './runs/runs.ts'
import { Waiter } from './runs/waiter.ts'
import { SecretsOfInstallation } from './secrets/secrets.ts'
import { startRoles } from './start-roles.ts'
import type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
} from './submit/handler-handle.ts'
import { SubmissionCompiler } from './submit/submission-compiler.ts'
import { type SharedParts, TenantScope } from './tenant-scope.ts'
import { ApiKeys } from './tenants/api-keys.ts'
import { authenticate } from './tenants/authenticate.ts'
import { checkTenantId, TENANT } from './tenants/tenant.ts'
import { Tenants } from './tenants/tenants.ts'
import { type Verification, type VerifyOptions, verify } from './verify.ts'
import { HandlerWorker } from './workers/handler-worker.ts'
import { makeWorker, reportTo } from './workers/make-worker.ts'
import { type ClaimOptions, ManualClaims } from './workers/manual-claims.ts'

interface Parts extends OpenStore {
  readonly options: CompiledOptions
}

/** One node of the installation: submits, schedules and runs jobs on the shared PostgreSQL. */
export class Punctual {
  /** Reads runs, waits for them and changes them. */
  readonly runs: Runs
  /** Reports the outcome of runs that await their targets. */
  readonly awaiting: AwaitingReports
  /** Jobs: what runs on a schedule, or once under a name. */
  readonly jobs: Jobs
  /** Shows what is waiting and running in each queue, and pauses queues. */
  readonly queues: Queues
  /** Concurrency and rate limits of queues and tenants, and the weights of tenants. */
  readonly limits: Limits
  /** How runs ended: in the last minutes, by day and by job. */
  readonly stats: Stats
  /** The processes that run handlers: lists them and drains them. */
  readonly workers: Workers
  /** Lists, replays and discards runs that died. */
  readonly deadLetters: DeadLetters
  /** Runs that are submitted together: their progress, and one callback run when all have ended. */
  readonly groups: Groups
  /** The audit log: who changed what, and whether the log has been tampered with. */
  readonly audit: Audit
  /** Encrypted values that only handlers can read. */
  readonly secrets: SecretsOfInstallation
  /** The tenants that share the installation, and their quotas. */
  readonly tenants: Tenants
  /** The API keys that identify callers of the HTTP API. */
  readonly apiKeys: ApiKeys
  /** Metrics of this process; `metrics.text()` returns them in Prometheus text format. */
  readonly metrics: Metrics
  /** @internal The database layer, which changes from version to version. */
  readonly store: PostgresStore
  /** Calls a listener at each event; returns a function that removes the listener. */
  readonly on: Listen
  /** Like `on`, but for the next event only. */
  readonly once: Listen
  /** Removes a listener that was added with `on` or `once`. */
  readonly off: Unlisten
  /** Events as an async iterable, for a `for await` loop. */
  readonly activity: StreamActivity
  readonly #activity: Activity
  readonly #manualClaims: ManualClaims
  readonly #parts: Parts
  readonly #handlers: Handlers
  readonly #waiter: Waiter
  readonly #shared: SharedParts
  readonly #writes: ControlWrites
  readonly #home: TenantScope
  readonly #loops: RoleLoop[] = []
  readonly #worker: HandlerWorker
  #stopping: Promise<void> | null = null

  private constructor(parts: Parts) {
    this.#parts = parts
    this.#handlers = new Handlers(parts.options.targets.has('handler'))
    this.store = parts.store
    this.#waiter = new Waiter({
      clock: systemClock,
      finished: (ids) => parts.store.runs.finished(ids),
      find: (id) => parts.store.runs.find(id),
    })
    parts.store.replica.onChange.push((state) => this.#readsFrom(state))
    this.audit = new Audit(parts.store)
    this.#writes = new ControlWrites(parts.store, parts.options.actor)
    const installation = { store: parts.store, writes: this.#writes, tenantId: null }
    this.workers = new Workers(installation)
    this.tenants = new Tenants(installation)
    this.apiKeys = new ApiKeys(installation)
    this.metrics = new Metrics(parts.store, this.workers, () => systemClock.monotonicMs())
    const fault = this.#fault.bind(this)
    this.#activity = new Activity(parts.store, (error) => fault('events', error))
    parts.store.database.onFault.push(fault)
    this.on = this.#activity.on
    this.once = this.#activity.once
    this.off = this.#activity.off
    this.activity = this.#activity.stream
    const workerEvents = reportTo({
      ...{ store: parts.store, metrics: this.metrics, waiter: this.#waiter, fault },
      ...{ events: this.#activity, warn: this.#log.bind(this, 'warn') },
    })
    this.#worker = new HandlerWorker({
      make: () => makeWorker(parts, { handlers: this.#handlers.all, events: workerEvents }),
      onError: (error) => fault('worker', error),
    })
    this.#manualClaims = new ManualClaims(parts, workerEvents)
    this.#shared = {
      ...{ store: parts.store, options: parts.options, handlers: this.#handlers },
      ...{ waiter: this.#waiter, activity: this.#activity, checkOpen: () => this.#checkOpen() },
      ...{ writes: this.#writes, submissions: new SubmissionCompiler() },
    }
    this.secrets = new SecretsOfInstallation({ ...installation, tenantId: TENANT })
    this.#home = this.tenant(TENANT)
    this.runs = this.#home.runs
    this.awaiting = this.#home.awaiting
    this.jobs = this.#home.jobs
    this.queues = this.#home.queues
    this.limits = this.#home.limits
    this.stats = this.#home.stats
    this.deadLetters = this.#home.deadLetters
    this.groups = this.#home.groups
  }

  /**
   * The same API for another tenant: tenants share no jobs, runs, queues or settings.
   * @param id - The number of an existing tenant, from 1.
   * @throws `PunctualError` with `invalid_option` when `id` is not a tenant number.
   */
  tenant(id: number): TenantScope {
    return new TenantScope(this.#shared, checkTenantId(id))
  }

  /**
   * Runs `work` as the given actor: the audit log records the actor with every change made inside.
   * @example
   * ```ts
   * const ann = { kind: 'library', id: 'user-17', name: 'ann@example.org' } as const
   * await punctual.as(ann, () => punctual.jobs.pause('nightly-report', 'the source is offline'))
   * ```
   */
  as<T>(actor: Actor, work: () => T): T {
    return this.#writes.as(actor, work)
  }

  /**
   * Connects (or starts the embedded PostgreSQL), brings the schema up to date and starts the
   * roles. When it rejects, it leaves nothing running.
   * @throws `PunctualError` with `invalid_config`, `database_required`, `database_unavailable`,
   * `database_unsupported`, `schema_missing`, `schema_incompatible`, `schema_too_new` or
   * `migration_changed`.
   * @example
   * ```ts
   * import { Punctual } from 'punctual'
   *
   * const punctual = await Punctual.start({ databaseUrl: process.env.DATABASE_URL ?? '' })
   * process.once('SIGTERM', () => void punctual.stop())
   * ```
   */
  static async start(options: PunctualOptions = {}): Promise<Punctual> {
    const compiled = compileOptions(options, process.env)
    const punctual = new Punctual({ options: compiled, ...(await openStore(compiled)) })
    punctual.#startRoles()
    return punctual
  }

  /** The URL of the database in use. It contains the password. */
  get databaseUrl(): string {
    return this.#parts.databaseUrl
  }
  /** True when this process started the embedded PostgreSQL. */
  get embedded(): boolean {
    return this.#parts.server !== null
  }
  /** The PostgreSQL schema that holds the tables. */
  get schema(): string {
    return this.#parts.options.schema
  }
  /** @internal The largest output that is stored, in bytes of JSON. */
  get outputBytes(): number {
    return this.#parts.options.outputBytes
  }

  #log(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    if (this.#parts.options.logger) this.#parts.options.logger[level](fields, message)
  }

  #readsFrom(state: ReplicaState): void {
    if (state.used) this.#log('info', state, 'lists and reports are read from the replica again')
    else this.#log('warn', state, `the read replica is skipped: ${state.why}`)
  }

  #fault(where: string, error: unknown): void {
    this.metrics.failed(where)
    const message = error instanceof Error ? error.message : String(error)
    this.#log('error', { err: error, where }, `${where}: ${message}`)
  }

  #startRoles(): void {
    const { options, store } = this.#parts
    this.#loops.push(
      ...startRoles(options, store, this.metrics, {
        log: (level, fields, message) => this.#log(level, fields, message),
        fault: (where, error) => this.#fault(where, error),
      }),
    )
    if (options.roles.has('worker') && addExecutors(this.#handlers, options, store.quotas))
      this.#worker.announce()
  }

  /**
   * Registers the function that runs of this name execute. The worker starts with the first
   * handler. Registering a name twice in one process throws `handler_duplicate`.
   */
  readonly handler: RegisterHandler = (
    name: string,
    first: HandlerArgument,
    second?: HandlerArgument,
  ): HandlerHandle<unknown> => {
    this.#handlers.register(name, first, second)
    const { roles, targets } = this.#parts.options
    if (roles.has('worker') && targets.has('handler')) this.#worker.announce()
    return {
      name,
      submit: (payload, options) => this.submit(name, payload, options),
      submitMany: (payloads, options) => this.submitMany(name, payloads, options),
    }
  }

  /**
   * Wraps every handler call in this process, including handlers registered earlier: for tracing,
   * AsyncLocalStorage or error reporting. The middleware added first is outermost.
   * @example
   * ```ts
   * punctual.use({
   *   async around({ handler, context }, next) {
   *     console.time(`${handler} ${context.runId}`)
   *     return next().finally(() => console.timeEnd(`${handler} ${context.runId}`))
   *   },
   * })
   * ```
   */
  use(middleware: Middleware): this {
    this.#handlers.use(middleware)
    return this
  }

  /**
   * Claims runs without a handler, for a program with its own loop: runs that are due now, up to
   * the limit, or the first that becomes due within `waitMs`; an empty list when none does. Each
   * run stays leased until you settle it.
   * @throws `PunctualError` with `invalid_option`, and with `stopped` once Punctual stops.
   * @example
   * ```ts
   * const claimed = await punctual.claim<{ to: string }>({ handlers: ['send-email'], limit: 10 })
   * for (const run of claimed) await run.complete(run.payload.to)
   * ```
   */
  claim<Payload = unknown>(options: ClaimOptions): Promise<readonly HeldRun<Payload>[]> {
    return this.#manualClaims.claim(options) as Promise<readonly HeldRun<Payload>[]>
  }

  /**
   * Proves that every slot of a range has exactly one decision and that every planned run exists.
   * Reads only, and can run next to all other work.
   */
  verify(options: VerifyOptions = {}): Promise<Verification> {
    return verify(this.store, this.#parts.options.retentionDays, options)
  }

  /**
   * Which guarantees hold on this server now, which are weakened, why, and how to fix them. Reads
   * the server's settings, standbys, connections and clock, and the planners' time zone data.
   */
  async guarantees(): Promise<GuaranteePanel> {
    const { database, replica } = this.store
    return judgeGuarantees(await readGuaranteeFacts(database, replica))
  }

  /**
   * Resolves an API key to its caller and, when a scope is named, checks that the key has it.
   * @throws `PunctualError` with `unauthenticated`, `forbidden` or `tenant_suspended`.
   */
  authenticate(key: string, needed?: Scope): Promise<Caller> {
    return authenticate(this.store, key, needed)
  }

  /** How many runs this process is running. */
  get running(): number {
    return this.#worker.running + this.#manualClaims.held
  }

  #checkOpen(): void {
    if (this.#stopping !== null)
      throw new PunctualError(
        'stopped',
        'This Punctual is stopping; nothing more is accepted here.',
      )
  }

  /**
   * Submits a run of a handler, which may be registered in another process, or of another target,
   * such as `{ kind: 'http', url: 'https://…' }`. When it resolves, the
   * run is committed; with `tx`, the run is part of your transaction.
   * @param payload - Any JSON value, up to 1 MiB; null when left out.
   * @throws `PunctualError` with `invalid_option`, `invalid_payload`, `payload_too_large`,
   * `payload_too_deep`, `handler_unknown` (with `strict`), `key_busy`, `lanes_exhausted`, `stopped`
   * or `database_unavailable`.
   * @example
   * ```ts
   * const { id, created } = await punctual.submit(
   *   'send-email',
   *   { to: 'a@b.c' },
   *   { delayMs: 60_000, key: 'welcome:17', maxAttempts: 5 },
   * )
   * ```
   */
  async submit(
    handler: string | Target,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<Submitted> {
    return this.#home.submit(handler, payload, options)
  }

  /**
   * Submits up to 10,000 runs: all are accepted, or none.
   * @throws The errors of `submit`; `field` then names the item, such as `[3].payload`.
   * @example
   * ```ts
   * const users = [{ id: 1 }, { id: 2 }]
   * await punctual.submitMany('welcome', users, (user) => ({ key: `welcome:${user.id}` }))
   * ```
   */
  async submitMany<Payload>(
    handler: string | Target,
    payloads: readonly Payload[],
    options: SubmitManyOptions<Payload> = {},
  ): Promise<readonly Submitted[]> {
    return this.#home.submitMany(handler, payloads, options)
  }

  /**
   * Drains and stops everything, including the embedded database, and resolves at the end.
   * @param options - `drainMs`: how long to wait for running handlers; overrides the `drainMs`
   * given to `start`.
   */
  stop(options: { drainMs?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(options.drainMs ?? this.#parts.options.drainMs)
    return this.#stopping
  }

  async #stop(drainMs: number): Promise<void> {
    await Promise.all([this.#worker.stop(drainMs), this.#manualClaims.stop(drainMs)])
    await this.#handlers.close()
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    await this.#activity.close()
    await this.store.close()
    await this.#parts.server?.stop()
  }
}

/** The library: everything that a program needs of Punctual, wired in one place. */
import type { Actor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import type { Caller, Scope } from '@punctual/core/identity'
import type { GuaranteePanel } from '@punctual/core/ports'
import { RoleLoop } from '@punctual/engine'
import {
  judgeGuarantees,
  type PostgresStore,
  readGuaranteeFacts,
  type StandbyState,
  systemClock,
} from '@punctual/store'
import type { HeldRun } from '@punctual/worker'
import { Activity, type Listen, type StreamActivity, type Unlisten } from './activity/activity.ts'
import { Audit } from './audit/audit.ts'
import { ControlWrites } from './audit/control-writes.ts'
import { recordInstallation } from './audit/record-writes.ts'
import { type CompiledOptions, compileOptions, type PunctualOptions } from './config/options.ts'
import type { DeadLetters } from './dead-letters/dead-letters.ts'
import type { Groups } from './groups/groups.ts'
import { Handlers } from './handlers/handlers.ts'
import type { Middleware } from './handlers/middleware.ts'
import type { HandlerArgument } from './handlers/options.ts'
import type { RegisterHandler } from './handlers/register.ts'
import type { Jobs } from './jobs/jobs.ts'
import { makeRoles } from './make-roles.ts'
import { Metrics } from './metrics/metrics.ts'
import { type OpenStore, openStore } from './open-store.ts'
import type { Limits } from './queues/limits.ts'
import type { Queues } from './queues/queues.ts'
import type { Stats } from './queues/stats.ts'
import { Workers } from './queues/workers.ts'
import type { Runs } from './runs/runs.ts'
import { Waiter } from './runs/waiter.ts'
import { SecretsOfInstallation } from './secrets/secrets.ts'
import type {
  HandlerHandle,
  SubmitCallOptions,
  SubmitManyOptions,
  Submitted,
} from './submit/handler-handle.ts'
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

/** A part of the fleet in this process: submits, schedules and runs, on one PostgreSQL with all others. */
export class Punctual {
  /** Reading runs, waiting for them, and steering them. */
  readonly runs: Runs
  /** What runs again and again, or once under a name. */
  readonly jobs: Jobs
  /** What waits and runs in each queue, and pausing them. */
  readonly queues: Queues
  /** How many runs of a queue or of a tenant may go on at once or start in a time, and whose turn it is. */
  readonly limits: Limits
  /** How runs ended: in the last minutes, by day and by job. */
  readonly stats: Stats
  /** The processes that run handlers, and draining them. */
  readonly workers: Workers
  /** Runs that died, looked at, replayed and discarded. */
  readonly deadLetters: DeadLetters
  /** Runs that were submitted together: progress, and one run that follows when all have ended. */
  readonly groups: Groups
  /** Who changed what, and whether the log of it is as it was written. */
  readonly audit: Audit
  /** Values that handlers need and nobody else may see. */
  readonly secrets: SecretsOfInstallation
  /** The users that share the installation, and what each may have. */
  readonly tenants: Tenants
  /** The keys by which callers of the HTTP API are known. */
  readonly apiKeys: ApiKeys
  /** `metrics.text()` is what Prometheus reads. */
  readonly metrics: Metrics
  /** @internal The tables, which change from version to version. */
  readonly store: PostgresStore
  /** Calls back at each event of this process or, with `{ fleet: true }`, of all. Returns how to stop. */
  readonly on: Listen
  /** As `on`, for the next one only. */
  readonly once: Listen
  /** Takes a listener back that `on` or `once` was given. */
  readonly off: Unlisten
  /** Events for a loop: `for await (const event of punctual.events({ types: ['run.dead'] }))`. */
  readonly activity: StreamActivity
  readonly #activity: Activity
  readonly #manualClaims: ManualClaims
  readonly #parts: Parts
  readonly #handlers = new Handlers()
  readonly #waiter: Waiter
  readonly #shared: SharedParts
  readonly #writes: ControlWrites
  readonly #home: TenantScope
  readonly #loops: RoleLoop[] = []
  readonly #worker: HandlerWorker
  #stopping: Promise<void> | null = null

  private constructor(parts: Parts) {
    this.#parts = parts
    this.store = parts.store
    this.#waiter = new Waiter({
      clock: systemClock,
      finished: (ids) => parts.store.runs.finished(ids),
      find: (id) => parts.store.runs.find(id),
    })
    parts.store.replica.onChange.push((state) => this.#readsFrom(state))
    this.audit = new Audit(parts.store)
    this.#writes = new ControlWrites(parts.store, parts.options.actor)
    this.workers = new Workers(parts.store)
    this.tenants = new Tenants(parts.store, () => this.#writes.actor)
    this.apiKeys = new ApiKeys(parts.store)
    recordInstallation(this, this.#writes, parts.store)
    this.metrics = new Metrics(parts.store, () => systemClock.monotonicMs())
    const fault = (where: string, error: unknown) => this.#fault(where, error)
    this.#activity = new Activity(parts.store, (error) => fault('events', error))
    this.on = this.#activity.on
    this.once = this.#activity.once
    this.off = this.#activity.off
    this.activity = this.#activity.stream
    const workerEvents = reportTo({
      ...{ store: parts.store, metrics: this.metrics, waiter: this.#waiter, fault },
      events: this.#activity,
      warn: (fields, message) => this.#log('warn', fields, message),
    })
    this.#worker = new HandlerWorker({
      make: () => makeWorker(parts, { handlers: this.#handlers.all, events: workerEvents }),
      onError: (error) => fault('worker', error),
    })
    this.#manualClaims = new ManualClaims(parts, workerEvents)
    this.#shared = {
      ...{ store: parts.store, options: parts.options, handlers: this.#handlers },
      ...{ waiter: this.#waiter, activity: this.#activity, checkOpen: () => this.#checkOpen() },
      writes: this.#writes,
    }
    this.secrets = new SecretsOfInstallation(this.#shared, TENANT)
    this.#home = this.tenant(TENANT)
    this.runs = this.#home.runs
    this.jobs = this.#home.jobs
    this.queues = this.#home.queues
    this.limits = this.#home.limits
    this.stats = this.#home.stats
    this.deadLetters = this.#home.deadLetters
    this.groups = this.#home.groups
  }

  /**
   * The same for another tenant, whose jobs, runs and queues are apart from those of all others.
   * @param id - The number of a tenant that exists.
   * @throws `PunctualError` with `invalid_option` when it is no such number.
   */
  tenant(id: number): TenantScope {
    return new TenantScope(this.#shared, checkTenantId(id))
  }

  /**
   * Does the work as somebody: the audit log names them for every change that is made within it.
   * @example
   * ```ts
   * const ann = { kind: 'library', id: 'user-17', name: 'ann@example.org' } as const
   * await punctual.as(ann, () => punctual.jobs.pause('nightly-report', 'the source is down'))
   * ```
   */
  as<T>(actor: Actor, work: () => T): T {
    return this.#writes.as(actor, work)
  }

  /**
   * Connects (or starts the embedded PostgreSQL), brings the schema up to date and starts the roles.
   * @throws `PunctualError` with `invalid_config`, `database_required`, `database_unavailable`, `database_unsupported`,
   * `schema_missing`, `schema_incompatible`, `schema_too_new` or `migration_changed`; nothing is left running then.
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

  /** The database that is in use; it holds a password. */
  get databaseUrl(): string {
    return this.#parts.databaseUrl
  }
  /** It runs on the embedded PostgreSQL. */
  get embedded(): boolean {
    return this.#parts.server !== null
  }
  /** The schema of its tables. */
  get schema(): string {
    return this.#parts.options.schema
  }
  /** @internal The largest output that is kept. */
  get outputBytes(): number {
    return this.#parts.options.outputBytes
  }

  #log(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    const { logger } = this.#parts.options
    if (logger) logger[level](fields, message)
  }

  #readsFrom(state: StandbyState): void {
    if (state.used) this.#log('info', state, 'lists and reports are read from the standby again')
    else this.#log('warn', state, `the standby for reading is passed by: ${state.why}`)
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

  /**
   * Registers what runs of this name do. The worker starts with the first handler. A name that this process has already
   * is refused with `handler_duplicate`.
   */
  readonly handler: RegisterHandler = (
    name: string,
    first: HandlerArgument,
    second?: HandlerArgument,
  ): HandlerHandle<unknown> => {
    this.#handlers.register(name, first, second)
    if (this.#parts.options.roles.has('worker')) this.#worker.announce()
    return {
      name,
      submit: (payload, options) => this.submit(name, payload, options),
      submitMany: (payloads, options) => this.submitMany(name, payloads, options),
    }
  }

  /**
   * Surrounds every call of a handler in this process, also of those registered before: tracing, AsyncLocalStorage,
   * reports of errors. Those added first are outermost.
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
   * Runs for a loop of one's own, without a handler: what is due now, up to the limit, or the first that comes within
   * `waitMs`; none when nothing does. Each is held, and kept from others, until its holder says what became of it.
   * @throws `PunctualError` with `invalid_option`, and with `stopped` once Punctual stops.
   * @example
   * ```ts
   * for (const run of await punctual.claim<{ to: string }>({ handlers: ['send-email'], limit: 10 }))
   *   await run.complete(run.payload.to)
   * ```
   */
  claim<Payload = unknown>(options: ClaimOptions): Promise<readonly HeldRun<Payload>[]> {
    return this.#manualClaims.claim(options) as Promise<readonly HeldRun<Payload>[]>
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
    const { database, replica } = this.store
    return judgeGuarantees(await readGuaranteeFacts(database, replica))
  }

  /**
   * Who holds an API key, and, where a scope is named, whether it suffices.
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
   * Submits a run of a handler that may live in another process. Once it resolves the run is committed, or with `tx` part
   * of your transaction.
   * @param payload - Anything that JSON can hold, up to 1 MiB; null when it is left out.
   * @throws `PunctualError` with `invalid_option`, `invalid_payload`, `payload_too_large`, `payload_too_deep`,
   * `handler_unknown` (with `strict`), `key_busy`, `lanes_exhausted`, `stopped` or `database_unavailable`.
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
    handler: string,
    payload?: unknown,
    options: SubmitCallOptions = {},
  ): Promise<Submitted> {
    return this.#home.submit(handler, payload, options)
  }

  /**
   * Submits up to 10,000 runs: all are accepted, or none.
   * @throws what `submit` throws; `field` then names the item, such as `[3].payload`.
   * @example
   * ```ts
   * const users = [{ id: 1 }, { id: 2 }]
   * await punctual.submitMany('welcome', users, (user) => ({ key: `welcome:${user.id}` }))
   * ```
   */
  async submitMany<Payload>(
    handler: string,
    payloads: readonly Payload[],
    options: SubmitManyOptions<Payload> = {},
  ): Promise<readonly Submitted[]> {
    return this.#home.submitMany(handler, payloads, options)
  }

  /**
   * Drains and stops everything, the embedded database included. Resolves when nothing is left.
   * @param options - `drainMs`: how long to wait for running handlers, instead of what `start` was given.
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

/** PostgreSQL as the rest of Punctual sees it: one object per group of verbs, wired once. */
import { encodeJson } from '@punctual/core/check'
import type { Clock, Random } from '@punctual/core/clock'
import { defaults, PunctualError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { attemptOutcomes } from '@punctual/core/run'
import type { Submission } from '@punctual/core/submit'
import type pg from 'pg'
import { EndsReader } from './activity/ends-reader.ts'
import { ApiKeyStore } from './api-keys/api-key-store.ts'
import { Authenticator } from './api-keys/authenticator.ts'
import { AuditLog } from './audit-log/audit-log.ts'
import { int4Array, int8Array, textArray, uuidArray } from './connection/binary-arrays.ts'
import { ClientPool } from './connection/client-pool.ts'
import { Database, type DatabaseOptions } from './connection/database.ts'
import { isConnectionFault } from './connection/faults.ts'
import { PINNED } from './connection/pins.ts'
import type { Queryable } from './connection/queryable.ts'
import { retrying } from './connection/retrying.ts'
import { Signals } from './connection/signals.ts'
import { DeadLetterReader } from './dead-letters/reader.ts'
import { Replays } from './dead-letters/replays.ts'
import { DeadLetterSteering } from './dead-letters/steering.ts'
import { GroupStore } from './groups/group-store.ts'
import { LaneRegistry } from './lanes/registry.ts'
import { LimitStore } from './queues/limit-store.ts'
import { QueueStore } from './queues/queue-store.ts'
import { ReplicaReads, type ReplicaReadsOptions } from './replica/replica-reads.ts'
import { RequestLog } from './requests/request-log.ts'
import { RequestTransactions } from './requests/request-transactions.ts'
import { RunExplainer } from './runs/explainer.ts'
import { RunReader } from './runs/reader.ts'
import { RunResolution } from './runs/resolution.ts'
import { RunSteering } from './runs/steering.ts'
import { ScheduleStore } from './schedule-store.ts'
import { migrate, migrationStatus } from './schema/migrations.ts'
import { checkDays, ensureDays, missingDay } from './schema/partitions.ts'
import { checkKeys } from './schema/primary-keys.ts'
import { Keyring } from './secrets/keyring.ts'
import { SecretStore } from './secrets/secret-store.ts'
import { PostgresRemoteSessions } from './sessions/remote-sessions.ts'
import { type WorkerSession, WorkerSteering } from './sessions/steering.ts'
import { type Accepted, KeyedSubmitter } from './submit/keyed-submitter.ts'
import { Submitter } from './submit/submitter.ts'
import { TenantErasure } from './tenants/erasure.ts'
import { QuotaKeeper } from './tenants/quota-keeper.ts'
import { RowSecurity } from './tenants/row-security.ts'
import { TenantStore } from './tenants/tenant-store.ts'
import { PostgresUpkeepStore } from './upkeep/upkeep-store.ts'
import { PostgresWorkStore } from './work/work-store.ts'

/** A handler's transaction may take this long to open: nothing ran yet, so no attempt fails. */
const OPEN_WITHIN_MS = 30_000

export interface PostgresStoreOptions extends Omit<DatabaseOptions, 'clock'>, ReplicaReadsOptions {
  readonly clock: Clock
  readonly random: Random
  /** Unique name of this process. */
  readonly node: string
  readonly horizonMs?: number
  /** The master keys of secrets. @default none: secrets cannot be read or set */
  readonly keyring?: Keyring
  /** The version of the time zone data. @default that of this process */
  readonly zoneData?: string
}

const REQUEST_POOL = { clientsMax: 8, idleMax: 8 } as const

export class PostgresStore {
  readonly database: Database
  readonly signals: Signals
  readonly lanes: LaneRegistry
  readonly work: PostgresWorkStore
  readonly remoteSessions: PostgresRemoteSessions
  readonly upkeep: PostgresUpkeepStore
  readonly runs: RunReader
  /** Lists, pages, counts and reports; never used for decisions. */
  readonly replica: ReplicaReads
  readonly explainer: RunExplainer
  readonly steering: RunSteering
  readonly queues: QueueStore
  readonly limits: LimitStore
  readonly workers: WorkerSteering
  readonly resolution: RunResolution
  readonly deadLetters: DeadLetterReader
  readonly deadLetterSteering: DeadLetterSteering
  readonly ends: EndsReader
  readonly schedules: ScheduleStore
  readonly groups: GroupStore
  readonly tenants: TenantStore
  readonly apiKeys: ApiKeyStore
  readonly authenticator: Authenticator
  readonly quotas: QuotaKeeper
  readonly erasure: TenantErasure
  readonly auditLog: AuditLog
  readonly secrets: SecretStore
  readonly requests: RequestLog
  readonly horizonMs: number
  /** Separates tenants even when a statement lacks its tenant predicate. */
  readonly rowSecurity: RowSecurity
  readonly #clientPool: ClientPool
  /** For migrations and the upkeep of days, which may take long: no statement timeout. */
  readonly #upkeepPool: ClientPool
  readonly #handlerPool: ClientPool
  /** Separate from the pools above: a request that needs a second connection must get one. */
  readonly #requestPool: ClientPool
  readonly #transactions: RequestTransactions
  readonly #submitter: Submitter
  readonly #keyed: KeyedSubmitter

  constructor(options: PostgresStoreOptions) {
    this.horizonMs = options.horizonMs ?? defaults.horizonMs
    this.database = new Database(options)
    this.rowSecurity = new RowSecurity(this.database)
    const { timeoutMs } = this.database
    this.#clientPool = new ClientPool(this.database, { timeoutMs })
    this.#upkeepPool = new ClientPool(this.database)
    this.#handlerPool = new ClientPool(this.database, { parsed: true })
    this.#requestPool = new ClientPool(this.database, { timeoutMs }, REQUEST_POOL)
    this.#transactions = new RequestTransactions(this.database, this.#requestPool)
    this.requests = new RequestLog(this.database)
    this.signals = new Signals(this.database, options.node)
    this.apiKeys = new ApiKeyStore(this.database, this.signals, options.random)
    this.authenticator = new Authenticator(this.database, this.signals)
    this.quotas = new QuotaKeeper(this.database, this.signals)
    this.lanes = new LaneRegistry(this.database)
    this.database.onNewTimeline.push(() => this.lanes.forget())
    // If this fails, the reaper releases the gates.
    this.signals.onHint(
      ({ gates = [] }) => void this.work.releaseGates(gates).catch(() => undefined),
    )
    this.lanes.onNew = (lane) => this.signals.newLane(lane)
    this.upkeep = new PostgresUpkeepStore(
      this.database,
      this.#upkeepPool,
      (runIds) => this.work.resolveParked(runIds),
      (gates) => this.work.releaseGates(gates),
      (lanes) => this.signals.due(lanes),
    )
    const ensurePartitions = () =>
      this.database.transactions.outside(async () => void (await this.upkeep.ensurePartitions()))
    const onQueued = (lanes: Iterable<number>) => this.signals.due(lanes)
    this.work = new PostgresWorkStore({
      database: this.database,
      ensurePartitions,
      horizonMs: this.horizonMs,
      onQueued,
      onCancel: (runIds) => this.signals.cancel(runIds),
      onFailed: (jobIds) => this.schedules.steering.pauseFailing(jobIds),
      onLimitsFreed: () => this.signals.anything(),
      onRearmed: () => this.signals.jobsChanged(),
      logBytes: (tenantId) => this.quotas.logBytes(tenantId),
    })
    this.auditLog = new AuditLog(this.database, this.#clientPool, options.random)
    this.secrets = new SecretStore(this.database, options.keyring ?? new Keyring([]))
    this.remoteSessions = new PostgresRemoteSessions(this.database)
    this.runs = new RunReader(this.database)
    this.replica = new ReplicaReads(this.database, options)
    this.explainer = new RunExplainer(this.database, this.runs)
    this.queues = new QueueStore(this.database, this.signals)
    const transact = <T>(work: () => Promise<T>) => this.transaction(work)
    this.limits = new LimitStore(this.database, this.signals, transact)
    this.tenants = new TenantStore({
      ...{ database: this.database, signals: this.signals, limits: this.limits, transact },
      claimsEnded: () => this.queues.claimsEnded(),
    })
    this.erasure = new TenantErasure({
      ...{ database: this.database, signals: this.signals, auditLog: this.auditLog, transact },
      claimsEnded: () => this.queues.claimsEnded(),
    })
    this.workers = new WorkerSteering(this.database, this.signals)
    this.steering = new RunSteering({
      ...{ database: this.database, signals: this.signals, horizonMs: this.horizonMs },
      lanes: this.lanes,
      release: (jobIds) => this.work.release(jobIds),
    })
    const replays = new Replays({
      ...{ database: this.database, clientPool: this.#clientPool, random: options.random },
      ...{ ensurePartitions, onQueued, quotas: this.quotas },
    })
    this.resolution = new RunResolution(replays, this.runs)
    this.deadLetters = new DeadLetterReader(this.database)
    this.deadLetterSteering = new DeadLetterSteering(replays, this.deadLetters)
    this.ends = new EndsReader(this.database, this.deadLetters)
    this.schedules = new ScheduleStore({
      auditLog: this.auditLog,
      ...{ database: this.database, clientPool: this.#clientPool, lanes: this.lanes },
      ...{ random: options.random, horizonMs: this.horizonMs, ensurePartitions, onQueued },
      quotas: this.quotas,
      ...(options.zoneData !== undefined && { zoneData: options.zoneData }),
      onChanged: () => this.signals.jobsChanged(),
      release: (jobIds) => this.work.release(jobIds),
      resolveParked: (runIds) => this.work.resolveParked(runIds),
    })
    this.#submitter = new Submitter({
      database: this.database,
      lanes: this.lanes,
      signals: this.signals,
      random: options.random,
      ensurePartitions,
      horizonMs: this.horizonMs,
      onGated: (gates) => this.work.releaseGates(gates),
    })
    this.#keyed = new KeyedSubmitter(this.database, this.#clientPool, this.#submitter, this.signals)
    this.groups = new GroupStore({
      ...{ database: this.database, clientPool: this.#clientPool, signals: this.signals },
      ...{ submitter: this.#submitter, keyed: this.#keyed, random: options.random },
      quotas: this.quotas,
      ensurePartitions,
    })
  }

  /** Migrates the schema and makes the coming days; returns the names of the new migrations. */
  migrate(): Promise<readonly string[]> {
    return this.#upkeepPool.with(async (client) => {
      const applied = await migrate(client, this.database.schema)
      await this.#makeDays(client)
      await this.rowSecurity.enable(client)
      return applied.map((m) => `${String(m.version).padStart(4, '0')}_${m.name}`)
    })
  }

  #makeDays(client: pg.Client): Promise<readonly string[]> {
    const { schema, clock, localClock } = this.database
    const pause = (ms: number) => localClock.sleep(ms)
    return ensureDays(client, schema, clock.nowMs(), defaults.partitionDaysAhead, pause)
  }

  /**
   * Throws unless this version supports the schema, its primary keys are valid, and today's
   * partitions exist. With `makeDays` it creates missing days: an installation that was off for
   * weeks has none left.
   */
  check(options: { makeDays?: boolean; planning?: boolean } = {}): Promise<void> {
    const { schema, clock } = this.database
    return this.#upkeepPool.with(async (client) => {
      const { rows } = await client.query('show server_version_num')
      const version = Math.floor(Number(rows[0].server_version_num) / 10_000)
      if (version < 15)
        throw new PunctualError(
          'database_unsupported',
          `The server is PostgreSQL ${version}; Punctual needs 15 or newer.`,
        )
      const { pending } = await migrationStatus(client, schema)
      if (pending.length === 0) await this.rowSecurity.refresh(client)
      if (pending.length > 0)
        throw new PunctualError(
          'schema_missing',
          `The schema ${schema} lacks ${pending.length} migration(s), the first is ${pending[0]?.version} (${pending[0]?.name}). Run \`punctual migrate\`.`,
        )
      await checkKeys(client, this.database, { planning: options.planning ?? false })
      if (options.makeDays && (await missingDay(client, schema, clock.nowMs())) !== null)
        await this.#makeDays(client)
      await checkDays(client, schema, clock.nowMs())
    })
  }

  async submit(
    submissions: readonly Submission[],
    options: { tenantId?: number; tx?: Queryable } = {},
  ): Promise<readonly Accepted[]> {
    const tenantId = options.tenantId ?? 1
    const admitting = this.quotas.admit(tenantId, submissions)
    if (admitting !== undefined) await admitting
    const runs = await this.#submitter.prepare(submissions, tenantId)
    if (options.tx) return (await this.#keyed.submitIn(options.tx, runs, tenantId)).accepted
    const keyed = runs.some((run) => run.submission.options.key !== null)
    if (!keyed && this.database.transactions.current) await this.#submitter.submitWithin(runs)
    else if (keyed)
      return retrying({ clock: this.database.localClock, deadlineMs: 30_000 }, (again) =>
        this.#keyed.submit(runs, tenantId, again),
      )
    else await this.#submitter.submit(runs)
    return runs.map((run) => ({ id: run.id, created: true, outcome: 'created' }))
  }

  /**
   * Runs all store calls of this work in one transaction: committed when the work resolves, rolled
   * back when it rejects. Hints go out after the commit. After a transient fault the whole work
   * runs again, so it must have no other effects. A nested call is part of the outer transaction.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const { transactions } = this.database
    if (transactions.current) return transactions.current.part(work)
    const ensurePartitions = () =>
      transactions.outside(async () => void (await this.upkeep.ensurePartitions()))
    const { value, afterCommit } = await this.#transactions.run(work, ensurePartitions)
    await transactions.outside(() => Promise.all(afterCommit.map((then) => then())))
    return value
  }

  /**
   * Limits every store call of this work, transactions included, to the rows of this tenant, even
   * if a statement lacks its tenant predicate; without effect unless `rowSecurity.state` is `up`.
   */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    return this.rowSecurity.asTenant(tenantId, work)
  }

  /** Whether a live worker takes this tenant's runs with this handler from this queue. */
  async hasHandler(handler: string, queue: string, tenantId: number): Promise<boolean> {
    const statement = this.database.statement('sessions/find-handler')
    const [row] = await this.database.control.query(statement, [handler, queue, tenantId])
    return row?.[0] === 't'
  }

  /** The workers with an open session. */
  sessions(): Promise<WorkerSession[]> {
    return this.workers.sessions()
  }

  /**
   * Runs a handler's work and stores the run's success in one transaction. Rejects with
   * `lease_lost` and rolls back when another worker holds the run by now. When the answer to the
   * commit is lost, the outcome shows whether it took place: it names the fence.
   */
  async succeedWith<T>(
    run: ClaimedRun,
    sessionId: string,
    startedAgoMs: () => number,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    const value = await this.#succeedWith(run, sessionId, startedAgoMs, work)
    // The transaction is committed: if this fails, the reaper does it.
    const settlement = { kind: 'succeeded', run, startedAgoMs: 0, output: null } as const
    await this.work.follow([settlement]).catch(() => undefined)
    return value
  }

  async #succeedWith<T>(
    run: ClaimedRun,
    sessionId: string,
    startedAgoMs: () => number,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    let output: { value: T } | null = null
    try {
      return await this.#handlerPool.transactionOnceOpen(OPEN_WITHIN_MS, async (client) => {
        const value = await work(client)
        // The next statement locks the lease: if this process stops before the commit, the server
        // ends the idle transaction, and the reaper gets the lease back.
        const pins = PINNED.slice(PINNED.indexOf(';') + 1)
        await client.query(`${pins}; set local idle_in_transaction_session_timeout = '60s'`)
        const answer = await client.query({
          text: this.database.statement('work/settle-succeeded').text,
          values: [
            sessionId,
            uuidArray([run.id]),
            int8Array([run.fence]),
            int4Array([Math.round(startedAgoMs())]),
            value === undefined || value === null ? null : textArray([encodeJson(value, 'output')]),
          ],
          rowMode: 'array',
        })
        if (answer.rows[0]?.[0] !== null)
          throw new PunctualError(
            'lease_lost',
            `Run ${run.id} was given to another worker; this attempt changed nothing.`,
            { id: run.id },
          )
        output = { value }
        return value
      })
    } catch (error) {
      if (output === null || !isConnectionFault(error)) throw error
      const settled = await retrying({ clock: this.database.localClock, deadlineMs: 30_000 }, () =>
        this.database.control.query(this.database.statement('work/find-settled'), [
          uuidArray([run.id]),
        ]),
      )
      const success = String(attemptOutcomes.succeeded)
      if (settled.some(([, fence, end]) => fence === run.fence.toString() && end === success))
        return (output as { value: T }).value
      throw error
    }
  }

  async close(): Promise<void> {
    await this.signals.close()
    await this.authenticator.close()
    const bounded = [this.#clientPool, this.#upkeepPool, this.#requestPool]
    const pools = [...bounded, this.#handlerPool]
    await Promise.all(pools.map((clientPool) => clientPool.close()))
    await this.replica.close()
    await this.database.close()
  }
}

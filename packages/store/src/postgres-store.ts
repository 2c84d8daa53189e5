/** PostgreSQL as the rest of Punctual sees it: one object per group of verbs, wired once. */
import type { Clock, Random } from '@punctual/core/clock'
import { defaults, limits } from '@punctual/core/errors'
import type { Submission } from '@punctual/core/submit'
import { EndsReader } from './activity/ends-reader.ts'
import { ApiKeyStore } from './api-keys/api-key-store.ts'
import { Authenticator } from './api-keys/authenticator.ts'
import { AuditLog } from './audit-log/audit-log.ts'
import { AwaitingRuns } from './awaiting/awaiting-runs.ts'
import { CallbackTokens } from './awaiting/callback-tokens.ts'
import { ClientPools } from './connection/client-pool.ts'
import { Database, type DatabaseOptions } from './connection/database.ts'
import type { OpenTransaction } from './connection/open-transaction.ts'
import { Signals } from './connection/signals.ts'
import { DeadLetterReader } from './dead-letters/reader.ts'
import { Replays } from './dead-letters/replays.ts'
import { DeadLetterSteering } from './dead-letters/steering.ts'
import { GroupStore } from './groups/group-store.ts'
import { LaneRegistry } from './lanes/registry.ts'
import { LimitStore, type Transact } from './queues/limit-store.ts'
import { QueueStore } from './queues/queue-store.ts'
import { ReplicaReads, type ReplicaReadsOptions } from './replica/replica-reads.ts'
import { RequestLog } from './requests/request-log.ts'
import { RequestTransactions } from './requests/request-transactions.ts'
import { RunExplainer } from './runs/explainer.ts'
import { RunReader } from './runs/reader.ts'
import { RunResolution } from './runs/resolution.ts'
import { RunSteering } from './runs/steering.ts'
import { ScheduleStore } from './schedule-store.ts'
import { Days } from './schema/days.ts'
import { SchemaReadiness } from './schema/readiness.ts'
import { Keyring } from './secrets/keyring.ts'
import { SecretStore } from './secrets/secret-store.ts'
import { PostgresRemoteSessions } from './sessions/remote-sessions.ts'
import { WorkerSteering } from './sessions/steering.ts'
import { type Accepted, KeyedSubmitter } from './submit/keyed-submitter.ts'
import { Submissions, type SubmitToStoreOptions } from './submit/submissions.ts'
import { Submitter } from './submit/submitter.ts'
import { TenantErasure } from './tenants/erasure.ts'
import { QuotaKeeper } from './tenants/quota-keeper.ts'
import { RowSecurity } from './tenants/row-security.ts'
import { TenantStore } from './tenants/tenant-store.ts'
import { PostgresUpkeepStore } from './upkeep/upkeep-store.ts'
import { HandlerTransactions } from './work/handler-transactions.ts'
import { ParkedRuns } from './work/parked-runs.ts'
import { PostgresWorkStore } from './work/work-store.ts'

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
  /** The largest output that is stored, in bytes of JSON. */
  readonly outputBytes?: number
}

export class PostgresStore {
  readonly awaiting: AwaitingRuns
  readonly callbackTokens: CallbackTokens
  readonly database: Database
  readonly signals: Signals
  readonly lanes: LaneRegistry
  readonly work: PostgresWorkStore
  readonly parked: ParkedRuns
  readonly handlerTransactions: HandlerTransactions
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
  readonly #pools: ClientPools
  readonly #schema: SchemaReadiness
  readonly #transactions: RequestTransactions
  readonly #submissions: Submissions

  /** Makes the parts in the order of their dependencies: none refers to a later one. */
  constructor(options: PostgresStoreOptions) {
    const { random, keyring = new Keyring([]), horizonMs = defaults.horizonMs } = options
    const database = new Database(options)
    const pools = new ClientPools(database)
    const days = new Days(database, pools.upkeep)
    const ensurePartitions = async () => void (await days.makeAhead())
    const transactions = new RequestTransactions(database, pools.requests, ensurePartitions)
    const transact: Transact = (work) => transactions.run(work)
    const signals = new Signals(database, options.node)
    const lanes = new LaneRegistry(database, signals)
    const quotas = new QuotaKeeper(database, signals)
    const parked = new ParkedRuns(database, signals)
    const auditLog = new AuditLog(database, pools.control, random)
    const parts = {
      ...{ database, clientPool: pools.control, signals, lanes, quotas, parked, auditLog, days },
      ...{ random, horizonMs, ensurePartitions, transact },
    }
    this.horizonMs = horizonMs
    this.database = database
    this.signals = signals
    this.lanes = lanes
    this.quotas = quotas
    this.parked = parked
    this.auditLog = auditLog
    this.#pools = pools
    this.#transactions = transactions
    this.rowSecurity = new RowSecurity(database)
    this.#schema = new SchemaReadiness(database, pools.upkeep, this.rowSecurity)
    this.requests = new RequestLog(database)
    this.secrets = new SecretStore(database, keyring)
    this.apiKeys = new ApiKeyStore(database, signals, random)
    this.authenticator = new Authenticator(database, signals)
    this.queues = new QueueStore(database, signals)
    this.limits = new LimitStore(database, signals, transact)
    this.tenants = new TenantStore({ ...parts, limits: this.limits, queues: this.queues })
    this.erasure = new TenantErasure({ ...parts, queues: this.queues })
    this.replica = new ReplicaReads(database, options)
    this.runs = new RunReader(database)
    this.explainer = new RunExplainer(database, this.runs)
    this.steering = new RunSteering(parts)
    this.deadLetters = new DeadLetterReader(database)
    this.ends = new EndsReader(database, this.deadLetters)
    const replays = new Replays(parts)
    this.resolution = new RunResolution(replays, this.runs)
    this.deadLetterSteering = new DeadLetterSteering(replays, this.deadLetters)
    const submitter = new Submitter(parts)
    const keyed = new KeyedSubmitter({ ...parts, submitter })
    this.#submissions = new Submissions({ ...parts, submitter, keyed })
    this.groups = new GroupStore({ ...parts, submitter, keyed })
    this.schedules = new ScheduleStore({ ...parts, zoneData: options.zoneData })
    this.work = new PostgresWorkStore({ ...parts, jobs: this.schedules.steering })
    this.handlerTransactions = new HandlerTransactions(database, pools.handlers, this.work)
    this.upkeep = new PostgresUpkeepStore({
      ...{ ...parts, clientPool: pools.upkeep },
      rowSecurity: this.rowSecurity,
    })
    this.workers = new WorkerSteering(database, signals)
    this.remoteSessions = new PostgresRemoteSessions(database, quotas)
    this.callbackTokens = new CallbackTokens(database, random)
    this.awaiting = new AwaitingRuns({
      ...{ database, signals, parked, work: this.work, sessions: this.remoteSessions },
      outputBytes: options.outputBytes ?? limits.outputBytes,
      fraction: () => random.fraction(),
    })
  }

  /** Migrates the schema and makes the coming days; returns the names of the new migrations. */
  migrate(): Promise<readonly string[]> {
    return this.#schema.migrate()
  }

  /**
   * Throws unless this version supports the schema, its primary keys are valid, and today's
   * partitions exist. With `makeDays` it creates missing days.
   */
  check(options: { makeDays?: boolean; planning?: boolean } = {}): Promise<void> {
    return this.#schema.check(options)
  }

  submit(
    submissions: readonly Submission[],
    options: SubmitToStoreOptions = {},
  ): Promise<readonly Accepted[]> {
    return this.#submissions.submit(submissions, options)
  }

  /**
   * Runs all store calls of this work in one transaction: committed when the work resolves, rolled
   * back when it rejects. Hints go out after the commit. After a transient fault the whole work
   * runs again, so it must have no other effects. A nested call is part of the outer transaction.
   */
  transaction<T>(work: (transaction: OpenTransaction) => Promise<T>): Promise<T> {
    return this.#transactions.run(work)
  }

  /**
   * Limits every store call of this work, transactions included, to the rows of this tenant, even
   * if a statement lacks its tenant predicate. Without effect where row security was never in force.
   * @throws `row_security_missing` where it was, and this process cannot use it
   */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T> {
    return this.rowSecurity.asTenant(tenantId, work)
  }

  /** Runs the work within the share of connections that the keys of the installation have. */
  asSystemKey<T>(work: () => Promise<T>): Promise<T> {
    return this.database.ambient.forSystemKeys(work)
  }

  async close(): Promise<void> {
    await this.signals.close()
    await this.authenticator.close()
    await this.#pools.close()
    await this.replica.close()
    await this.database.close()
  }
}

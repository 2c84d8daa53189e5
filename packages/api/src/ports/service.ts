/**
 * The part of Punctual that the routes use: the library's objects, reduced to the members called
 * here. The composition root provides them; nothing here knows PostgreSQL.
 */
import type { Actor, AuditEntry, AuditVerification } from '@punctual/core/audit'
import type { Instant } from '@punctual/core/check'
import type { LimitOptions } from '@punctual/core/flow'
import type {
  ApiKey,
  Caller,
  CreatedApiKey,
  EraseResult,
  QuotaChanges,
  Scope,
  SecretInfo,
  SecretSet,
  Tenant,
  UsageDay,
} from '@punctual/core/identity'
import type {
  BackfillResult,
  Job,
  JobChange,
  JobItem,
  JobOptions,
  JobPage,
  JobPageFilter,
  JobResult,
  JobSlot,
  SlotExplanation,
} from '@punctual/core/job'
import type { GuaranteePanel, ReportedState, TargetReport } from '@punctual/core/ports'
import type { LimitInForce, Queue, RecentEnds, Report, WorkerProcess } from '@punctual/core/queue'
import type { Group, GroupMember, GroupSummary } from '@punctual/core/run'
import type { CalendarInput } from '@punctual/core/schedule'
import type { SubmitOptions, Submitted } from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'
import type { ActivityPort } from './activity-service.ts'
import type { DeadLettersPort } from './dead-letter-service.ts'
import type { RunsPort } from './run-service.ts'

export interface AnsweredRequest {
  readonly fingerprint: string
  readonly status: number
  readonly body: string
}

/** Answers stored under idempotency keys; used within a transaction. */
export interface RequestLogPort {
  take(
    tenantId: number,
    keys: readonly string[],
  ): Promise<readonly (AnsweredRequest | 'busy' | null)[]>
  answered(
    tenantId: number,
    answers: readonly (AnsweredRequest & { readonly key: string })[],
  ): Promise<void>
}

export interface Service {
  /**
   * The caller that the key belongs to, without a promise when it is known.
   * @throws `PunctualError` with `unauthenticated`
   */
  authenticate(key: string): Caller | Promise<Caller>
  /** The caller that a callback token speaks for. @throws `PunctualError` with `callback_token_invalid` */
  authenticateTarget(token: string): Promise<Caller>
  /** The number of a tenant. @throws `PunctualError` with `tenant_not_found` */
  tenantId(name: string): Promise<number>
  tenant(id: number): TenantService
  /** Everything the work changes is committed together, or not at all. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** Reads within the work come from the primary, because a decision follows from them. */
  deciding<T>(work: () => T): T
  /** Row security: the work sees and writes only rows of this tenant. */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T>
  /** The work uses the share of connections that the keys of the installation have together. */
  asSystemKey<T>(work: () => Promise<T>): Promise<T>
  /** Records changes made within the work as changes by this actor. */
  as<T>(actor: Actor, work: () => Promise<T>): Promise<T>
  /**
   * Locks a job until the transaction ends, so that other changes of it wait. Null when it is
   * missing.
   */
  holdJob(nameOrId: string, tenantId: number): Promise<Job | null>
  readonly requests: RequestLogPort
  /**
   * Digests of a text that holds a secret, one per master key; without a master key they reveal
   * nothing. Store the first. After a key rotation a stored digest may equal any of them.
   * @throws `PunctualError` with `secrets_key_missing`
   */
  digests(text: string): readonly [string, ...string[]]
  readonly activity: ActivityPort
  readonly tenants: TenantsPort
  readonly apiKeys: ApiKeysPort
  readonly audit: AuditPort
  /** All workers, of every tenant. */
  readonly workers: WorkersPort
  /** The guarantees as they were some seconds ago at most: any number of callers may ask. */
  guarantees(): Promise<GuaranteePanel>
}

interface By {
  readonly by?: string
  readonly note?: string
}

export interface TenantsPort {
  create(options: {
    name: string
    note?: string
    quotas?: QuotaChanges
    by?: string
  }): Promise<Tenant>
  get(name: string): Promise<Tenant | null>
  list(options: { after?: string; limit?: number }): Promise<readonly Tenant[]>
  update(name: string, changes: { note?: string | null; quotas?: QuotaChanges }): Promise<Tenant>
  suspend(name: string, options: By): Promise<Tenant>
  resume(name: string): Promise<Tenant>
  usage(name: string, range: { from?: Instant; to?: Instant }): Promise<readonly UsageDay[]>
  export(name: string, range: { from?: Instant; to?: Instant }): AsyncIterable<string>
  erase(name: string, options: { confirm: string }): Promise<EraseResult>
}

interface KeyOwner {
  readonly tenant?: number
}

export interface ApiKeysPort {
  create(
    options: {
      name: string
      scopes: readonly Scope[]
      expiresAt?: Instant
      by?: string
    } & KeyOwner,
  ): Promise<CreatedApiKey>
  list(options: { after?: string; limit?: number } & KeyOwner): Promise<readonly ApiKey[]>
  rotate(
    id: string,
    options: { overlapMs?: number; expiresAt?: Instant; by?: string } & KeyOwner,
  ): Promise<CreatedApiKey>
  revoke(id: string, options: { by?: string } & KeyOwner): Promise<ApiKey>
}

export interface AuditPort {
  list(options: {
    action?: string
    target?: string
    targetKind?: string
    actor?: string
    from?: Instant
    to?: Instant
    limit?: number
    after?: string
    tenantId?: number | null
  }): Promise<readonly AuditEntry[]>
  verify(options: { tenantId?: number | null }): Promise<AuditVerification>
}

export interface WorkersPort {
  list(): Promise<readonly WorkerProcess[]>
  drain(id: string): Promise<boolean>
  activate(id: string): Promise<boolean>
}

export interface Submission {
  /** The name of a handler, or another target. */
  readonly handler: string | Target
  readonly payload?: unknown
  readonly options?: SubmitOptions
}

/** The services of one tenant. */
export interface TenantService {
  readonly tenantId: number
  readonly jobs: JobsPort
  readonly runs: RunsPort
  readonly awaiting: AwaitingPort
  readonly deadLetters: DeadLettersPort
  readonly queues: QueuesPort
  readonly limits: LimitsPort
  readonly groups: GroupsPort
  readonly stats: StatsPort
  readonly secrets: SecretsPort
  /** The workers that serve this tenant only. */
  readonly workers: WorkersPort
  submit(handler: string | Target, payload: unknown, options?: SubmitOptions): Promise<Submitted>
  submitAll(runs: readonly Submission[]): Promise<readonly Submitted[]>
}

/** Reports of targets; attempt null: the one that awaits its target. */
export interface AwaitingPort {
  /** @throws `PunctualError` with `run_not_found`, `already_finished` or `state_conflict` */
  report(id: string, attempt: number | null, report: TargetReport): Promise<ReportedState>
  /** @throws `PunctualError` with `run_not_found`, `already_finished` or `state_conflict` */
  reportProgress(id: string, attempt: number | null, value: unknown): Promise<void>
}

export interface QueuesPort {
  list(): Promise<readonly Queue[]>
  pause(queue: string, options: By): Promise<boolean>
  resume(queue: string): Promise<boolean>
  pauseAll(options: By): Promise<boolean>
  resumeAll(): Promise<boolean>
}

export interface LimitsPort {
  list(): Promise<readonly LimitInForce[]>
  /** Refuses a period that it does not know. */
  set(
    options: Omit<LimitOptions, 'rate'> & {
      rate?: { limit: number; per?: string | number; burst?: number }
    },
  ): Promise<void>
  remove(queue?: string): Promise<boolean>
}

export interface GroupsPort {
  submit(options: {
    name?: string
    open?: boolean
    runs: readonly { handler: string | Target; payload?: unknown; options?: SubmitOptions }[]
    onDone?: { handler: string; payload?: unknown }
  }): Promise<{ readonly id: string }>
  get(id: string): Promise<Group | null>
  list(options: { limit?: number }): Promise<readonly GroupSummary[]>
  runs(id: string, options: { from?: number; limit?: number }): Promise<readonly GroupMember[]>
  close(id: string): Promise<boolean>
}

export interface StatsPort {
  recent(options: { minutes?: number }): Promise<readonly RecentEnds[]>
  report(options: { by?: 'day' | 'job'; from?: Instant; to?: Instant }): Promise<Report>
}

export interface SecretsPort {
  list(): Promise<readonly SecretInfo[]>
  /** Refuses a value that is not a string. */
  set(name: string, value: unknown): Promise<SecretSet>
  delete(name: string): Promise<boolean>
}

export interface CalendarsPort {
  /** Null when no calendar has this name. */
  get(name: string): Promise<CalendarInput | null>
  /** Calendars after a name, and the name to continue after; null after the last page. */
  page(after?: string): Promise<{
    readonly calendars: readonly { name: string; calendar: CalendarInput }[]
    readonly next: string | null
  }>
  /** Refuses windows that it cannot read. */
  set(
    name: string,
    calendar: Omit<CalendarInput, 'windows'> & { windows?: readonly unknown[] },
  ): Promise<void>
  delete(name: string): Promise<boolean>
}

export interface JobsPort {
  readonly calendars: CalendarsPort
  inspect(nameOrId: string): Promise<JobItem | null>
  page(
    filter: JobPageFilter,
    page: { limit?: number; cursor?: string; page?: number },
  ): Promise<JobPage>
  /** Changes some members; with `version`, only while the job still has that version. */
  change(
    nameOrId: string,
    changes: Partial<JobOptions>,
    version?: number,
  ): Promise<Exclude<JobChange, 'created'>>
  /** @throws `PunctualError` with `job_exists` */
  create(job: JobOptions): Promise<JobItem>
  /** Creates all or none; `actors` has who creates each. */
  createMany(
    jobs: readonly JobOptions[],
    options: { actors: readonly Actor[] },
  ): Promise<readonly JobItem[]>
  upsert(job: JobOptions): Promise<JobResult>
  upsertMany(jobs: readonly JobOptions[]): Promise<readonly JobResult[]>
  get(nameOrId: string): Promise<Job | null>
  delete(nameOrId: string): Promise<boolean>
  pause(nameOrId: string, note?: string): Promise<boolean>
  resume(nameOrId: string): Promise<boolean>
  trigger(nameOrId: string, options?: { payload?: unknown }): Promise<{ id: string }>
  preview(
    nameOrId: string,
    options?: { count?: number; from?: Instant; aroundChanges?: boolean },
  ): Promise<readonly { at: Date; local: string }[]>
  backfill(
    nameOrId: string,
    options: { from: Instant; to: Instant; paceMs?: number },
  ): Promise<BackfillResult>
  /** A page may be empty although it has a successor. */
  slotPage(
    nameOrId: string,
    options?: { from?: Instant; to?: Instant; limit?: number; cursor?: string },
  ): Promise<{ readonly slots: readonly JobSlot[]; readonly nextCursor: string | null }>
  skip(nameOrId: string, slot: Instant, by?: string): Promise<void>
  explain(nameOrId: string, at?: Instant): Promise<SlotExplanation>
}

/** How requests are authenticated. */
export interface Admission {
  /** Without API keys: the caller of every request. Only allowed on loopback. */
  readonly everybody?: Caller
}

export type { Actor, Caller, Scope }

/**
 * What the routes need of Punctual: the library's own objects, as far as they are used here. The composition root
 * provides them; nothing here knows PostgreSQL.
 */
import type { Actor, AuditEntry } from '@punctual/core/audit'
import type { Instant } from '@punctual/core/check'
import type { LimitOptions } from '@punctual/core/flow'
import type { Caller, Scope } from '@punctual/core/identity'
import type { Job, JobOptions, JobStatus, SlotReason } from '@punctual/core/job'
import type { GuaranteePanel } from '@punctual/core/ports'
import type { CalendarInput } from '@punctual/core/schedule'
import type { SubmitOptions, SubmitOutcome } from '@punctual/core/submit'
import type { ActivityPort } from './activity-service.ts'
import type { DeadLettersPort } from './dead-letter-service.ts'
import type { RunsPort } from './run-service.ts'

export interface AnsweredRequest {
  readonly fingerprint: string
  readonly status: number
  readonly body: string
}

/** What requests were answered under their idempotency keys; within a transaction. */
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
  /** Who holds the key. @throws `PunctualError` with `unauthenticated` */
  authenticate(key: string): Promise<Caller>
  /** The number of a tenant. @throws `PunctualError` with `tenant_not_found` */
  tenantId(name: string): Promise<number>
  tenant(id: number): TenantService
  /** Everything that is asked for within the work happens, or nothing of it. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  /** Nothing that is read within the work is behind: it decides something, or asks for that. */
  deciding<T>(work: () => T): T
  /** Within the work nothing is seen or written but what is of this tenant, whatever the work asks for. */
  asTenant<T>(tenantId: number, work: () => Promise<T>): Promise<T>
  /** What is changed within the work is recorded as changed by this actor. */
  as<T>(actor: Actor, work: () => Promise<T>): Promise<T>
  /** A job as it is until the transaction ends: whoever changes it meanwhile waits. Null when there is none. */
  holdJob(nameOrId: string, tenantId: number): Promise<Job | null>
  readonly requests: RequestLogPort
  /**
   * Digests of a text that holds a secret, one for each master key, which tell nothing to whoever has none of them. The
   * first is to be kept; after a rotation it is another one of them that was.
   * @throws `PunctualError` with `secrets_key_missing`
   */
  digests(text: string): readonly string[]
  readonly activity: ActivityPort
  readonly tenants: TenantsPort
  readonly apiKeys: ApiKeysPort
  readonly audit: AuditPort
  /** All of them, whomever they work for. */
  readonly workers: WorkersPort
  guarantees(): Promise<GuaranteePanel>
}

type Answer = Promise<object>
type List = Promise<readonly object[]>
interface By {
  readonly by?: string
  readonly note?: string
}

export interface TenantsPort {
  create(options: { name: string; by?: string }): Answer
  get(name: string): Promise<object | null>
  list(options: { after?: string; limit?: number }): List
  update(name: string, changes: object): Answer
  suspend(name: string, options: By): Answer
  resume(name: string): Answer
  usage(name: string, range: { from?: Instant; to?: Instant }): List
  export(name: string, range: { from?: Instant; to?: Instant }): AsyncIterable<string>
  erase(name: string, options: { confirm: string }): Answer
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
  ): Answer
  list(options: { after?: string; limit?: number } & KeyOwner): List
  rotate(
    id: string,
    options: { overlapMs?: number; expiresAt?: Instant; by?: string } & KeyOwner,
  ): Answer
  revoke(id: string, options: { by?: string } & KeyOwner): Answer
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
  verify(options: { tenantId?: number | null }): Answer
}

export interface WorkersPort {
  list(): List
  drain(id: string): Promise<boolean>
  activate(id: string): Promise<boolean>
}

export interface Submission {
  readonly handler: string
  readonly payload?: unknown
  readonly options?: SubmitOptions
}

export interface Submitted {
  readonly id: string
  readonly created: boolean
  readonly outcome: SubmitOutcome
}

/** The parts of one tenant. */
export interface TenantService {
  readonly tenantId: number
  readonly jobs: JobsPort
  readonly runs: RunsPort
  readonly deadLetters: DeadLettersPort
  readonly queues: QueuesPort
  readonly limits: LimitsPort
  readonly groups: GroupsPort
  readonly stats: StatsPort
  readonly secrets: SecretsPort
  /** Those that work for it alone. */
  readonly workers: WorkersPort
  submitAll(runs: readonly Submission[]): Promise<readonly Submitted[]>
}

/** A job, what it is doing, and what is known of its latest run. */
export interface JobItem extends Job {
  readonly status: JobStatus
  readonly latestRun: {
    readonly id: string
    readonly attempt: number
    readonly executionMs: number | null
    readonly finishedAt: Date | null
  } | null
}

export interface JobPageFilter {
  statuses?: readonly JobStatus[]
  namePrefix?: string
  queue?: string
  handler?: string
  labels?: Readonly<Record<string, string>>
  next?: { from?: Instant; to?: Instant }
}

export interface JobPage {
  readonly jobs: readonly JobItem[]
  readonly total: number
  /** False when the total is an estimate. */
  readonly totalExact: boolean
  readonly nextCursor: string | null
}

export interface QueuesPort {
  list(): List
  pause(queue: string, options: By): Promise<boolean>
  resume(queue: string): Promise<boolean>
  pauseAll(options: By): Promise<boolean>
  resumeAll(): Promise<boolean>
}

export interface LimitsPort {
  list(): List
  set(options: LimitOptions): Promise<void>
  remove(queue?: string): Promise<boolean>
}

export interface GroupsPort {
  submit(options: {
    name?: string
    open?: boolean
    runs: readonly { handler: string; payload?: unknown; options?: SubmitOptions }[]
    onDone?: { handler: string; payload?: unknown }
  }): Promise<{ readonly id: string }>
  get(id: string): Promise<object | null>
  list(options: { limit?: number }): List
  runs(id: string, options: { from?: number; limit?: number }): List
  close(id: string): Promise<boolean>
}

export interface StatsPort {
  recent(options: { minutes?: number }): List
  report(options: { by?: 'day' | 'job'; from?: Instant; to?: Instant }): Answer
}

export interface SecretsPort {
  list(): List
  set(name: string, value: string): Promise<{ readonly version: number }>
  delete(name: string): Promise<boolean>
}

export interface CalendarsPort {
  list(): Promise<readonly { name: string; calendar: CalendarInput }[]>
  set(name: string, calendar: CalendarInput): Promise<void>
  delete(name: string): Promise<boolean>
}

export interface JobsPort {
  readonly calendars: CalendarsPort
  inspect(nameOrId: string): Promise<JobItem | null>
  page(
    filter: JobPageFilter,
    page: { limit?: number; cursor?: string; page?: number },
  ): Promise<JobPage>
  /** Changes some of it; `version`: only if it is still that. */
  change(
    nameOrId: string,
    changes: Partial<JobOptions>,
    version?: number,
  ): Promise<'updated' | 'unchanged'>
  upsert(
    job: JobOptions,
  ): Promise<{ id: string; name: string; change: 'created' | 'updated' | 'unchanged' }>
  upsertMany(
    jobs: readonly JobOptions[],
  ): Promise<readonly { id: string; name: string; change: 'created' | 'updated' | 'unchanged' }[]>
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
  ): Promise<{ runs: number; already: number }>
  slots(
    nameOrId: string,
    options?: { from?: Instant; to?: Instant; limit?: number },
  ): Promise<readonly JobSlot[]>
  skip(nameOrId: string, slot: Instant, by?: string): Promise<void>
  explain(nameOrId: string, at?: Instant): Promise<object>
}

export interface JobSlot {
  readonly slotAt: Date
  readonly fromAt: Date | null
  readonly slots: number
  readonly decision: 'run' | 'skip' | null
  readonly reason: SlotReason | null
  readonly runId: string | null
  readonly decidedAt: Date | null
}

/** How requests are let in. */
export interface Admission {
  /** Without keys: everybody is this caller. Only on loopback. */
  readonly everybody?: Caller
}

export type { Actor, Caller, Scope }

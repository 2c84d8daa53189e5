// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { Quotas } from '@punctual/core/identity'
import { boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import type { Big, Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface BeginErasingRow {
  readonly name: string
}

const BEGIN_ERASING: TypedStatement<BeginErasingRow> = {
  path: 'tenants/begin-erasing',
  daily: false,
  columns: ['name'],
  decode: (row) => ({
    name: text(row[0]),
  }),
}

/** Starts erasing a tenant: it is suspended for good, and its API keys are revoked. Repeating it
 * changes nothing. */
export function beginErasing(tenant: Num, whoErasesIt: Text): Call<BeginErasingRow> {
  return { statement: BEGIN_ERASING, values: [tenant, whoErasesIt] }
}

export interface CountJobsRow {
  readonly jobs: number
}

const COUNT_JOBS: TypedStatement<CountJobsRow> = {
  path: 'tenants/count-jobs',
  daily: false,
  columns: ['jobs'],
  decode: (row) => ({
    jobs: number(row[0]),
  }),
}

/** The number of jobs of a tenant, up to a limit. One-time jobs whose slot has passed do not count. */
export function countJobs(tenant: Num, limit: Big): Call<CountJobsRow> {
  return { statement: COUNT_JOBS, values: [tenant, limit] }
}

export interface EndErasingRow {
  readonly id: number
}

const END_ERASING: TypedStatement<EndErasingRow> = {
  path: 'tenants/end-erasing',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: number(row[0]),
  }),
}

/** Ends the erasure of a tenant. Only its number is left, which is never used again. Its name
 * becomes free: it is replaced by a string that is not a valid tenant name. If several callers
 * erase a tenant at the same time, one of them ends it. */
export function endErasing(tenant: Num): Call<EndErasingRow> {
  return { statement: END_ERASING, values: [tenant] }
}

export interface EraseGatedRow {
  readonly gone: number
}

const ERASE_GATED: TypedStatement<EraseGatedRow> = {
  path: 'tenants/erase-gated',
  daily: false,
  columns: ['gone'],
  decode: (row) => ({
    gone: number(row[0]),
  }),
}

/** Deletes the gate rows (concurrency and rate keys) of a tenant's live runs, and the holds of its
 * jobs. */
export function eraseGated(tenant: Num): Call<EraseGatedRow> {
  return { statement: ERASE_GATED, values: [tenant] }
}

export interface EraseMembersRow {
  readonly gone: number
}

const ERASE_MEMBERS: TypedStatement<EraseMembersRow> = {
  path: 'tenants/erase-members',
  daily: false,
  columns: ['gone'],
  decode: (row) => ({
    gone: number(row[0]),
  }),
}

/** Deletes members of a tenant's groups, one batch at a time. */
export function eraseMembers(tenant: Num, mostRows: Num): Call<EraseMembersRow> {
  return { statement: ERASE_MEMBERS, values: [tenant, mostRows] }
}

export interface ExportRunsRow {
  readonly id: string
  readonly facts: { final_state?: number; [column: string]: unknown }
  readonly payload: string
  readonly output: string | null
}

const EXPORT_RUNS: TypedStatement<ExportRunsRow> = {
  path: 'tenants/export-runs',
  daily: false,
  columns: ['id', 'facts', 'payload', 'output'],
  decode: (row) => ({
    id: text(row[0]),
    facts: json(row[1]) as { final_state?: number; [column: string]: unknown },
    payload: text(row[2]),
    output: orNull(text, row[3]),
  }),
}

/** Runs of a tenant for its export, by id, a page at a time. A page ends where its payloads and
 * outputs would exceed a number of bytes, after one run at least. */
export function exportRuns(tenant: Num, afterThisId: Text, beforeThisId: Text, mostRows: Num, mostBytes: Big): Call<ExportRunsRow> {
  return { statement: EXPORT_RUNS, values: [tenant, afterThisId, beforeThisId, mostRows, mostBytes] }
}

export interface FindTenantRow {
  readonly id: number
  readonly name: string
  readonly note: string | null
  readonly quotas: Quotas
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly suspendedAt: Date | null
  readonly suspendedBy: string | null
  readonly suspendedNote: string | null
  readonly erasingAt: Date | null
}

const FIND_TENANT: TypedStatement<FindTenantRow> = {
  path: 'tenants/find-tenant',
  daily: false,
  columns: ['id', 'name', 'note', 'quotas', 'created_at', 'created_by', 'suspended_at', 'suspended_by', 'suspended_note', 'erasing_at'],
  decode: (row) => ({
    id: number(row[0]),
    name: text(row[1]),
    note: orNull(text, row[2]),
    quotas: json(row[3]) as Quotas,
    createdAt: date(row[4]),
    createdBy: orNull(text, row[5]),
    suspendedAt: orNull(date, row[6]),
    suspendedBy: orNull(text, row[7]),
    suspendedNote: orNull(text, row[8]),
    erasingAt: orNull(date, row[9]),
  }),
}

/** A tenant by its number or its name; erased tenants are not found. */
export function findTenant(id: Num, name: Text): Call<FindTenantRow> {
  return { statement: FIND_TENANT, values: [id, name] }
}

export interface InsertTenantRow {
  readonly id: number
  readonly name: string
  readonly note: string | null
  readonly quotas: Quotas
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly suspendedAt: Date | null
  readonly suspendedBy: string | null
  readonly suspendedNote: string | null
  readonly erasingAt: Date | null
}

const INSERT_TENANT: TypedStatement<InsertTenantRow> = {
  path: 'tenants/insert-tenant',
  daily: false,
  columns: ['id', 'name', 'note', 'quotas', 'created_at', 'created_by', 'suspended_at', 'suspended_by', 'suspended_note', 'erasing_at'],
  decode: (row) => ({
    id: number(row[0]),
    name: text(row[1]),
    note: orNull(text, row[2]),
    quotas: json(row[3]) as Quotas,
    createdAt: date(row[4]),
    createdBy: orNull(text, row[5]),
    suspendedAt: orNull(date, row[6]),
    suspendedBy: orNull(text, row[7]),
    suspendedNote: orNull(text, row[8]),
    erasingAt: orNull(date, row[9]),
  }),
}

/** Creates a tenant. */
export function insertTenant(name: Text, note: Text, whoCreatedIt: Text, quotasJsonb: Text): Call<InsertTenantRow> {
  return { statement: INSERT_TENANT, values: [name, note, whoCreatedIt, quotasJsonb] }
}

export interface ListErasableRow {
  readonly name: string
  readonly blocks: number
}

const LIST_ERASABLE: TypedStatement<ListErasableRow> = {
  path: 'tenants/list-erasable',
  daily: false,
  columns: ['name', 'blocks'],
  decode: (row) => ({
    name: text(row[0]),
    blocks: number(row[1]),
  }),
}

/** Tables with tenant rows, each partition separately, and the number of blocks of each. Leaves out
 * tables that are erased at the end or in another way. */
export function listErasable(): Call<ListErasableRow> {
  return { statement: LIST_ERASABLE, values: [] }
}

export interface ListTenantsRow {
  readonly id: number
  readonly name: string
  readonly note: string | null
  readonly quotas: Quotas
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly suspendedAt: Date | null
  readonly suspendedBy: string | null
  readonly suspendedNote: string | null
  readonly erasingAt: Date | null
}

const LIST_TENANTS: TypedStatement<ListTenantsRow> = {
  path: 'tenants/list-tenants',
  daily: false,
  columns: ['id', 'name', 'note', 'quotas', 'created_at', 'created_by', 'suspended_at', 'suspended_by', 'suspended_note', 'erasing_at'],
  decode: (row) => ({
    id: number(row[0]),
    name: text(row[1]),
    note: orNull(text, row[2]),
    quotas: json(row[3]) as Quotas,
    createdAt: date(row[4]),
    createdBy: orNull(text, row[5]),
    suspendedAt: orNull(date, row[6]),
    suspendedBy: orNull(text, row[7]),
    suspendedNote: orNull(text, row[8]),
    erasingAt: orNull(date, row[9]),
  }),
}

/** Tenants by name, without erased ones. */
export function listTenants(onlyNamesAfterThis: Text, mostRows: Num): Call<ListTenantsRow> {
  return { statement: LIST_TENANTS, values: [onlyNamesAfterThis, mostRows] }
}

export interface LockTenantRow {
  readonly quotas: Quotas
}

const LOCK_TENANT: TypedStatement<LockTenantRow> = {
  path: 'tenants/lock-tenant',
  daily: false,
  columns: ['quotas'],
  decode: (row) => ({
    quotas: json(row[0]) as Quotas,
  }),
}

/** Locks a tenant, so that counting what it has and changing its quotas happen one after the other. */
export function lockTenant(tenant: Num): Call<LockTenantRow> {
  return { statement: LOCK_TENANT, values: [tenant] }
}

export interface ReadTenantRow {
  readonly name: string
  readonly quotas: Quotas
  readonly suspended: boolean
}

const READ_TENANT: TypedStatement<ReadTenantRow> = {
  path: 'tenants/read-tenant',
  daily: false,
  columns: ['name', 'quotas', 'suspended'],
  decode: (row) => ({
    name: text(row[0]),
    quotas: json(row[1]) as Quotas,
    suspended: boolean(row[2]),
  }),
}

/** The columns of a tenant that accepting work for it depends on. */
export function readTenant(tenant: Num): Call<ReadTenantRow> {
  return { statement: READ_TENANT, values: [tenant] }
}

export interface ResumeTenantRow {
  readonly id: number
  readonly name: string
  readonly note: string | null
  readonly quotas: Quotas
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly suspendedAt: Date | null
  readonly suspendedBy: string | null
  readonly suspendedNote: string | null
  readonly erasingAt: Date | null
}

const RESUME_TENANT: TypedStatement<ResumeTenantRow> = {
  path: 'tenants/resume-tenant',
  daily: false,
  columns: ['id', 'name', 'note', 'quotas', 'created_at', 'created_by', 'suspended_at', 'suspended_by', 'suspended_note', 'erasing_at'],
  decode: (row) => ({
    id: number(row[0]),
    name: text(row[1]),
    note: orNull(text, row[2]),
    quotas: json(row[3]) as Quotas,
    createdAt: date(row[4]),
    createdBy: orNull(text, row[5]),
    suspendedAt: orNull(date, row[6]),
    suspendedBy: orNull(text, row[7]),
    suspendedNote: orNull(text, row[8]),
    erasingAt: orNull(date, row[9]),
  }),
}

/** Ends the suspension of a tenant. Queues that were paused individually stay paused, and a tenant
 * that is being erased stays suspended. */
export function resumeTenant(tenant: Num): Call<ResumeTenantRow> {
  return { statement: RESUME_TENANT, values: [tenant] }
}

export interface SumUsageRow {
  readonly runs: number
  readonly succeeded: number
  readonly others: number
  readonly attempts: number
  readonly ranMs: number
  readonly payloadBytes: number
  readonly outputBytes: number
  readonly logBytes: number
}

const SUM_USAGE: TypedStatement<SumUsageRow> = {
  path: 'tenants/sum-usage',
  daily: false,
  columns: ['runs', 'succeeded', 'others', 'attempts', 'ran_ms', 'payload_bytes', 'output_bytes', 'log_bytes'],
  decode: (row) => ({
    runs: number(row[0]),
    succeeded: number(row[1]),
    others: number(row[2]),
    attempts: number(row[3]),
    ranMs: number(row[4]),
    payloadBytes: number(row[5]),
    outputBytes: number(row[6]),
    logBytes: number(row[7]),
  }),
}

/** The usage of a tenant on one day, summed over the runs whose ids are of that day, on which they
 * were due. */
export function sumUsage(tenant: Num, firstIdOfDay: Text, firstIdOfNext: Text): Call<SumUsageRow> {
  return { statement: SUM_USAGE, values: [tenant, firstIdOfDay, firstIdOfNext] }
}

export interface SuspendTenantRow {
  readonly id: number
  readonly name: string
  readonly note: string | null
  readonly quotas: Quotas
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly suspendedAt: Date | null
  readonly suspendedBy: string | null
  readonly suspendedNote: string | null
  readonly erasingAt: Date | null
}

const SUSPEND_TENANT: TypedStatement<SuspendTenantRow> = {
  path: 'tenants/suspend-tenant',
  daily: false,
  columns: ['id', 'name', 'note', 'quotas', 'created_at', 'created_by', 'suspended_at', 'suspended_by', 'suspended_note', 'erasing_at'],
  decode: (row) => ({
    id: number(row[0]),
    name: text(row[1]),
    note: orNull(text, row[2]),
    quotas: json(row[3]) as Quotas,
    createdAt: date(row[4]),
    createdBy: orNull(text, row[5]),
    suspendedAt: orNull(date, row[6]),
    suspendedBy: orNull(text, row[7]),
    suspendedNote: orNull(text, row[8]),
    erasingAt: orNull(date, row[9]),
  }),
}

/** Suspends a tenant: none of its runs is claimed from now on. A suspended tenant keeps its note. */
export function suspendTenant(tenant: Num, note: Text, whoSuspendedIt: Text): Call<SuspendTenantRow> {
  return { statement: SUSPEND_TENANT, values: [tenant, note, whoSuspendedIt] }
}

export interface TakeSubmissionsRow {
  readonly second: number
  readonly last: number
  readonly granted: number
  readonly leftMs: number
}

const TAKE_SUBMISSIONS: TypedStatement<TakeSubmissionsRow> = {
  path: 'tenants/take-submissions',
  daily: false,
  columns: ['second', 'last', 'granted', 'left_ms'],
  decode: (row) => ({
    second: number(row[0]),
    last: number(row[1]),
    granted: number(row[2]),
    leftMs: number(row[3]),
  }),
}

/** Reserves submissions of a tenant for the current second of the database's clock: the number
 * wanted if the quota of that second allows it; fewer, but at least the number needed; or none. */
export function takeSubmissions(tenant: Num, needed: Big, wanted: Big, quota: Big): Call<TakeSubmissionsRow> {
  return { statement: TAKE_SUBMISSIONS, values: [tenant, needed, wanted, quota] }
}

export interface UpdateTenantRow {
  readonly id: number
  readonly name: string
  readonly note: string | null
  readonly quotas: Quotas
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly suspendedAt: Date | null
  readonly suspendedBy: string | null
  readonly suspendedNote: string | null
  readonly erasingAt: Date | null
}

const UPDATE_TENANT: TypedStatement<UpdateTenantRow> = {
  path: 'tenants/update-tenant',
  daily: false,
  columns: ['id', 'name', 'note', 'quotas', 'created_at', 'created_by', 'suspended_at', 'suspended_by', 'suspended_note', 'erasing_at'],
  decode: (row) => ({
    id: number(row[0]),
    name: text(row[1]),
    note: orNull(text, row[2]),
    quotas: json(row[3]) as Quotas,
    createdAt: date(row[4]),
    createdBy: orNull(text, row[5]),
    suspendedAt: orNull(date, row[6]),
    suspendedBy: orNull(text, row[7]),
    suspendedNote: orNull(text, row[8]),
    erasingAt: orNull(date, row[9]),
  }),
}

/** Changes the note and the quotas of a tenant. */
export function updateTenant(tenant: Num, noteChanges: Bool, note: Text, quotasToSetJsonb: Text, quotasToRemove: List<'text'>): Call<UpdateTenantRow> {
  return { statement: UPDATE_TENANT, values: [tenant, noteChanges, note, quotasToSetJsonb, quotasToRemove] }
}

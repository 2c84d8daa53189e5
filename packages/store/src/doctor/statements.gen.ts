// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { boolean, date, number, orNull, text } from '../sql/cells.ts'
import type { Call, List, Text, TypedStatement } from '../sql/typed.ts'

export interface CountDetachingRow {
  readonly detaching: number
}

const COUNT_DETACHING: TypedStatement<CountDetachingRow> = {
  path: 'doctor/count-detaching',
  daily: false,
  columns: ['detaching'],
  decode: (row) => ({
    detaching: number(row[0]),
  }),
}

/** Partitions whose detaching has begun but not finished. */
export function countDetaching(schema: Text): Call<CountDetachingRow> {
  return { statement: COUNT_DETACHING, values: [schema] }
}

export interface ListBrokenKeysRow {
  readonly name: string
}

const LIST_BROKEN_KEYS: TypedStatement<ListBrokenKeysRow> = {
  path: 'doctor/list-broken-keys',
  daily: false,
  columns: ['name'],
  decode: (row) => ({
    name: text(row[0]),
  }),
}

/** Tables and partitions whose primary key is missing, or invalid because building it was
 * interrupted. */
export function listBrokenKeys(schema: Text, tables: List<'text'>): Call<ListBrokenKeysRow> {
  return { statement: LIST_BROKEN_KEYS, values: [schema, tables] }
}

export interface ListDeadRowsRow {
  readonly name: string
  readonly live: number
  readonly dead: number
  readonly lastVacuum: string | null
}

const LIST_DEAD_ROWS: TypedStatement<ListDeadRowsRow> = {
  path: 'doctor/list-dead-rows',
  daily: false,
  columns: ['name', 'live', 'dead', 'last_vacuum'],
  decode: (row) => ({
    name: text(row[0]),
    live: number(row[1]),
    dead: number(row[2]),
    lastVacuum: orNull(text, row[3]),
  }),
}

/** Dead rows of the hot tables that vacuum has not removed yet. */
export function listDeadRows(schema: Text, namesOfTables: List<'text'>): Call<ListDeadRowsRow> {
  return { statement: LIST_DEAD_ROWS, values: [schema, namesOfTables] }
}

export interface ListStandbysRow {
  readonly name: string | null
  readonly state: string | null
  readonly syncState: string | null
}

const LIST_STANDBYS: TypedStatement<ListStandbysRow> = {
  path: 'doctor/list-standbys',
  daily: false,
  columns: ['name', 'state', 'sync_state'],
  decode: (row) => ({
    name: orNull(text, row[0]),
    state: orNull(text, row[1]),
    syncState: orNull(text, row[2]),
  }),
}

/** Standbys that are connected to this server. A role that is not a member of pg_read_all_stats sees
 * that they exist, but not their state. */
export function listStandbys(): Call<ListStandbysRow> {
  return { statement: LIST_STANDBYS, values: [] }
}

export interface ListZoneDataRow {
  readonly zoneData: string
}

const LIST_ZONE_DATA: TypedStatement<ListZoneDataRow> = {
  path: 'doctor/list-zone-data',
  daily: false,
  columns: ['zone_data'],
  decode: (row) => ({
    zoneData: text(row[0]),
  }),
}

/** The versions of the time zone data of all live planners. */
export function listZoneData(): Call<ListZoneDataRow> {
  return { statement: LIST_ZONE_DATA, values: [] }
}

export interface ReadActivityRow {
  readonly connections: number
  readonly roleLimit: number
  readonly databaseLimit: number
  readonly oldestMs: number | null
  readonly oldestPid: number | null
  readonly oldestApplication: string | null
  readonly oldestState: string | null
  readonly horizonAge: number | null
  readonly horizonHolder: string | null
}

const READ_ACTIVITY: TypedStatement<ReadActivityRow> = {
  path: 'doctor/read-activity',
  daily: false,
  columns: ['connections', 'role_limit', 'database_limit', 'oldest_ms', 'oldest_pid', 'oldest_application', 'oldest_state', 'horizon_age', 'horizon_holder'],
  decode: (row) => ({
    connections: number(row[0]),
    roleLimit: number(row[1]),
    databaseLimit: number(row[2]),
    oldestMs: orNull(number, row[3]),
    oldestPid: orNull(number, row[4]),
    oldestApplication: orNull(text, row[5]),
    oldestState: orNull(text, row[6]),
    horizonAge: orNull(number, row[7]),
    horizonHolder: orNull(text, row[8]),
  }),
}

/** Connections in use, and what holds back vacuum the most. An ordinary role cannot see when
 * transactions of other roles began, but it can see how old their snapshots are. */
export function readActivity(): Call<ReadActivityRow> {
  return { statement: READ_ACTIVITY, values: [] }
}

export interface ReadPrivilegesRow {
  readonly role: string
  readonly superuser: boolean
  readonly schemaExists: boolean
  readonly mayUse: boolean
  readonly mayCreate: boolean
  readonly tables: number
  readonly unusable: number
  readonly unowned: number
}

const READ_PRIVILEGES: TypedStatement<ReadPrivilegesRow> = {
  path: 'doctor/read-privileges',
  daily: false,
  columns: ['role', 'superuser', 'schema_exists', 'may_use', 'may_create', 'tables', 'unusable', 'unowned'],
  decode: (row) => ({
    role: text(row[0]),
    superuser: boolean(row[1]),
    schemaExists: boolean(row[2]),
    mayUse: boolean(row[3]),
    mayCreate: boolean(row[4]),
    tables: number(row[5]),
    unusable: number(row[6]),
    unowned: number(row[7]),
  }),
}

/** The privileges of the current role in the schema. */
export function readPrivileges(schema: Text): Call<ReadPrivilegesRow> {
  return { statement: READ_PRIVILEGES, values: [schema] }
}

export interface ReadRowSecurityRow {
  readonly role: boolean
  readonly member: boolean
  readonly login: boolean
  readonly strong: boolean
  readonly open: number
  readonly closed: number
  readonly required: boolean
}

const READ_ROW_SECURITY: TypedStatement<ReadRowSecurityRow> = {
  path: 'doctor/read-row-security',
  daily: false,
  columns: ['role', 'member', 'login', 'strong', 'open', 'closed', 'required'],
  decode: (row) => ({
    role: boolean(row[0]),
    member: boolean(row[1]),
    login: boolean(row[2]),
    strong: boolean(row[3]),
    open: number(row[4]),
    closed: number(row[5]),
    required: boolean(row[6]),
  }),
}

/** Whether the tenant role exists, whether this role is a member of it, whether it is too powerful,
 * whether every table with rows of tenants has its policy, and whether row security is required. */
export function readRowSecurity(schema: Text): Call<ReadRowSecurityRow> {
  return { statement: READ_ROW_SECURITY, values: [schema] }
}

export interface ReadSettingsRow {
  readonly versionNum: number
  readonly version: string
  readonly inRecovery: boolean
  readonly timeline: string | null
  readonly startedAt: Date
  readonly dataChecksums: string
  readonly readOnly: string
  readonly fsync: string
  readonly fullPageWrites: string
  readonly synchronousCommit: string
  readonly standbyNames: string
  readonly autovacuum: string
  readonly trackCounts: string
  readonly maxConnections: number
  readonly reserved: number
  readonly maxLocks: number
  readonly maxPrepared: number
  readonly statementTimeoutMs: number
  readonly standbys: number
}

const READ_SETTINGS: TypedStatement<ReadSettingsRow> = {
  path: 'doctor/read-settings',
  daily: false,
  columns: ['version_num', 'version', 'in_recovery', 'timeline', 'started_at', 'data_checksums', 'read_only', 'fsync', 'full_page_writes', 'synchronous_commit', 'standby_names', 'autovacuum', 'track_counts', 'max_connections', 'reserved', 'max_locks', 'max_prepared', 'statement_timeout_ms', 'standbys'],
  decode: (row) => ({
    versionNum: number(row[0]),
    version: text(row[1]),
    inRecovery: boolean(row[2]),
    timeline: orNull(text, row[3]),
    startedAt: date(row[4]),
    dataChecksums: text(row[5]),
    readOnly: text(row[6]),
    fsync: text(row[7]),
    fullPageWrites: text(row[8]),
    synchronousCommit: text(row[9]),
    standbyNames: text(row[10]),
    autovacuum: text(row[11]),
    trackCounts: text(row[12]),
    maxConnections: number(row[13]),
    reserved: number(row[14]),
    maxLocks: number(row[15]),
    maxPrepared: number(row[16]),
    statementTimeoutMs: number(row[17]),
    standbys: number(row[18]),
  }),
}

/** The server settings that the guarantees depend on, and the server's identity. */
export function readSettings(): Call<ReadSettingsRow> {
  return { statement: READ_SETTINGS, values: [] }
}

// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { boolean, date, number, orNull, text } from '../sql/cells.ts'
import type { Call, List, Text, TypedStatement } from '../sql/typed.ts'

export interface CountDetachingRow {
  readonly detaching: number | null
}

const COUNT_DETACHING: TypedStatement<CountDetachingRow> = {
  path: 'doctor/count-detaching',
  daily: false,
  columns: ['detaching'],
  decode: (row) => ({
    detaching: orNull(number, row[0]),
  }),
}

/** Partitions whose detaching has begun but not finished. */
export function countDetaching(schema: Text): Call<CountDetachingRow> {
  return { statement: COUNT_DETACHING, values: [schema] }
}

export interface ListBrokenKeysRow {
  readonly name: string | null
}

const LIST_BROKEN_KEYS: TypedStatement<ListBrokenKeysRow> = {
  path: 'doctor/list-broken-keys',
  daily: false,
  columns: ['name'],
  decode: (row) => ({
    name: orNull(text, row[0]),
  }),
}

/** Tables and partitions whose primary key is missing, or invalid because building it was
 * interrupted. */
export function listBrokenKeys(schema: Text, tables: List<'text'>): Call<ListBrokenKeysRow> {
  return { statement: LIST_BROKEN_KEYS, values: [schema, tables] }
}

export interface ListDeadRowsRow {
  readonly name: string | null
  readonly live: number | null
  readonly dead: number | null
  readonly lastVacuum: Date | null
}

const LIST_DEAD_ROWS: TypedStatement<ListDeadRowsRow> = {
  path: 'doctor/list-dead-rows',
  daily: false,
  columns: ['name', 'live', 'dead', 'last_vacuum'],
  decode: (row) => ({
    name: orNull(text, row[0]),
    live: orNull(number, row[1]),
    dead: orNull(number, row[2]),
    lastVacuum: orNull(date, row[3]),
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
  readonly connections: number | null
  readonly roleLimit: number | null
  readonly databaseLimit: number | null
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
    connections: orNull(number, row[0]),
    roleLimit: orNull(number, row[1]),
    databaseLimit: orNull(number, row[2]),
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
  readonly role: string | null
  readonly superuser: boolean | null
  readonly schemaExists: boolean | null
  readonly mayUse: boolean | null
  readonly mayCreate: boolean | null
  readonly tables: number | null
  readonly unusable: number | null
  readonly unowned: number | null
}

const READ_PRIVILEGES: TypedStatement<ReadPrivilegesRow> = {
  path: 'doctor/read-privileges',
  daily: false,
  columns: ['role', 'superuser', 'schema_exists', 'may_use', 'may_create', 'tables', 'unusable', 'unowned'],
  decode: (row) => ({
    role: orNull(text, row[0]),
    superuser: orNull(boolean, row[1]),
    schemaExists: orNull(boolean, row[2]),
    mayUse: orNull(boolean, row[3]),
    mayCreate: orNull(boolean, row[4]),
    tables: orNull(number, row[5]),
    unusable: orNull(number, row[6]),
    unowned: orNull(number, row[7]),
  }),
}

/** The privileges of the current role in the schema. */
export function readPrivileges(schema: Text): Call<ReadPrivilegesRow> {
  return { statement: READ_PRIVILEGES, values: [schema] }
}

export interface ReadRowSecurityRow {
  readonly role: boolean | null
  readonly member: boolean | null
  readonly strong: boolean | null
  readonly open: number | null
}

const READ_ROW_SECURITY: TypedStatement<ReadRowSecurityRow> = {
  path: 'doctor/read-row-security',
  daily: false,
  columns: ['role', 'member', 'strong', 'open'],
  decode: (row) => ({
    role: orNull(boolean, row[0]),
    member: orNull(boolean, row[1]),
    strong: orNull(boolean, row[2]),
    open: orNull(number, row[3]),
  }),
}

/** Whether the tenant role exists, whether this role is a member of it, whether it is too powerful,
 * and whether every tenant table has its policy. */
export function readRowSecurity(schema: Text): Call<ReadRowSecurityRow> {
  return { statement: READ_ROW_SECURITY, values: [schema] }
}

export interface ReadSettingsRow {
  readonly versionNum: string | null
  readonly version: string | null
  readonly inRecovery: boolean | null
  readonly timeline: string | null
  readonly startedAt: Date | null
  readonly dataChecksums: string | null
  readonly readOnly: string | null
  readonly fsync: string | null
  readonly fullPageWrites: string | null
  readonly synchronousCommit: string | null
  readonly standbyNames: string | null
  readonly autovacuum: string | null
  readonly trackCounts: string | null
  readonly maxConnections: string | null
  readonly reserved: number | null
  readonly maxLocks: string | null
  readonly maxPrepared: string | null
  readonly statementTimeoutMs: string | null
  readonly standbys: number | null
}

const READ_SETTINGS: TypedStatement<ReadSettingsRow> = {
  path: 'doctor/read-settings',
  daily: false,
  columns: ['version_num', 'version', 'in_recovery', 'timeline', 'started_at', 'data_checksums', 'read_only', 'fsync', 'full_page_writes', 'synchronous_commit', 'standby_names', 'autovacuum', 'track_counts', 'max_connections', 'reserved', 'max_locks', 'max_prepared', 'statement_timeout_ms', 'standbys'],
  decode: (row) => ({
    versionNum: orNull(text, row[0]),
    version: orNull(text, row[1]),
    inRecovery: orNull(boolean, row[2]),
    timeline: orNull(text, row[3]),
    startedAt: orNull(date, row[4]),
    dataChecksums: orNull(text, row[5]),
    readOnly: orNull(text, row[6]),
    fsync: orNull(text, row[7]),
    fullPageWrites: orNull(text, row[8]),
    synchronousCommit: orNull(text, row[9]),
    standbyNames: orNull(text, row[10]),
    autovacuum: orNull(text, row[11]),
    trackCounts: orNull(text, row[12]),
    maxConnections: orNull(text, row[13]),
    reserved: orNull(number, row[14]),
    maxLocks: orNull(text, row[15]),
    maxPrepared: orNull(text, row[16]),
    statementTimeoutMs: orNull(text, row[17]),
    standbys: orNull(number, row[18]),
  }),
}

/** The server settings that the guarantees depend on, and the server's identity. */
export function readSettings(): Call<ReadSettingsRow> {
  return { statement: READ_SETTINGS, values: [] }
}

// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { Scope } from '@punctual/core/identity'
import { boolean, date, number, orNull, text, texts } from '../sql/cells.ts'
import type { Big, Bool, Call, List, Num, Text, Timestamp, TypedStatement } from '../sql/typed.ts'

export interface FindApiKeyRow {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly tenantId: number | null
  readonly tenantName: string | null
  readonly scopes: Scope[]
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedBy: string | null
  readonly rotatedTo: string | null
  readonly lastUsedAt: Date | null
}

const FIND_API_KEY: TypedStatement<FindApiKeyRow> = {
  path: 'api-keys/find-api-key',
  daily: false,
  columns: ['id', 'name', 'prefix', 'tenant_id', 'tenant_name', 'scopes', 'created_at', 'created_by', 'expires_at', 'revoked_at', 'revoked_by', 'rotated_to', 'last_used_at'],
  decode: (row) => ({
    id: text(row[0]),
    name: text(row[1]),
    prefix: text(row[2]),
    tenantId: orNull(number, row[3]),
    tenantName: orNull(text, row[4]),
    scopes: texts(row[5]) as Scope[],
    createdAt: date(row[6]),
    createdBy: orNull(text, row[7]),
    expiresAt: orNull(date, row[8]),
    revokedAt: orNull(date, row[9]),
    revokedBy: orNull(text, row[10]),
    rotatedTo: orNull(text, row[11]),
    lastUsedAt: orNull(date, row[12]),
  }),
}

/** An API key by its id, of one tenant or of any. */
export function findApiKey(id: Text, tenant: Num): Call<FindApiKeyRow> {
  return { statement: FIND_API_KEY, values: [id, tenant] }
}

export interface FindSystemKeyRow {
  readonly found: boolean
}

const FIND_SYSTEM_KEY: TypedStatement<FindSystemKeyRow> = {
  path: 'api-keys/find-system-key',
  daily: false,
  columns: ['found'],
  decode: (row) => ({
    found: boolean(row[0]),
  }),
}

/** Whether the installation has, or ever had, an API key. */
export function findSystemKey(): Call<FindSystemKeyRow> {
  return { statement: FIND_SYSTEM_KEY, values: [] }
}

export interface InsertApiKeyRow {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly tenantId: number | null
  readonly tenantName: string | null
  readonly scopes: Scope[]
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedBy: string | null
  readonly rotatedTo: string | null
  readonly lastUsedAt: Date | null
}

const INSERT_API_KEY: TypedStatement<InsertApiKeyRow> = {
  path: 'api-keys/insert-api-key',
  daily: false,
  columns: ['id', 'name', 'prefix', 'tenant_id', 'tenant_name', 'scopes', 'created_at', 'created_by', 'expires_at', 'revoked_at', 'revoked_by', 'rotated_to', 'last_used_at'],
  decode: (row) => ({
    id: text(row[0]),
    name: text(row[1]),
    prefix: text(row[2]),
    tenantId: orNull(number, row[3]),
    tenantName: orNull(text, row[4]),
    scopes: texts(row[5]) as Scope[],
    createdAt: date(row[6]),
    createdBy: orNull(text, row[7]),
    expiresAt: orNull(date, row[8]),
    revokedAt: orNull(date, row[9]),
    revokedBy: orNull(text, row[10]),
    rotatedTo: orNull(text, row[11]),
    lastUsedAt: orNull(date, row[12]),
  }),
}

/** Creates an API key, unless its prefix exists or the tenant has reached its limit of keys. */
export function insertApiKey(tenant: Num, name: Text, prefix: Text, hashInHexadecimal: Text, scopes: List<'text'>, expiresAt: Timestamp, whoCreatedIt: Text, mostKeysOfTenant: Big): Call<InsertApiKeyRow> {
  return { statement: INSERT_API_KEY, values: [tenant, name, prefix, hashInHexadecimal, scopes, expiresAt, whoCreatedIt, mostKeysOfTenant] }
}

export interface ListApiKeysRow {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly tenantId: number | null
  readonly tenantName: string | null
  readonly scopes: Scope[]
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedBy: string | null
  readonly rotatedTo: string | null
  readonly lastUsedAt: Date | null
}

const LIST_API_KEYS: TypedStatement<ListApiKeysRow> = {
  path: 'api-keys/list-api-keys',
  daily: false,
  columns: ['id', 'name', 'prefix', 'tenant_id', 'tenant_name', 'scopes', 'created_at', 'created_by', 'expires_at', 'revoked_at', 'revoked_by', 'rotated_to', 'last_used_at'],
  decode: (row) => ({
    id: text(row[0]),
    name: text(row[1]),
    prefix: text(row[2]),
    tenantId: orNull(number, row[3]),
    tenantName: orNull(text, row[4]),
    scopes: texts(row[5]) as Scope[],
    createdAt: date(row[6]),
    createdBy: orNull(text, row[7]),
    expiresAt: orNull(date, row[8]),
    revokedAt: orNull(date, row[9]),
    revokedBy: orNull(text, row[10]),
    rotatedTo: orNull(text, row[11]),
    lastUsedAt: orNull(date, row[12]),
  }),
}

/** API keys of a tenant, of the installation, or all of them; oldest first. */
export function listApiKeys(tenant: Num, onlyThoseOfInstallation: Bool, afterThisId: Text, mostRows: Num): Call<ListApiKeysRow> {
  return { statement: LIST_API_KEYS, values: [tenant, onlyThoseOfInstallation, afterThisId, mostRows] }
}

const NOTE_USES: TypedStatement<null> = {
  path: 'api-keys/note-uses',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Records that API keys were used, at most once a minute per key across all nodes. */
export function noteUses(ids: List<'uuid'>): Call<null> {
  return { statement: NOTE_USES, values: [ids] }
}

export interface RecogniseApiKeyRow {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly scopes: Scope[]
  readonly expiresMs: number | null
  readonly revoked: boolean
  readonly tenantId: number | null
  readonly tenantName: string | null
  readonly suspended: boolean
  readonly erased: boolean
}

const RECOGNISE_API_KEY: TypedStatement<RecogniseApiKeyRow> = {
  path: 'api-keys/recognise-api-key',
  daily: false,
  columns: ['id', 'name', 'hash', 'scopes', 'expires_ms', 'revoked', 'tenant_id', 'tenant_name', 'suspended', 'erased'],
  decode: (row) => ({
    id: text(row[0]),
    name: text(row[1]),
    hash: text(row[2]),
    scopes: texts(row[3]) as Scope[],
    expiresMs: orNull(number, row[4]),
    revoked: boolean(row[5]),
    tenantId: orNull(number, row[6]),
    tenantName: orNull(text, row[7]),
    suspended: boolean(row[8]),
    erased: boolean(row[9]),
  }),
}

/** Everything needed to authenticate a caller: an API key by its prefix, and its tenant. */
export function recogniseApiKey(prefix: Text): Call<RecogniseApiKeyRow> {
  return { statement: RECOGNISE_API_KEY, values: [prefix] }
}

export interface RevokeApiKeyRow {
  readonly id: string
}

const REVOKE_API_KEY: TypedStatement<RevokeApiKeyRow> = {
  path: 'api-keys/revoke-api-key',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: text(row[0]),
  }),
}

/** Revokes an API key; a revoked key stays unchanged. */
export function revokeApiKey(id: Text, tenant: Num, whoRevokedIt: Text): Call<RevokeApiKeyRow> {
  return { statement: REVOKE_API_KEY, values: [id, tenant, whoRevokedIt] }
}

export interface RotateApiKeyRow {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly tenantId: number | null
  readonly tenantName: string | null
  readonly scopes: Scope[]
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly revokedBy: string | null
  readonly rotatedTo: string | null
  readonly lastUsedAt: Date | null
}

const ROTATE_API_KEY: TypedStatement<RotateApiKeyRow> = {
  path: 'api-keys/rotate-api-key',
  daily: false,
  columns: ['id', 'name', 'prefix', 'tenant_id', 'tenant_name', 'scopes', 'created_at', 'created_by', 'expires_at', 'revoked_at', 'revoked_by', 'rotated_to', 'last_used_at'],
  decode: (row) => ({
    id: text(row[0]),
    name: text(row[1]),
    prefix: text(row[2]),
    tenantId: orNull(number, row[3]),
    tenantName: orNull(text, row[4]),
    scopes: texts(row[5]) as Scope[],
    createdAt: date(row[6]),
    createdBy: orNull(text, row[7]),
    expiresAt: orNull(date, row[8]),
    revokedAt: orNull(date, row[9]),
    revokedBy: orNull(text, row[10]),
    rotatedTo: orNull(text, row[11]),
    lastUsedAt: orNull(date, row[12]),
  }),
}

/** Creates an API key that replaces another one, which expires after an overlap. By default the new
 * key is valid for as long as the old one was. */
export function rotateApiKey(id: Text, tenant: Num, prefix: Text, hashInHexadecimal: Text, overlapInMs: Big, expiresAt: Timestamp, whoRotatedIt: Text): Call<RotateApiKeyRow> {
  return { statement: ROTATE_API_KEY, values: [id, tenant, prefix, hashInHexadecimal, overlapInMs, expiresAt, whoRotatedIt] }
}

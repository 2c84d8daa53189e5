// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { date, number, orNull, text } from '../sql/cells.ts'
import type { Big, Call, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface DeleteSecretRow {
  readonly version: number
}

const DELETE_SECRET: TypedStatement<DeleteSecretRow> = {
  path: 'secrets/delete-secret',
  daily: false,
  columns: ['version'],
  decode: (row) => ({
    version: number(row[0]),
  }),
}

/** Removes a secret. */
export function deleteSecret(tenant: Num, name: Text): Call<DeleteSecretRow> {
  return { statement: DELETE_SECRET, values: [tenant, name] }
}

export interface FindSecretRow {
  readonly version: number
  readonly keyId: string
  readonly nonce: string
  readonly ciphertext: string
}

const FIND_SECRET: TypedStatement<FindSecretRow> = {
  path: 'secrets/find-secret',
  daily: false,
  columns: ['version', 'key_id', 'nonce', 'ciphertext'],
  decode: (row) => ({
    version: number(row[0]),
    keyId: text(row[1]),
    nonce: text(row[2]),
    ciphertext: text(row[3]),
  }),
}

/** A secret as it is stored. */
export function findSecret(tenant: Num, name: Text): Call<FindSecretRow> {
  return { statement: FIND_SECRET, values: [tenant, name] }
}

export interface ListOutdatedRow {
  readonly tenantId: number
  readonly name: string
  readonly version: number
  readonly keyId: string
  readonly nonce: string
  readonly ciphertext: string
}

const LIST_OUTDATED: TypedStatement<ListOutdatedRow> = {
  path: 'secrets/list-outdated',
  daily: false,
  columns: ['tenant_id', 'name', 'version', 'key_id', 'nonce', 'ciphertext'],
  decode: (row) => ({
    tenantId: number(row[0]),
    name: text(row[1]),
    version: number(row[2]),
    keyId: text(row[3]),
    nonce: text(row[4]),
    ciphertext: text(row[5]),
  }),
}

/** Secrets of all tenants that are encrypted with a master key other than the current one. */
export function listOutdated(currentKeyId: Text, afterThisTenant: Num, thisName: Text, mostRows: Num): Call<ListOutdatedRow> {
  return { statement: LIST_OUTDATED, values: [currentKeyId, afterThisTenant, thisName, mostRows] }
}

export interface ListSecretsRow {
  readonly name: string
  readonly version: number
  readonly keyId: string
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly updatedAt: Date
  readonly updatedBy: string | null
}

const LIST_SECRETS: TypedStatement<ListSecretsRow> = {
  path: 'secrets/list-secrets',
  daily: false,
  columns: ['name', 'version', 'key_id', 'created_at', 'created_by', 'updated_at', 'updated_by'],
  decode: (row) => ({
    name: text(row[0]),
    version: number(row[1]),
    keyId: text(row[2]),
    createdAt: date(row[3]),
    createdBy: orNull(text, row[4]),
    updatedAt: date(row[5]),
    updatedBy: orNull(text, row[6]),
  }),
}

/** Lists the secrets of a tenant without their values, and so needs no master key. */
export function listSecrets(tenant: Num): Call<ListSecretsRow> {
  return { statement: LIST_SECRETS, values: [tenant] }
}

export interface RecryptSecretRow {
  readonly version: number
}

const RECRYPT_SECRET: TypedStatement<RecryptSecretRow> = {
  path: 'secrets/recrypt-secret',
  daily: false,
  columns: ['version'],
  decode: (row) => ({
    version: number(row[0]),
  }),
}

/** Replaces the ciphertext of a secret, encrypted with another master key, unless the secret has
 * changed meanwhile. */
export function recryptSecret(tenant: Num, name: Text, version: Num, keyId: Text, nonce: Text, ciphertextInHexadecimal: Text, keyIdBefore: Text): Call<RecryptSecretRow> {
  return { statement: RECRYPT_SECRET, values: [tenant, name, version, keyId, nonce, ciphertextInHexadecimal, keyIdBefore] }
}

export interface SetSecretRow {
  readonly version: number
}

const SET_SECRET: TypedStatement<SetSecretRow> = {
  path: 'secrets/set-secret',
  daily: false,
  columns: ['version'],
  decode: (row) => ({
    version: number(row[0]),
  }),
}

/** Stores a new value if the secret still has the version that was read: the ciphertext contains the
 * next version. */
export function setSecret(tenant: Num, name: Text, versionBefore: Num, keyId: Text, nonceAnd: Text, ciphertextInHexadecimal: Text, whoSetIt: Text, mostSecretsOfTenant: Big): Call<SetSecretRow> {
  return { statement: SET_SECRET, values: [tenant, name, versionBefore, keyId, nonceAnd, ciphertextInHexadecimal, whoSetIt, mostSecretsOfTenant] }
}

// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { ActorKind } from '@punctual/core/audit'
import { boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import type { Big, Call, List, Num, Text, Timestamp, TypedStatement } from '../sql/typed.ts'

export interface AdvanceHeadsRow {
  readonly chain: number
}

const ADVANCE_HEADS: TypedStatement<AdvanceHeadsRow> = {
  path: 'audit-log/advance-heads',
  daily: false,
  columns: ['chain'],
  decode: (row) => ({
    chain: number(row[0]),
  }),
}

/** Advances the heads of chains that have grown. */
export function advanceHeads(chains: List<'int4'>, positions: List<'int8'>, hashesInHexadecimal: List<'text'>): Call<AdvanceHeadsRow> {
  return { statement: ADVANCE_HEADS, values: [chains, positions, hashesInHexadecimal] }
}

export interface AllowErasingRow {
  readonly tenant: string | null
  readonly locked: string | null
}

const ALLOW_ERASING: TypedStatement<AllowErasingRow> = {
  path: 'audit-log/allow-erasing',
  daily: false,
  columns: ['tenant', 'locked'],
  decode: (row) => ({
    tenant: orNull(text, row[0]),
    locked: orNull(text, row[1]),
  }),
}

/** Allows this transaction to delete the entries of a tenant, and keeps sealers out meanwhile. */
export function allowErasing(tenant: Num): Call<AllowErasingRow> {
  return { statement: ALLOW_ERASING, values: [tenant] }
}

export interface EraseEntriesRow {
  readonly entries: number
  readonly seq: number | null
  readonly hash: string | null
}

const ERASE_ENTRIES: TypedStatement<EraseEntriesRow> = {
  path: 'audit-log/erase-entries',
  daily: false,
  columns: ['entries', 'seq', 'hash'],
  decode: (row) => ({
    entries: number(row[0]),
    seq: orNull(number, row[1]),
    hash: orNull(text, row[2]),
  }),
}

/** Deletes all entries of a tenant and their chain. Requires allow-erasing before it in the same
 * transaction. */
export function eraseEntries(tenant: Num): Call<EraseEntriesRow> {
  return { statement: ERASE_ENTRIES, values: [tenant] }
}

export interface FindHeadsRow {
  readonly chain: number
  readonly seq: number
  readonly hash: string
}

const FIND_HEADS: TypedStatement<FindHeadsRow> = {
  path: 'audit-log/find-heads',
  daily: false,
  columns: ['chain', 'seq', 'hash'],
  decode: (row) => ({
    chain: number(row[0]),
    seq: number(row[1]),
    hash: text(row[2]),
  }),
}

/** The heads of chains that are about to grow. */
export function findHeads(chains: List<'int4'>): Call<FindHeadsRow> {
  return { statement: FIND_HEADS, values: [chains] }
}

export interface FindStraysRow {
  readonly chain: number
  readonly kind: 'added' | 'removed'
  readonly entries: number
  readonly first: string
}

const FIND_STRAYS: TypedStatement<FindStraysRow> = {
  path: 'audit-log/find-strays',
  daily: false,
  columns: ['chain', 'kind', 'entries', 'first'],
  decode: (row) => ({
    chain: number(row[0]),
    kind: text(row[1]) as 'added' | 'removed',
    entries: number(row[2]),
    first: text(row[3]),
  }),
}

/** Two signs of tampering. Added: entries that are neither sealed nor waiting to be sealed. Removed:
 * entries that wait to be sealed but no longer exist. */
export function findStrays(chain: Num): Call<FindStraysRow> {
  return { statement: FIND_STRAYS, values: [chain] }
}

export interface FindUnsealedRow {
  readonly waiting: boolean
}

const FIND_UNSEALED: TypedStatement<FindUnsealedRow> = {
  path: 'audit-log/find-unsealed',
  daily: false,
  columns: ['waiting'],
  decode: (row) => ({
    waiting: boolean(row[0]),
  }),
}

/** Whether any entry waits to be sealed. */
export function findUnsealed(): Call<FindUnsealedRow> {
  return { statement: FIND_UNSEALED, values: [] }
}

export interface InsertEntriesRow {
  readonly entryId: string
}

const INSERT_ENTRIES: TypedStatement<InsertEntriesRow> = {
  path: 'audit-log/insert-entries',
  daily: false,
  columns: ['entry_id'],
  decode: (row) => ({
    entryId: text(row[0]),
  }),
}

/** Inserts entries and marks them as unsealed, in one statement. */
export function insertEntries(jSON: Text): Call<InsertEntriesRow> {
  return { statement: INSERT_ENTRIES, values: [jSON] }
}

export interface InsertSealsRow {
  readonly entryId: string
}

const INSERT_SEALS: TypedStatement<InsertSealsRow> = {
  path: 'audit-log/insert-seals',
  daily: false,
  columns: ['entry_id'],
  decode: (row) => ({
    entryId: text(row[0]),
  }),
}

/** Seals entries: gives them their positions in the chain. */
export function insertSeals(chains: List<'int4'>, positions: List<'int8'>, entries: List<'uuid'>, contents: List<'text'>, hashesInHexadecimal: List<'text'>): Call<InsertSealsRow> {
  return { statement: INSERT_SEALS, values: [chains, positions, entries, contents, hashesInHexadecimal] }
}

export interface ListAllEntriesRow {
  readonly id: string
  readonly tenantId: number | null
  readonly atUs: number
  readonly actorKind: ActorKind
  readonly actorId: string | null
  readonly actorName: string | null
  readonly action: string
  readonly targetKind: string
  readonly targetId: string | null
  readonly targetName: string | null
  readonly before: unknown
  readonly after: unknown
  readonly sourceIp: string | null
  readonly requestId: string | null
  readonly note: string | null
  readonly seq: number | null
  readonly hash: string | null
}

const LIST_ALL_ENTRIES: TypedStatement<ListAllEntriesRow> = {
  path: 'audit-log/list-all-entries',
  daily: false,
  columns: ['id', 'tenant_id', 'at_us', 'actor_kind', 'actor_id', 'actor_name', 'action', 'target_kind', 'target_id', 'target_name', 'before', 'after', 'source_ip', 'request_id', 'note', 'seq', 'hash'],
  decode: (row) => ({
    id: text(row[0]),
    tenantId: orNull(number, row[1]),
    atUs: number(row[2]),
    actorKind: text(row[3]) as ActorKind,
    actorId: orNull(text, row[4]),
    actorName: orNull(text, row[5]),
    action: text(row[6]),
    targetKind: text(row[7]),
    targetId: orNull(text, row[8]),
    targetName: orNull(text, row[9]),
    before: orNull(json, row[10]),
    after: orNull(json, row[11]),
    sourceIp: orNull(text, row[12]),
    requestId: orNull(text, row[13]),
    note: orNull(text, row[14]),
    seq: orNull(number, row[15]),
    hash: orNull(text, row[16]),
  }),
}

/** Entries of all chains together, newest first; otherwise like list-entries. */
export function listAllEntries(fromThisId: Text, beforeThisId: Text, from: Timestamp, p4: Timestamp, action: Text, kindOfTarget: Text, itsIdOrName: Text, idOrNameOf: Text, mostRows: Num): Call<ListAllEntriesRow> {
  return { statement: LIST_ALL_ENTRIES, values: [fromThisId, beforeThisId, from, p4, action, kindOfTarget, itsIdOrName, idOrNameOf, mostRows] }
}

export interface ListEntriesRow {
  readonly id: string
  readonly tenantId: number | null
  readonly atUs: number
  readonly actorKind: ActorKind
  readonly actorId: string | null
  readonly actorName: string | null
  readonly action: string
  readonly targetKind: string
  readonly targetId: string | null
  readonly targetName: string | null
  readonly before: unknown
  readonly after: unknown
  readonly sourceIp: string | null
  readonly requestId: string | null
  readonly note: string | null
  readonly seq: number | null
  readonly hash: string | null
}

const LIST_ENTRIES: TypedStatement<ListEntriesRow> = {
  path: 'audit-log/list-entries',
  daily: false,
  columns: ['id', 'tenant_id', 'at_us', 'actor_kind', 'actor_id', 'actor_name', 'action', 'target_kind', 'target_id', 'target_name', 'before', 'after', 'source_ip', 'request_id', 'note', 'seq', 'hash'],
  decode: (row) => ({
    id: text(row[0]),
    tenantId: orNull(number, row[1]),
    atUs: number(row[2]),
    actorKind: text(row[3]) as ActorKind,
    actorId: orNull(text, row[4]),
    actorName: orNull(text, row[5]),
    action: text(row[6]),
    targetKind: text(row[7]),
    targetId: orNull(text, row[8]),
    targetName: orNull(text, row[9]),
    before: orNull(json, row[10]),
    after: orNull(json, row[11]),
    sourceIp: orNull(text, row[12]),
    requestId: orNull(text, row[13]),
    note: orNull(text, row[14]),
    seq: orNull(number, row[15]),
    hash: orNull(text, row[16]),
  }),
}

/** Entries of one chain, newest first. */
export function listEntries(chain: Num, fromThisId: Text, beforeThisId: Text, from: Timestamp, p5: Timestamp, action: Text, kindOfTarget: Text, itsIdOrName: Text, idOrNameOf: Text, mostRows: Num): Call<ListEntriesRow> {
  return { statement: LIST_ENTRIES, values: [chain, fromThisId, beforeThisId, from, p5, action, kindOfTarget, itsIdOrName, idOrNameOf, mostRows] }
}

export interface ListHeadsRow {
  readonly chain: number
  readonly seq: number | null
  readonly hash: string | null
  readonly sealedAt: Date | null
  readonly seals: number
  readonly last: number
  readonly waiting: number
}

const LIST_HEADS: TypedStatement<ListHeadsRow> = {
  path: 'audit-log/list-heads',
  daily: false,
  columns: ['chain', 'seq', 'hash', 'sealed_at', 'seals', 'last', 'waiting'],
  decode: (row) => ({
    chain: number(row[0]),
    seq: orNull(number, row[1]),
    hash: orNull(text, row[2]),
    sealedAt: orNull(date, row[3]),
    seals: number(row[4]),
    last: number(row[5]),
    waiting: number(row[6]),
  }),
}

/** The existing chains, in one snapshot: their heads, how many entries they have, and how many of
 * those wait to be sealed. */
export function listHeads(chain: Num): Call<ListHeadsRow> {
  return { statement: LIST_HEADS, values: [chain] }
}

export interface ListSealedRow {
  readonly seq: number
  readonly entryId: string
  readonly content: string
  readonly hash: string
  readonly id: string | null
  readonly tenantId: string | null
  readonly atUs: string | null
  readonly actorKind: ActorKind | null
  readonly actorId: string | null
  readonly actorName: string | null
  readonly action: string | null
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly targetName: string | null
  readonly before: string | null
  readonly after: string | null
  readonly sourceIp: string | null
  readonly requestId: string | null
  readonly note: string | null
}

const LIST_SEALED: TypedStatement<ListSealedRow> = {
  path: 'audit-log/list-sealed',
  daily: false,
  columns: ['seq', 'entry_id', 'content', 'hash', 'id', 'tenant_id', 'at_us', 'actor_kind', 'actor_id', 'actor_name', 'action', 'target_kind', 'target_id', 'target_name', 'before', 'after', 'source_ip', 'request_id', 'note'],
  decode: (row) => ({
    seq: number(row[0]),
    entryId: text(row[1]),
    content: text(row[2]),
    hash: text(row[3]),
    id: orNull(text, row[4]),
    tenantId: orNull(text, row[5]),
    atUs: orNull(text, row[6]),
    actorKind: orNull(text, row[7]) as ActorKind | null,
    actorId: orNull(text, row[8]),
    actorName: orNull(text, row[9]),
    action: orNull(text, row[10]),
    targetKind: orNull(text, row[11]),
    targetId: orNull(text, row[12]),
    targetName: orNull(text, row[13]),
    before: orNull(text, row[14]),
    after: orNull(text, row[15]),
    sourceIp: orNull(text, row[16]),
    requestId: orNull(text, row[17]),
    note: orNull(text, row[18]),
  }),
}

/** A page of a chain with the entries that it seals; the fields of a removed entry are null. */
export function listSealed(chain: Num, afterThisPosition: Big, upToThisPosition: Big, mostRows: Num): Call<ListSealedRow> {
  return { statement: LIST_SEALED, values: [chain, afterThisPosition, upToThisPosition, mostRows] }
}

export interface ListUnsealedRow {
  readonly chain: number
  readonly id: string
  readonly tenantId: string | null
  readonly atUs: string | null
  readonly actorKind: ActorKind
  readonly actorId: string | null
  readonly actorName: string | null
  readonly action: string
  readonly targetKind: string
  readonly targetId: string | null
  readonly targetName: string | null
  readonly before: string | null
  readonly after: string | null
  readonly sourceIp: string | null
  readonly requestId: string | null
  readonly note: string | null
}

const LIST_UNSEALED: TypedStatement<ListUnsealedRow> = {
  path: 'audit-log/list-unsealed',
  daily: false,
  columns: ['chain', 'id', 'tenant_id', 'at_us', 'actor_kind', 'actor_id', 'actor_name', 'action', 'target_kind', 'target_id', 'target_name', 'before', 'after', 'source_ip', 'request_id', 'note'],
  decode: (row) => ({
    chain: number(row[0]),
    id: text(row[1]),
    tenantId: orNull(text, row[2]),
    atUs: orNull(text, row[3]),
    actorKind: text(row[4]) as ActorKind,
    actorId: orNull(text, row[5]),
    actorName: orNull(text, row[6]),
    action: text(row[7]),
    targetKind: text(row[8]),
    targetId: orNull(text, row[9]),
    targetName: orNull(text, row[10]),
    before: orNull(text, row[11]),
    after: orNull(text, row[12]),
    sourceIp: orNull(text, row[13]),
    requestId: orNull(text, row[14]),
    note: orNull(text, row[15]),
  }),
}

/** Entries that are not sealed yet, in the order in which they will be sealed. */
export function listUnsealed(mostRows: Num): Call<ListUnsealedRow> {
  return { statement: LIST_UNSEALED, values: [mostRows] }
}

export interface TrySealingRow {
  readonly locked: boolean
}

const TRY_SEALING: TypedStatement<TrySealingRow> = {
  path: 'audit-log/try-sealing',
  daily: false,
  columns: ['locked'],
  decode: (row) => ({
    locked: boolean(row[0]),
  }),
}

/** Whether this transaction may seal: only one at a time may, and the others retry later. */
export function trySealing(): Call<TrySealingRow> {
  return { statement: TRY_SEALING, values: [] }
}

// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { number, orNull, text } from '../sql/cells.ts'
import type { Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface FindCommitRow {
  readonly status: string | null
  readonly writtenAt: string | null
}

const FIND_COMMIT: TypedStatement<FindCommitRow> = {
  path: 'requests/find-commit',
  daily: false,
  columns: ['status', 'written_at'],
  decode: (row) => ({
    status: orNull(text, row[0]),
    writtenAt: orNull(text, row[1]),
  }),
}

/** The status of a transaction whose reply was lost. It writes a WAL message, so that its own commit
 * waits for the synchronous standby: otherwise, when a server dies, the commit in question could be
 * visible there before it has reached the standby. */
export function findCommit(transactionId: Text): Call<FindCommitRow> {
  return { statement: FIND_COMMIT, values: [transactionId] }
}

export interface FindRequestsRow {
  readonly key: string
  readonly fingerprint: string
  readonly status: number
  readonly body: string
}

const FIND_REQUESTS: TypedStatement<FindRequestsRow> = {
  path: 'requests/find-requests',
  daily: false,
  columns: ['key', 'fingerprint', 'status', 'body'],
  decode: (row) => ({
    key: text(row[0]),
    fingerprint: text(row[1]),
    status: number(row[2]),
    body: text(row[3]),
  }),
}

/** The stored answers to requests. */
export function findRequests(tenant: Num, keys: List<'text'>): Call<FindRequestsRow> {
  return { statement: FIND_REQUESTS, values: [tenant, keys] }
}

const INSERT_REQUESTS: TypedStatement<null> = {
  path: 'requests/insert-requests',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Stores the answers to requests. */
export function insertRequests(tenant: Num, keys: List<'text'>, fingerprintsInHexadecimal: List<'text'>, statuses: List<'int2'>, bodies: List<'text'>): Call<null> {
  return { statement: INSERT_REQUESTS, values: [tenant, keys, fingerprintsInHexadecimal, statuses, bodies] }
}

export interface LockRequestsRow {
  readonly key: string
}

const LOCK_REQUESTS: TypedStatement<LockRequestsRow> = {
  path: 'requests/lock-requests',
  daily: false,
  columns: ['key'],
  decode: (row) => ({
    key: text(row[0]),
  }),
}

/** Locks idempotency keys for the transaction, without waiting. Stored answers are read by the next
 * statement, whose snapshot includes the commits of the previous holders. */
export function lockRequests(tenant: Num, keys: List<'text'>): Call<LockRequestsRow> {
  return { statement: LOCK_REQUESTS, values: [tenant, keys] }
}

// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { StuckHandler } from '@punctual/core/ports'
import type { FinalState } from '@punctual/core/run'
import { boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import { finalState } from '../sql/run-cells.ts'
import type { Big, Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface CloseSessionRow {
  readonly id: string
}

const CLOSE_SESSION: TypedStatement<CloseSessionRow> = {
  path: 'sessions/close-session',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: text(row[0]),
  }),
}

/** Closes a session without leases, and keeps a record of it. The transaction has to hold the session
 * (lock-session): a claim in progress only shares its lock, and the lease that it commits would be
 * without a session. */
export function closeSession(session: Big): Call<CloseSessionRow> {
  return { statement: CLOSE_SESSION, values: [session] }
}

export interface DrainSessionRow {
  readonly id: string
  readonly changed: boolean
}

const DRAIN_SESSION: TypedStatement<DrainSessionRow> = {
  path: 'sessions/drain-session',
  daily: false,
  columns: ['id', 'changed'],
  decode: (row) => ({
    id: text(row[0]),
    changed: boolean(row[1]),
  }),
}

/** Asks a worker to stop claiming, or to claim again. */
export function drainSession(session: Big, trueToDrain: Bool, tenantThatWorkerMust: Num): Call<DrainSessionRow> {
  return { statement: DRAIN_SESSION, values: [session, trueToDrain, tenantThatWorkerMust] }
}

export interface FindHandlerRow {
  readonly found: boolean
}

const FIND_HANDLER: TypedStatement<FindHandlerRow> = {
  path: 'sessions/find-handler',
  daily: false,
  columns: ['found'],
  decode: (row) => ({
    found: boolean(row[0]),
  }),
}

/** Whether a live worker that serves a tenant has a handler for a queue. */
export function findHandler(handler: Text, queue: Text, tenant: Num): Call<FindHandlerRow> {
  return { statement: FIND_HANDLER, values: [handler, queue, tenant] }
}

export interface FindSessionRow {
  readonly id: string
  readonly tenantId: number | null
  readonly handlers: string[]
  readonly queues: string[]
  readonly leaseMs: number
  readonly drains: boolean
  readonly openMs: number
}

const FIND_SESSION: TypedStatement<FindSessionRow> = {
  path: 'sessions/find-session',
  daily: false,
  columns: ['id', 'tenant_id', 'handlers', 'queues', 'lease_ms', 'drains', 'open_ms'],
  decode: (row) => ({
    id: text(row[0]),
    tenantId: orNull(number, row[1]),
    handlers: json(row[2]) as string[],
    queues: json(row[3]) as string[],
    leaseMs: number(row[4]),
    drains: boolean(row[5]),
    openMs: number(row[6]),
  }),
}

/** An open session, even if its lease has expired. */
export function findSession(session: Big): Call<FindSessionRow> {
  return { statement: FIND_SESSION, values: [session] }
}

export interface ListPastSessionsRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly capacity: number
  readonly handlers: string[]
  readonly queues: string[]
  readonly labels: Readonly<Record<string, string>>
  readonly openedAt: Date
  readonly endedAt: Date
  readonly fenced: boolean
}

const LIST_PAST_SESSIONS: TypedStatement<ListPastSessionsRow> = {
  path: 'sessions/list-past-sessions',
  daily: false,
  columns: ['id', 'host', 'pid', 'version', 'capacity', 'handlers', 'queues', 'labels', 'opened_at', 'ended_at', 'fenced'],
  decode: (row) => ({
    id: text(row[0]),
    host: text(row[1]),
    pid: number(row[2]),
    version: text(row[3]),
    capacity: number(row[4]),
    handlers: json(row[5]) as string[],
    queues: json(row[6]) as string[],
    labels: json(row[7]) as Readonly<Record<string, string>>,
    openedAt: date(row[8]),
    endedAt: date(row[9]),
    fenced: boolean(row[10]),
  }),
}

/** The workers that ended within the last day, latest first. */
export function listPastSessions(id: Big): Call<ListPastSessionsRow> {
  return { statement: LIST_PAST_SESSIONS, values: [id] }
}

export interface ListSessionsRow {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly state: 'active' | 'draining'
  readonly capacity: number
  readonly handlers: string[]
  readonly queues: string[]
  readonly labels: Readonly<Record<string, string>>
  readonly openedAt: Date
  readonly renewedAt: Date
  readonly stuck: StuckHandler[]
  readonly drainAskedAt: Date | null
  readonly alive: boolean
  readonly held: number
  readonly tenantId: number | null
}

const LIST_SESSIONS: TypedStatement<ListSessionsRow> = {
  path: 'sessions/list-sessions',
  daily: false,
  columns: ['id', 'host', 'pid', 'version', 'state', 'capacity', 'handlers', 'queues', 'labels', 'opened_at', 'renewed_at', 'stuck', 'drain_asked_at', 'alive', 'held', 'tenant_id'],
  decode: (row) => ({
    id: text(row[0]),
    host: text(row[1]),
    pid: number(row[2]),
    version: text(row[3]),
    state: text(row[4]) as 'active' | 'draining',
    capacity: number(row[5]),
    handlers: json(row[6]) as string[],
    queues: json(row[7]) as string[],
    labels: json(row[8]) as Readonly<Record<string, string>>,
    openedAt: date(row[9]),
    renewedAt: date(row[10]),
    stuck: json(row[11]) as StuckHandler[],
    drainAskedAt: orNull(date, row[12]),
    alive: boolean(row[13]),
    held: number(row[14]),
    tenantId: orNull(number, row[15]),
  }),
}

/** The connected workers, oldest first. */
export function listSessions(): Call<ListSessionsRow> {
  return { statement: LIST_SESSIONS, values: [] }
}

export interface LockSessionRow {
  readonly id: string
}

const LOCK_SESSION: TypedStatement<LockSessionRow> = {
  path: 'sessions/lock-session',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: text(row[0]),
  }),
}

/** Waits for a claim of the session that is in progress, and keeps the next one out until the
 * transaction ends. Sent before close-session, which then sees the leases of that claim. */
export function lockSession(session: Big): Call<LockSessionRow> {
  return { statement: LOCK_SESSION, values: [session] }
}

export interface OpenSessionRow {
  readonly isLeft: boolean
}

const OPEN_SESSION: TypedStatement<OpenSessionRow> = {
  path: 'sessions/open-session',
  daily: false,
  columns: ['is_left'],
  decode: (row) => ({
    isLeft: boolean(row[0]),
  }),
}

/** Opens the session of a worker process. Repeating it after a lost reply changes nothing, even if
 * the session has ended since: its id is not used again. */
export function openSession(id: Big, leaseInMs: Num, pid: Num, capacity: Num, host: Text, version: Text, handlers: List<'text'>, queues: List<'text'>, labelsJsonb: Text, itDrains: Bool, onlyTenantWhoseRuns: Num, mostSessionsOfThat: Big): Call<OpenSessionRow> {
  return { statement: OPEN_SESSION, values: [id, leaseInMs, pid, capacity, host, version, handlers, queues, labelsJsonb, itDrains, onlyTenantWhoseRuns, mostSessionsOfThat] }
}

export interface RenewSessionRow {
  readonly id: string
  readonly nowMs: number
  readonly drains: boolean
}

const RENEW_SESSION: TypedStatement<RenewSessionRow> = {
  path: 'sessions/renew-session',
  daily: false,
  columns: ['id', 'now_ms', 'drains'],
  decode: (row) => ({
    id: text(row[0]),
    nowMs: number(row[1]),
    drains: boolean(row[2]),
  }),
}

/** Extends the lease of a session. An expired session that was not reaped yet is extended too; a
 * reaped one no longer exists. */
export function renewSession(session: Big): Call<RenewSessionRow> {
  return { statement: RENEW_SESSION, values: [session] }
}

const SET_SESSION_STATE: TypedStatement<null> = {
  path: 'sessions/set-session-state',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Stores the state of a worker and its handlers. */
export function setSessionState(session: Big, state: Text, handlers: List<'text'>, stuckJsonb: Text): Call<null> {
  return { statement: SET_SESSION_STATE, values: [session, state, handlers, stuckJsonb] }
}

export interface SumSessionEndsRow {
  readonly sessionId: string
  readonly state: FinalState
  readonly runs: number
}

const SUM_SESSION_ENDS: TypedStatement<SumSessionEndsRow> = {
  path: 'sessions/sum-session-ends',
  daily: false,
  columns: ['session_id', 'state', 'runs'],
  decode: (row) => ({
    sessionId: text(row[0]),
    state: finalState(row[1]),
    runs: number(row[2]),
  }),
}

/** Ends of runs by session and state in the last hour; older counters are not kept by session. */
export function sumSessionEnds(): Call<SumSessionEndsRow> {
  return { statement: SUM_SESSION_ENDS, values: [] }
}

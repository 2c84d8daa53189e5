// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { boolean, date, number, orNull, text } from '../sql/cells.ts'
import type { Big, Call, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface ListClaimsRow {
  readonly virtualtransaction: string
}

const LIST_CLAIMS: TypedStatement<ListClaimsRow> = {
  path: 'queues/list-claims',
  daily: false,
  columns: ['virtualtransaction'],
  decode: (row) => ({
    virtualtransaction: text(row[0]),
  }),
}

/** Claims in progress. Each locks the table of sessions before it takes its snapshot. So a claim
 * that does not see a committed pause stays in this list until it ends. */
export function listClaims(): Call<ListClaimsRow> {
  return { statement: LIST_CLAIMS, values: [] }
}

export interface ListLimitsRow {
  readonly queue: string | null
  readonly concurrency: number | null
  readonly running: number
  readonly rateLimit: number | null
  readonly ratePerMs: number | null
  readonly rateBurst: number | null
  readonly freeMs: number | null
  readonly ageingMs: number | null
  readonly weight: number | null
  readonly setAt: Date
  readonly setBy: string | null
}

const LIST_LIMITS: TypedStatement<ListLimitsRow> = {
  path: 'queues/list-limits',
  daily: false,
  columns: ['queue', 'concurrency', 'running', 'rate_limit', 'rate_per_ms', 'rate_burst', 'free_ms', 'ageing_ms', 'weight', 'set_at', 'set_by'],
  decode: (row) => ({
    queue: orNull(text, row[0]),
    concurrency: orNull(number, row[1]),
    running: number(row[2]),
    rateLimit: orNull(number, row[3]),
    ratePerMs: orNull(number, row[4]),
    rateBurst: orNull(number, row[5]),
    freeMs: orNull(number, row[6]),
    ageingMs: orNull(number, row[7]),
    weight: orNull(number, row[8]),
    setAt: date(row[9]),
    setBy: orNull(text, row[10]),
  }),
}

/** The limits of a tenant and its queues, and how much of each is in use. */
export function listLimits(tenant: Num): Call<ListLimitsRow> {
  return { statement: LIST_LIMITS, values: [tenant] }
}

export interface ListPausesRow {
  readonly queue: string | null
  readonly pausedAt: Date
  readonly note: string | null
  readonly pausedBy: string | null
}

const LIST_PAUSES: TypedStatement<ListPausesRow> = {
  path: 'queues/list-pauses',
  daily: false,
  columns: ['queue', 'paused_at', 'note', 'paused_by'],
  decode: (row) => ({
    queue: orNull(text, row[0]),
    pausedAt: date(row[1]),
    note: orNull(text, row[2]),
    pausedBy: orNull(text, row[3]),
  }),
}

/** Pauses of a tenant; the pause of its suspension comes first. */
export function listPauses(tenant: Num): Call<ListPausesRow> {
  return { statement: LIST_PAUSES, values: [tenant] }
}

export interface PauseQueueRow {
  readonly pausedAt: Date | null
  readonly isLeft: boolean | null
}

const PAUSE_QUEUE: TypedStatement<PauseQueueRow> = {
  path: 'queues/pause-queue',
  daily: false,
  columns: ['paused_at', 'is_left'],
  decode: (row) => ({
    pausedAt: orNull(date, row[0]),
    isLeft: orNull(boolean, row[1]),
  }),
}

/** Pauses a queue, or all of them. An existing pause keeps its note. Queues need not exist, so the
 * number of pauses is bounded. */
export function pauseQueue(tenant: Num, queue: Text, note: Text, whoPausedIt: Text, mostPausesOfQueues: Big): Call<PauseQueueRow> {
  return { statement: PAUSE_QUEUE, values: [tenant, queue, note, whoPausedIt, mostPausesOfQueues] }
}

export interface RemoveLimitRow {
  readonly id: number
  readonly pgNotify: string | null
}

const REMOVE_LIMIT: TypedStatement<RemoveLimitRow> = {
  path: 'queues/remove-limit',
  daily: false,
  columns: ['id', 'pg_notify'],
  decode: (row) => ({
    id: number(row[0]),
    pgNotify: orNull(text, row[1]),
  }),
}

/** Removes the limits of a queue or of the tenant. */
export function removeLimit(tenant: Num, queue: Text, channelOfHints: Text): Call<RemoveLimitRow> {
  return { statement: REMOVE_LIMIT, values: [tenant, queue, channelOfHints] }
}

export interface ResumeQueueRow {
  readonly pausedAt: Date
}

const RESUME_QUEUE: TypedStatement<ResumeQueueRow> = {
  path: 'queues/resume-queue',
  daily: false,
  columns: ['paused_at'],
  decode: (row) => ({
    pausedAt: date(row[0]),
  }),
}

/** Ends the pause of a queue, or the pause of all queues. Queues that were paused individually stay
 * paused, and so does everything of a suspended tenant. */
export function resumeQueue(tenant: Num, queue: Text): Call<ResumeQueueRow> {
  return { statement: RESUME_QUEUE, values: [tenant, queue] }
}

export interface SetLimitRow {
  readonly id: number
  readonly pgNotify: string | null
}

const SET_LIMIT: TypedStatement<SetLimitRow> = {
  path: 'queues/set-limit',
  daily: false,
  columns: ['id', 'pg_notify'],
  decode: (row) => ({
    id: number(row[0]),
    pgNotify: orNull(text, row[1]),
  }),
}

/** Sets the limits of a queue or the tenant and replaces earlier ones. Running runs count from now
 * on, except runs whose claim is still in progress. Queues need not exist, so the number of rows is
 * bounded. */
export function setLimit(tenant: Num, queue: Text, concurrency: Num, rateLimit: Num, ratePerMs: Big, rateBurst: Num, intervalOfRateIn: Big, ageingInMs: Big, weight: Num, whoSetIt: Text, channelOfHints: Text, mostLimitsOfQueues: Big): Call<SetLimitRow> {
  return { statement: SET_LIMIT, values: [tenant, queue, concurrency, rateLimit, ratePerMs, rateBurst, intervalOfRateIn, ageingInMs, weight, whoSetIt, channelOfHints, mostLimitsOfQueues] }
}

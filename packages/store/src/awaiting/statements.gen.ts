// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { AttemptOutcome, FinalState } from '@punctual/core/run'
import { bigint, boolean, number, orNull, text, texts } from '../sql/cells.ts'
import { attemptOutcome, finalState } from '../sql/run-cells.ts'
import type { Big, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface AddCallbackKeyRow {
  readonly id: number
}

const ADD_CALLBACK_KEY: TypedStatement<AddCallbackKeyRow> = {
  path: 'awaiting/add-callback-key',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: number(row[0]),
  }),
}

/** Creates a key for the tokens of callbacks, unless there is one and it is young enough. */
export function addCallbackKey(secretInHexadecimalDigits: Text, howManySecondsNewest: Num): Call<AddCallbackKeyRow> {
  return { statement: ADD_CALLBACK_KEY, values: [secretInHexadecimalDigits, howManySecondsNewest] }
}

export interface AwaitRunsRow {
  readonly accepted: string[] | null
}

const AWAIT_RUNS: TypedStatement<AwaitRunsRow> = {
  path: 'awaiting/await-runs',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Leaves runs to their targets: their leases stay, with the same fences, and belong to no worker. */
export function awaitRuns(runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, howLongToWait: List<'int8'>, addressesOfTheirStates: List<'text'>): Call<AwaitRunsRow> {
  return { statement: AWAIT_RUNS, values: [runIds, fences, msSinceHandlerWas, howLongToWait, addressesOfTheirStates] }
}

export interface EndWaitingRow {
  readonly runId: string | null
  readonly jobId: string | null
}

const END_WAITING: TypedStatement<EndWaitingRow> = {
  path: 'awaiting/end-waiting',
  daily: false,
  columns: ['run_id', 'job_id'],
  decode: (row) => ({
    runId: orNull(text, row[0]),
    jobId: orNull(text, row[1]),
  }),
}

/** Ends a run that waits for its next attempt, because the target of an earlier attempt reports that
 * it succeeded. That attempt ended without a word of its target: its worker died or was
 * interrupted, or its time was over. */
export function endWaiting(thisProcessSId: Big, run: Text, tenant: Num, numberOfAttempt: Num, output: Text): Call<EndWaitingRow> {
  return { statement: END_WAITING, values: [thisProcessSId, run, tenant, numberOfAttempt, output] }
}

export interface FindAttemptEndRow {
  readonly ended: boolean
  readonly outcome: AttemptOutcome | null
  readonly state: FinalState | null
}

const FIND_ATTEMPT_END: TypedStatement<FindAttemptEndRow> = {
  path: 'awaiting/find-attempt-end',
  daily: false,
  columns: ['ended', 'outcome', 'state'],
  decode: (row) => ({
    ended: boolean(row[0]),
    outcome: orNull(attemptOutcome, row[1]),
    state: orNull(finalState, row[2]),
  }),
}

/** How an attempt of a run ended. */
export function findAttemptEnd(run: Text, tenant: Num, numberOfAttempt: Num): Call<FindAttemptEndRow> {
  return { statement: FIND_ATTEMPT_END, values: [run, tenant, numberOfAttempt] }
}

export interface FindAwaitedRow {
  readonly id: string
  readonly fence: bigint
  readonly lane: number
  readonly tenantId: number
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly attempt: number
  readonly crashes: number
  readonly traits: number
  readonly jobId: string | null
  readonly gate: bigint | null
  readonly limited: boolean
  readonly sessionId: string
  readonly startedAgoMs: number
  readonly cancels: boolean
}

const FIND_AWAITED: TypedStatement<FindAwaitedRow> = {
  path: 'awaiting/find-awaited',
  daily: false,
  columns: ['id', 'fence', 'lane', 'tenant_id', 'handler', 'queue', 'priority', 'attempt', 'crashes', 'traits', 'job_id', 'gate', 'limited', 'session_id', 'started_ago_ms', 'cancels'],
  decode: (row) => ({
    id: text(row[0]),
    fence: bigint(row[1]),
    lane: number(row[2]),
    tenantId: number(row[3]),
    handler: text(row[4]),
    queue: text(row[5]),
    priority: number(row[6]),
    attempt: number(row[7]),
    crashes: number(row[8]),
    traits: number(row[9]),
    jobId: orNull(text, row[10]),
    gate: orNull(bigint, row[11]),
    limited: boolean(row[12]),
    sessionId: text(row[13]),
    startedAgoMs: number(row[14]),
    cancels: boolean(row[15]),
  }),
}

/** The lease of a run, of a worker or of none: a callback may arrive before its 202 is recorded. */
export function findAwaited(run: Text): Call<FindAwaitedRow> {
  return { statement: FIND_AWAITED, values: [run] }
}

export interface ListCallbackKeysRow {
  readonly id: number
  readonly secret: string
}

const LIST_CALLBACK_KEYS: TypedStatement<ListCallbackKeysRow> = {
  path: 'awaiting/list-callback-keys',
  daily: false,
  columns: ['id', 'secret'],
  decode: (row) => ({
    id: number(row[0]),
    secret: text(row[1]),
  }),
}

/** The keys of callback tokens, newest first. */
export function listCallbackKeys(): Call<ListCallbackKeysRow> {
  return { statement: LIST_CALLBACK_KEYS, values: [] }
}

export interface NextWakeRow {
  readonly wakeInMs: number | null
}

const NEXT_WAKE: TypedStatement<NextWakeRow> = {
  path: 'awaiting/next-wake',
  daily: false,
  columns: ['wake_in_ms'],
  decode: (row) => ({
    wakeInMs: orNull(number, row[0]),
  }),
}

/** When the attendant has to look at a run next. */
export function nextWake(): Call<NextWakeRow> {
  return { statement: NEXT_WAKE, values: [] }
}

export interface TakeAwaitingRow {
  readonly id: string
  readonly fence: bigint
  readonly lane: number
  readonly tenantId: number
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly attempt: number
  readonly crashes: number
  readonly traits: number
  readonly jobId: string | null
  readonly gate: bigint | null
  readonly limited: boolean
  readonly startedAgoMs: number
  readonly over: boolean
  readonly statusUrl: string | null
}

const TAKE_AWAITING: TypedStatement<TakeAwaitingRow> = {
  path: 'awaiting/take-awaiting',
  daily: false,
  columns: ['id', 'fence', 'lane', 'tenant_id', 'handler', 'queue', 'priority', 'attempt', 'crashes', 'traits', 'job_id', 'gate', 'limited', 'started_ago_ms', 'over', 'status_url'],
  decode: (row) => ({
    id: text(row[0]),
    fence: bigint(row[1]),
    lane: number(row[2]),
    tenantId: number(row[3]),
    handler: text(row[4]),
    queue: text(row[5]),
    priority: number(row[6]),
    attempt: number(row[7]),
    crashes: number(row[8]),
    traits: number(row[9]),
    jobId: orNull(text, row[10]),
    gate: orNull(bigint, row[11]),
    limited: boolean(row[12]),
    startedAgoMs: number(row[13]),
    over: boolean(row[14]),
    statusUrl: orNull(text, row[15]),
  }),
}

/** Runs whose targets should have reported by now, or whose states are to be looked up. Each is moved
 * on first, so that another process does not look at the same time. */
export function takeAwaiting(mostRuns: Num, inHowManyMs: Big): Call<TakeAwaitingRow> {
  return { statement: TAKE_AWAITING, values: [mostRuns, inHowManyMs] }
}

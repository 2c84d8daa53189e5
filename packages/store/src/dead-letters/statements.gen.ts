// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { FinalState } from '@punctual/core/run'
import { boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import { finalState } from '../sql/run-cells.ts'
import type { Big, Bool, Call, List, Num, Text, Timestamp, TypedStatement } from '../sql/typed.ts'

export interface CloseLettersRow {
  readonly runId: string
}

const CLOSE_LETTERS: TypedStatement<CloseLettersRow> = {
  path: 'dead-letters/close-letters',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Marks open dead letters as handled. */
export function closeLetters(tenant: Num, runIds: List<'uuid'>, handling: Num, runsThatReplayThem: List<'uuid'>, note: Text, whoHandledThem: Text): Call<CloseLettersRow> {
  return { statement: CLOSE_LETTERS, values: [tenant, runIds, handling, runsThatReplayThem, note, whoHandledThem] }
}

export interface CountLettersRow {
  readonly letters: number
  readonly untilAt: string
}

const COUNT_LETTERS: TypedStatement<CountLettersRow> = {
  path: 'dead-letters/count-letters',
  daily: false,
  columns: ['letters', 'until_at'],
  decode: (row) => ({
    letters: number(row[0]),
    untilAt: text(row[1]),
  }),
}

/** The number of open dead letters that match a filter, and until when: runs that die later are not
 * included. */
export function countLetters(p1: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Big, p8: Big): Call<CountLettersRow> {
  return { statement: COUNT_LETTERS, values: [p1, p2, p3, p4, p5, p6, p7, p8] }
}

export interface CountOpenRow {
  readonly queue: string
  readonly letters: number
}

const COUNT_OPEN: TypedStatement<CountOpenRow> = {
  path: 'dead-letters/count-open',
  daily: false,
  columns: ['queue', 'letters'],
  decode: (row) => ({
    queue: text(row[0]),
    letters: number(row[1]),
  }),
}

/** The number of open dead letters per queue. Counting stops at 10,000 per lane, so that it stays
 * cheap. */
export function countOpen(): Call<CountOpenRow> {
  return { statement: COUNT_OPEN, values: [] }
}

export interface FindLettersRow {
  readonly runId: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly jobId: string | null
  readonly job: string | null
  readonly reason: string
  readonly fingerprint: string
  readonly diedAt: Date
  readonly handledAt: Date | null
  readonly handling: number | null
  readonly replayedAs: string | null
  readonly note: string | null
  readonly handledBy: string | null
}

const FIND_LETTERS: TypedStatement<FindLettersRow> = {
  path: 'dead-letters/find-letters',
  daily: false,
  columns: ['run_id', 'handler', 'queue', 'priority', 'job_id', 'job', 'reason', 'fingerprint', 'died_at', 'handled_at', 'handling', 'replayed_as', 'note', 'handled_by'],
  decode: (row) => ({
    runId: text(row[0]),
    handler: text(row[1]),
    queue: text(row[2]),
    priority: number(row[3]),
    jobId: orNull(text, row[4]),
    job: orNull(text, row[5]),
    reason: text(row[6]),
    fingerprint: text(row[7]),
    diedAt: date(row[8]),
    handledAt: orNull(date, row[9]),
    handling: orNull(number, row[10]),
    replayedAs: orNull(text, row[11]),
    note: orNull(text, row[12]),
    handledBy: orNull(text, row[13]),
  }),
}

/** Finds dead letters by the ids of their runs. */
export function findLetters(tenant: Num, runIds: List<'uuid'>): Call<FindLettersRow> {
  return { statement: FIND_LETTERS, values: [tenant, runIds] }
}

export interface GroupLettersRow {
  readonly fingerprint: string
  readonly letters: number
  readonly firstDiedAt: Date
  readonly lastDiedAt: Date
  readonly sample: string
  readonly handlers: string[]
}

const GROUP_LETTERS: TypedStatement<GroupLettersRow> = {
  path: 'dead-letters/group-letters',
  daily: false,
  columns: ['fingerprint', 'letters', 'first_died_at', 'last_died_at', 'sample', 'handlers'],
  decode: (row) => ({
    fingerprint: text(row[0]),
    letters: number(row[1]),
    firstDiedAt: date(row[2]),
    lastDiedAt: date(row[3]),
    sample: text(row[4]),
    handlers: json(row[5]) as string[],
  }),
}

/** Dead letters grouped by cause, the largest cause first. */
export function groupLetters(p1: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Big, p8: Big, onlyHandledOnes: Bool, mostCauses: Num): Call<GroupLettersRow> {
  return { statement: GROUP_LETTERS, values: [p1, p2, p3, p4, p5, p6, p7, p8, onlyHandledOnes, mostCauses] }
}

export interface InsertReplaysRow {
  readonly lane: number
}

const INSERT_REPLAYS: TypedStatement<InsertReplaysRow> = {
  path: 'dead-letters/insert-replays',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Runs that replay others, due now. Each copies the other run and refers to it. A replay of a job's
 * run belongs to the same job and slot, but not to the ledger. If runs of the job must not overlap,
 * it waits its turn: a requested run is neither skipped, nor does it end others. Its end does not
 * decide when the job fires next. The caller takes its key beforehand. */
export function insertReplays(runsToReplay: List<'uuid'>, idsOfNewRuns: List<'uuid'>, otherPayloads: List<'text'>, whoReplaysThem: Text, toContinueFromLast: Bool, firstSequenceNumber: Big): Call<InsertReplaysRow> {
  return { statement: INSERT_REPLAYS, values: [runsToReplay, idsOfNewRuns, otherPayloads, whoReplaysThem, toContinueFromLast, firstSequenceNumber] }
}

export interface ListEndsRow {
  readonly runId: string
  readonly state: FinalState
}

const LIST_ENDS: TypedStatement<ListEndsRow> = {
  path: 'dead-letters/list-ends',
  daily: false,
  columns: ['run_id', 'state'],
  decode: (row) => ({
    runId: text(row[0]),
    state: finalState(row[1]),
  }),
}

/** Final states of those runs that have ended. */
export function listEnds(runIds: List<'uuid'>, smallestId: Text, largestId: Text): Call<ListEndsRow> {
  return { statement: LIST_ENDS, values: [runIds, smallestId, largestId] }
}

export interface ListLastWordsRow {
  readonly runId: string
  readonly attempt: number
  readonly name: string | null
  readonly message: string | null
  readonly isLast: boolean
}

const LIST_LAST_WORDS: TypedStatement<ListLastWordsRow> = {
  path: 'dead-letters/list-last-words',
  daily: false,
  columns: ['run_id', 'attempt', 'name', 'message', 'is_last'],
  decode: (row) => ({
    runId: text(row[0]),
    attempt: number(row[1]),
    name: orNull(text, row[2]),
    message: orNull(text, row[3]),
    isLast: boolean(row[4]),
  }),
}

/** The last errors of dead runs, in the order given. They end where they would exceed a number of
 * bytes, after one run at least. */
export function listLastWords(runIds: List<'uuid'>, smallestId: Text, largestId: Text, mostBytes: Big): Call<ListLastWordsRow> {
  return { statement: LIST_LAST_WORDS, values: [runIds, smallestId, largestId, mostBytes] }
}

export interface ListLettersRow {
  readonly runId: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly jobId: string | null
  readonly job: string | null
  readonly reason: string
  readonly fingerprint: string
  readonly diedAt: Date
  readonly handledAt: Date | null
  readonly handling: number | null
  readonly replayedAs: string | null
  readonly note: string | null
  readonly handledBy: string | null
}

const LIST_LETTERS: TypedStatement<ListLettersRow> = {
  path: 'dead-letters/list-letters',
  daily: false,
  columns: ['run_id', 'handler', 'queue', 'priority', 'job_id', 'job', 'reason', 'fingerprint', 'died_at', 'handled_at', 'handling', 'replayed_as', 'note', 'handled_by'],
  decode: (row) => ({
    runId: text(row[0]),
    handler: text(row[1]),
    queue: text(row[2]),
    priority: number(row[3]),
    jobId: orNull(text, row[4]),
    job: orNull(text, row[5]),
    reason: text(row[6]),
    fingerprint: text(row[7]),
    diedAt: date(row[8]),
    handledAt: orNull(date, row[9]),
    handling: orNull(number, row[10]),
    replayedAs: orNull(text, row[11]),
    note: orNull(text, row[12]),
    handledBy: orNull(text, row[13]),
  }),
}

/** Dead letters, the last to die first, a page at a time. */
export function listLetters(tenant: Num, queue: Text, handler: Text, job: Text, fingerprint: Text, reason: Text, diedFromAnd: Big, diedBeforeInMs: Big, onlyHandledOnes: Bool, afterThisOne: Text, mostRows: Num): Call<ListLettersRow> {
  return { statement: LIST_LETTERS, values: [tenant, queue, handler, job, fingerprint, reason, diedFromAnd, diedBeforeInMs, onlyHandledOnes, afterThisOne, mostRows] }
}

export interface LockLettersRow {
  readonly runId: string
  readonly found: boolean
  readonly key: string | null
}

const LOCK_LETTERS: TypedStatement<LockLettersRow> = {
  path: 'dead-letters/lock-letters',
  daily: false,
  columns: ['run_id', 'found', 'key'],
  decode: (row) => ({
    runId: text(row[0]),
    found: boolean(row[1]),
    key: orNull(text, row[2]),
  }),
}

/** Locks open dead letters until the transaction ends: when two transactions want the same one, the
 * second waits and then finds it handled. Also returns the keys of their runs. */
export function lockLetters(tenant: Num, runIds: List<'uuid'>): Call<LockLettersRow> {
  return { statement: LOCK_LETTERS, values: [tenant, runIds] }
}

export interface PickLettersRow {
  readonly runId: string
}

const PICK_LETTERS: TypedStatement<PickLettersRow> = {
  path: 'dead-letters/pick-letters',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** The next open dead letters that match a filter, the first to die first. */
export function pickLetters(p1: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Big, p8: Big, diedUpToThis: Timestamp, afterThisOne: Text, mostRows: Num): Call<PickLettersRow> {
  return { statement: PICK_LETTERS, values: [p1, p2, p3, p4, p5, p6, p7, p8, diedUpToThis, afterThisOne, mostRows] }
}

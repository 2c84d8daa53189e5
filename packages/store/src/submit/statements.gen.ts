// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { bigint, number, orNull, text } from '../sql/cells.ts'
import type { Big, Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface FindKeysRow {
  readonly key: string
  readonly runId: string
  readonly writtenAt: string | null
}

const FIND_KEYS: TypedStatement<FindKeysRow> = {
  path: 'submit/find-keys',
  daily: false,
  columns: ['key', 'run_id', 'written_at'],
  decode: (row) => ({
    key: text(row[0]),
    runId: text(row[1]),
    writtenAt: orNull(text, row[2]),
  }),
}

/** The live runs that hold these keys. The caller returns these runs, so with a synchronous standby
 * this statement writes to the WAL, for the reason given in find-commit. */
export function findKeys(tenant: Num, keys: List<'text'>): Call<FindKeysRow> {
  return { statement: FIND_KEYS, values: [tenant, keys] }
}

export interface FindRunsRow {
  readonly id: string
  readonly writtenAt: string | null
}

const FIND_RUNS: TypedStatement<FindRunsRow> = {
  path: 'submit/find-runs',
  daily: false,
  columns: ['id', 'written_at'],
  decode: (row) => ({
    id: text(row[0]),
    writtenAt: orNull(text, row[1]),
  }),
}

/** Which runs of a submission exist, because an earlier attempt to submit it has committed. Writes
 * to the WAL, for the reason given in find-commit. */
export function findRuns(ids: List<'uuid'>): Call<FindRunsRow> {
  return { statement: FIND_RUNS, values: [ids] }
}

export interface FindStartedRow {
  readonly runId: string
}

const FIND_STARTED: TypedStatement<FindStartedRow> = {
  path: 'submit/find-started',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Which runs a worker holds or has attempted: these are not replaced. */
export function findStarted(runIds: List<'uuid'>): Call<FindStartedRow> {
  return { statement: FIND_STARTED, values: [runIds] }
}

export interface HintLanesRow {
  readonly pgNotify: string | null
  readonly known: number
}

const HINT_LANES: TypedStatement<HintLanesRow> = {
  path: 'submit/hint-lanes',
  daily: false,
  columns: ['pg_notify', 'known'],
  decode: (row) => ({
    pgNotify: orNull(text, row[0]),
    known: number(row[1]),
  }),
}

/** Notifies workers of new runs when the transaction commits. Also checks that lanes still have the
 * numbers under which the caller knows them: after a fail-over some may be missing, or their
 * numbers may belong to others. */
export function hintLanes(channel: Text, hint: Text, tenant: Num, lanes: List<'int4'>, queues: List<'text'>, handlers: List<'text'>, priorities: List<'int2'>): Call<HintLanesRow> {
  return { statement: HINT_LANES, values: [channel, hint, tenant, lanes, queues, handlers, priorities] }
}

const INSERT_DUE_RUNS: TypedStatement<null> = {
  path: 'submit/insert-due-runs',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Accepts runs that are due now or soon: inserts them and queues them. The common case of
 * insert-runs, without intermediate results: each array is unnested where it is used. */
export function insertDueRuns(ids: List<'uuid'>, payloads: List<'text'>, dueTimesInMs: List<'int8'>, lanes: List<'int4'>, keys: List<'text'>, labels: List<'jsonb'>, laneOfRunsWithout: Num, tenant: Num, maxAttempts: Num, timeoutMs: Num, traits: Num, policy: Text, createdBy: Text, trace: Text, firstSequenceNumber: Big): Call<null> {
  return { statement: INSERT_DUE_RUNS, values: [ids, payloads, dueTimesInMs, lanes, keys, labels, laneOfRunsWithout, tenant, maxAttempts, timeoutMs, traits, policy, createdBy, trace, firstSequenceNumber] }
}

const INSERT_GATED_RUNS: TypedStatement<null> = {
  path: 'submit/insert-gated-runs',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Accepts runs with a concurrency or rate key, whether or not an earlier attempt to submit them has
 * committed: like insert-runs-again, and like that always written to the WAL. A run that is due but
 * certainly cannot start yet waits for its gate at once, so that it is never claimed in vain. */
export function insertGatedRuns(ids: List<'uuid'>, payloads: List<'text'>, dueTimesInMs: List<'int8'>, lanes: List<'int4'>, keys: List<'text'>, labels: List<'jsonb'>, laneOfRunsWithout: Num, tenant: Num, maxAttempts: Num, timeoutMs: Num, traits: Num, policy: Text, createdBy: Text, trace: Text, firstSequenceNumber: Big, horizonInMs: Big, flows: List<'jsonb'>, runsMayWaitFor: Bool): Call<null> {
  return { statement: INSERT_GATED_RUNS, values: [ids, payloads, dueTimesInMs, lanes, keys, labels, laneOfRunsWithout, tenant, maxAttempts, timeoutMs, traits, policy, createdBy, trace, firstSequenceNumber, horizonInMs, flows, runsMayWaitFor] }
}

const INSERT_RUNS: TypedStatement<null> = {
  path: 'submit/insert-runs',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Accepts runs: inserts them, and puts each into the place where it waits. */
export function insertRuns(ids: List<'uuid'>, payloads: List<'text'>, dueTimesInMs: List<'int8'>, lanes: List<'int4'>, keys: List<'text'>, labels: List<'jsonb'>, laneOfRunsWithout: Num, tenant: Num, maxAttempts: Num, timeoutMs: Num, traits: Num, policy: Text, createdBy: Text, trace: Text, firstSequenceNumber: Big, horizonInMs: Big): Call<null> {
  return { statement: INSERT_RUNS, values: [ids, payloads, dueTimesInMs, lanes, keys, labels, laneOfRunsWithout, tenant, maxAttempts, timeoutMs, traits, policy, createdBy, trace, firstSequenceNumber, horizonInMs] }
}

const INSERT_RUNS_AGAIN: TypedStatement<null> = {
  path: 'submit/insert-runs-again',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Accepts runs whose first submission may or may not have committed: like insert-runs, but existing
 * runs stay unchanged, and only runs inserted now are queued. It always writes to the WAL, so that
 * its commit waits for the synchronous standby: otherwise, when a server dies, an existing run
 * could be visible there before it has reached the standby. */
export function insertRunsAgain(ids: List<'uuid'>, payloads: List<'text'>, dueTimesInMs: List<'int8'>, lanes: List<'int4'>, keys: List<'text'>, labels: List<'jsonb'>, laneOfRunsWithout: Num, tenant: Num, maxAttempts: Num, timeoutMs: Num, traits: Num, policy: Text, createdBy: Text, trace: Text, firstSequenceNumber: Big, horizonInMs: Big): Call<null> {
  return { statement: INSERT_RUNS_AGAIN, values: [ids, payloads, dueTimesInMs, lanes, keys, labels, laneOfRunsWithout, tenant, maxAttempts, timeoutMs, traits, policy, createdBy, trace, firstSequenceNumber, horizonInMs] }
}

const NOTE_TURNS: TypedStatement<null> = {
  path: 'submit/note-turns',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Records the results of submissions that locked their keys with take-turns, and starts the windows
 * of those that made a run. */
export function noteTurns(tenant: Num, keys: List<'text'>, runs: List<'uuid'>, idsOfSubmissions: List<'uuid'>, windowsInMs: List<'int8'>): Call<null> {
  return { statement: NOTE_TURNS, values: [tenant, keys, runs, idsOfSubmissions, windowsInMs] }
}

const RELEASE_KEYS: TypedStatement<null> = {
  path: 'submit/release-keys',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Releases keys that were taken for runs which were not inserted after all. */
export function releaseKeys(runIds: List<'uuid'>): Call<null> {
  return { statement: RELEASE_KEYS, values: [runIds] }
}

export interface ReplaceRunsRow {
  readonly insist: string | null
}

const REPLACE_RUNS: TypedStatement<ReplaceRunsRow> = {
  path: 'submit/replace-runs',
  daily: false,
  columns: ['insist'],
  decode: (row) => ({
    insist: orNull(text, row[0]),
  }),
}

/** Replaces withdrawn runs by what new submissions of their keys ask for, under the existing ids,
 * and puts each into the place where it waits. A run keeps the time of its first submission. It
 * also keeps its rate booking, unless it is now due later or has another rate. No run waits for a
 * gate here: the claim parks it. */
export function replaceRuns(tenant: Num, jSON: Text, horizonInMs: Big, theirIds: List<'uuid'>): Call<ReplaceRunsRow> {
  return { statement: REPLACE_RUNS, values: [tenant, jSON, horizonInMs, theirIds] }
}

export interface TakeKeysRow {
  readonly key: string
  readonly runId: string
}

const TAKE_KEYS: TypedStatement<TakeKeysRow> = {
  path: 'submit/take-keys',
  daily: false,
  columns: ['key', 'run_id'],
  decode: (row) => ({
    key: text(row[0]),
    runId: text(row[1]),
  }),
}

/** Takes live keys for new runs. It runs before the runs are inserted, in the same transaction,
 * under a lock_timeout: another open transaction may hold a key. */
export function takeKeys(tenant: Num, keys: List<'text'>, runIds: List<'uuid'>): Call<TakeKeysRow> {
  return { statement: TAKE_KEYS, values: [tenant, keys, runIds] }
}

export interface TakeOverKeysRow {
  readonly key: string
  readonly runId: string
}

const TAKE_OVER_KEYS: TypedStatement<TakeOverKeysRow> = {
  path: 'submit/take-over-keys',
  daily: false,
  columns: ['key', 'run_id'],
  decode: (row) => ({
    key: text(row[0]),
    runId: text(row[1]),
  }),
}

/** Moves keys from runs that have started to new runs. The started runs continue without a key. */
export function takeOverKeys(tenant: Num, keys: List<'text'>, runsThatHoldThem: List<'uuid'>, newRuns: List<'uuid'>): Call<TakeOverKeysRow> {
  return { statement: TAKE_OVER_KEYS, values: [tenant, keys, runsThatHoldThem, newRuns] }
}

export interface TakeTurnsRow {
  readonly key: string
  readonly windowed: string | null
  readonly runId: string | null
  readonly askedBy: string | null
}

const TAKE_TURNS: TypedStatement<TakeTurnsRow> = {
  path: 'submit/take-turns',
  daily: false,
  columns: ['key', 'windowed', 'run_id', 'asked_by'],
  decode: (row) => ({
    key: text(row[0]),
    windowed: orNull(text, row[1]),
    runId: orNull(text, row[2]),
    askedBy: orNull(text, row[3]),
  }),
}

/** Serializes submissions by key: until this transaction ends, no other submission that has a
 * window, replaces or debounces can read these keys. */
export function takeTurns(tenant: Num, keys: List<'text'>): Call<TakeTurnsRow> {
  return { statement: TAKE_TURNS, values: [tenant, keys] }
}

export interface WithdrawFromLaterRow {
  readonly runId: string
  readonly gate: bigint | null
}

const WITHDRAW_FROM_LATER: TypedStatement<WithdrawFromLaterRow> = {
  path: 'submit/withdraw-from-later',
  daily: false,
  columns: ['run_id', 'gate'],
  decode: (row) => ({
    runId: text(row[0]),
    gate: orNull(bigint, row[1]),
  }),
}

/** Takes runs that were never attempted out of `later`, so that replace-runs can place them again in
 * the same transaction. A faster claim keeps its runs. */
export function withdrawFromLater(runIds: List<'uuid'>, tenant: Num): Call<WithdrawFromLaterRow> {
  return { statement: WITHDRAW_FROM_LATER, values: [runIds, tenant] }
}

export interface WithdrawFromParkedRow {
  readonly runId: string
  readonly gate: bigint | null
}

const WITHDRAW_FROM_PARKED: TypedStatement<WithdrawFromParkedRow> = {
  path: 'submit/withdraw-from-parked',
  daily: false,
  columns: ['run_id', 'gate'],
  decode: (row) => ({
    runId: text(row[0]),
    gate: orNull(bigint, row[1]),
  }),
}

/** Takes runs that were never attempted out of `parked`, so that replace-runs can place them again
 * in the same transaction. A faster claim keeps its runs. */
export function withdrawFromParked(runIds: List<'uuid'>, tenant: Num): Call<WithdrawFromParkedRow> {
  return { statement: WITHDRAW_FROM_PARKED, values: [runIds, tenant] }
}

export interface WithdrawFromQueueRow {
  readonly runId: string
  readonly gate: bigint | null
}

const WITHDRAW_FROM_QUEUE: TypedStatement<WithdrawFromQueueRow> = {
  path: 'submit/withdraw-from-queue',
  daily: false,
  columns: ['run_id', 'gate'],
  decode: (row) => ({
    runId: text(row[0]),
    gate: orNull(bigint, row[1]),
  }),
}

/** Takes runs that were never attempted out of `queue`, so that replace-runs can place them again in
 * the same transaction. A faster claim keeps its runs. */
export function withdrawFromQueue(runIds: List<'uuid'>, tenant: Num): Call<WithdrawFromQueueRow> {
  return { statement: WITHDRAW_FROM_QUEUE, values: [runIds, tenant] }
}

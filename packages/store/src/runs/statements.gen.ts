// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { HeldByJson, LimitJson, PauseJson, WorkerJson } from './obstacles.ts'
import type { Failure } from '@punctual/core/errors'
import type { RunFlow } from '@punctual/core/flow'
import type { AdmittedRun, AttemptOutcome, FinalState, LiveState, RunState } from '@punctual/core/run'
import { bigint, boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import { attemptOutcome, finalState } from '../sql/run-cells.ts'
import type { Big, Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface FindFinishedRow {
  readonly runId: string
}

const FIND_FINISHED: TypedStatement<FindFinishedRow> = {
  path: 'runs/find-finished',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Which of these runs have ended. */
export function findFinished(ids: List<'uuid'>, smallestId: Text, largestId: Text): Call<FindFinishedRow> {
  return { statement: FIND_FINISHED, values: [ids, smallestId, largestId] }
}

export interface FindObstaclesRow {
  readonly pauses: PauseJson[] | null
  readonly limits: LimitJson[] | null
  readonly workers: WorkerJson[] | null
  readonly gateHolders: string[] | null
  readonly heldBy: HeldByJson | null
  readonly jobHeldBy: string | null
  readonly bookedMs: number | null
  readonly ahead: number
  readonly admitted: AdmittedRun[] | null
}

const FIND_OBSTACLES: TypedStatement<FindObstaclesRow> = {
  path: 'runs/find-obstacles',
  daily: false,
  columns: ['pauses', 'limits', 'workers', 'gate_holders', 'held_by', 'job_held_by', 'booked_ms', 'ahead', 'admitted'],
  decode: (row) => ({
    pauses: orNull(json, row[0]) as PauseJson[] | null,
    limits: orNull(json, row[1]) as LimitJson[] | null,
    workers: orNull(json, row[2]) as WorkerJson[] | null,
    gateHolders: orNull(json, row[3]) as string[] | null,
    heldBy: orNull(json, row[4]) as HeldByJson | null,
    jobHeldBy: orNull(text, row[5]),
    bookedMs: orNull(number, row[6]),
    ahead: number(row[7]),
    admitted: orNull(json, row[8]) as AdmittedRun[] | null,
  }),
}

/** Everything that can keep a run from starting, in one snapshot. */
export function findObstacles(run: Text, tenant: Num, queue: Text, handler: Text, job: Text): Call<FindObstaclesRow> {
  return { statement: FIND_OBSTACLES, values: [run, tenant, queue, handler, job] }
}

export interface FindRunsRow {
  readonly id: string
  readonly tenantId: number
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: string
  readonly dueAt: Date
  readonly createdAt: Date
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly key: string | null
  readonly labels: Readonly<Record<string, string>> | null
  readonly createdBy: string | null
  readonly trace: string | null
  readonly laterAt: Date | null
  readonly queueMs: number | null
  readonly queueDue: boolean | null
  readonly sessionId: string | null
  readonly deadlineAt: Date | null
  readonly statusUrl: string | null
  readonly claimedAt: Date | null
  readonly markedAt: Date | null
  readonly progress: string | null
  readonly state: FinalState | null
  readonly finalAttempt: number | null
  readonly attemptOutcome: AttemptOutcome | null
  readonly finalSessionId: string | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly output: string | null
  readonly error: Failure | null
  readonly reason: string | null
  readonly parkedAt: Date | null
  readonly jobId: string | null
  readonly job: string | null
  readonly slotAt: Date | null
  readonly missedFrom: Date | null
  readonly cancelReason: string | null
  readonly policy: string | null
  readonly traits: number
  readonly replayOf: string | null
  readonly editedAt: Date | null
  readonly replayedAs: string | null
  readonly resolvedAt: Date | null
  readonly resolvedBy: string | null
  readonly note: string | null
  readonly flow: Partial<RunFlow> | null
  readonly gate: string | null
}

const FIND_RUNS: TypedStatement<FindRunsRow> = {
  path: 'runs/find-runs',
  daily: false,
  columns: ['id', 'tenant_id', 'handler', 'queue', 'priority', 'payload', 'due_at', 'created_at', 'max_attempts', 'timeout_ms', 'key', 'labels', 'created_by', 'trace', 'later_at', 'queue_ms', 'queue_due', 'session_id', 'deadline_at', 'status_url', 'claimed_at', 'marked_at', 'progress', 'state', 'final_attempt', 'attempt_outcome', 'final_session_id', 'started_at', 'finished_at', 'output', 'error', 'reason', 'parked_at', 'job_id', 'job', 'slot_at', 'missed_from', 'cancel_reason', 'policy', 'traits', 'replay_of', 'edited_at', 'replayed_as', 'resolved_at', 'resolved_by', 'note', 'flow', 'gate'],
  decode: (row) => ({
    id: text(row[0]),
    tenantId: number(row[1]),
    handler: text(row[2]),
    queue: text(row[3]),
    priority: number(row[4]),
    payload: text(row[5]),
    dueAt: date(row[6]),
    createdAt: date(row[7]),
    maxAttempts: number(row[8]),
    timeoutMs: number(row[9]),
    key: orNull(text, row[10]),
    labels: orNull(json, row[11]) as Readonly<Record<string, string>> | null,
    createdBy: orNull(text, row[12]),
    trace: orNull(text, row[13]),
    laterAt: orNull(date, row[14]),
    queueMs: orNull(number, row[15]),
    queueDue: orNull(boolean, row[16]),
    sessionId: orNull(text, row[17]),
    deadlineAt: orNull(date, row[18]),
    statusUrl: orNull(text, row[19]),
    claimedAt: orNull(date, row[20]),
    markedAt: orNull(date, row[21]),
    progress: orNull(text, row[22]),
    state: orNull(finalState, row[23]),
    finalAttempt: orNull(number, row[24]),
    attemptOutcome: orNull(attemptOutcome, row[25]),
    finalSessionId: orNull(text, row[26]),
    startedAt: orNull(date, row[27]),
    finishedAt: orNull(date, row[28]),
    output: orNull(text, row[29]),
    error: orNull(json, row[30]) as Failure | null,
    reason: orNull(text, row[31]),
    parkedAt: orNull(date, row[32]),
    jobId: orNull(text, row[33]),
    job: orNull(text, row[34]),
    slotAt: orNull(date, row[35]),
    missedFrom: orNull(date, row[36]),
    cancelReason: orNull(text, row[37]),
    policy: orNull(text, row[38]),
    traits: number(row[39]),
    replayOf: orNull(text, row[40]),
    editedAt: orNull(date, row[41]),
    replayedAs: orNull(text, row[42]),
    resolvedAt: orNull(date, row[43]),
    resolvedBy: orNull(text, row[44]),
    note: orNull(text, row[45]),
    flow: orNull(json, row[46]) as Partial<RunFlow> | null,
    gate: orNull(text, row[47]),
  }),
}

/** Runs and the place that each is in, read in one snapshot, in the order of their ids. They end where
 * their payloads, outputs and errors would exceed a number of bytes, after one run at least. */
export function findRuns(ids: List<'uuid'>, smallestId: Text, largestId: Text, tenant: Num, mostBytes: Big): Call<FindRunsRow> {
  return { statement: FIND_RUNS, values: [ids, smallestId, largestId, tenant, mostBytes] }
}

export interface FindSurroundingsRow {
  readonly others: boolean
  readonly queued: number
  readonly leased: number
}

const FIND_SURROUNDINGS: TypedStatement<FindSurroundingsRow> = {
  path: 'runs/find-surroundings',
  daily: false,
  columns: ['others', 'queued', 'leased'],
  decode: (row) => ({
    others: boolean(row[0]),
    queued: number(row[1]),
    leased: number(row[2]),
  }),
}

/** What stands around the live runs of a tenant: whether other tenants may have runs, and how many
 * rows a reader of the queue by lanes, or of all leases, would read. */
export function findSurroundings(tenant: Num, mostRowsToCount: Num): Call<FindSurroundingsRow> {
  return { statement: FIND_SURROUNDINGS, values: [tenant, mostRowsToCount] }
}

export interface ListAttemptsRow {
  readonly runId: string
  readonly attempt: number
  readonly outcome: AttemptOutcome
  readonly startedAt: Date | null
  readonly endedAt: Date
  readonly sessionId: string | null
  readonly error: Failure | null
  readonly cut: boolean
}

const LIST_ATTEMPTS: TypedStatement<ListAttemptsRow> = {
  path: 'runs/list-attempts',
  daily: false,
  columns: ['run_id', 'attempt', 'outcome', 'started_at', 'ended_at', 'session_id', 'error', 'cut'],
  decode: (row) => ({
    runId: text(row[0]),
    attempt: number(row[1]),
    outcome: attemptOutcome(row[2]),
    startedAt: orNull(date, row[3]),
    endedAt: date(row[4]),
    sessionId: orNull(text, row[5]),
    error: orNull(json, row[6]) as Failure | null,
    cut: boolean(row[7]),
  }),
}

/** The attempts of runs that were followed by another attempt. Runs whose attempts would exceed a
 * number of bytes are cut: of each of them only the first attempt is returned, without its error. The
 * first run that has attempts is not cut; beyond the bytes its errors have no stack. */
export function listAttempts(runIds: List<'uuid'>, smallestId: Text, largestId: Text, mostBytes: Big): Call<ListAttemptsRow> {
  return { statement: LIST_ATTEMPTS, values: [runIds, smallestId, largestId, mostBytes] }
}

export interface ListFinishedRow {
  readonly id: string
  readonly state: FinalState
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly dueAt: Date
  readonly attempt: number
  readonly finishedAt: Date
  readonly error: string | null
  readonly reason: string | null
}

const LIST_FINISHED: TypedStatement<ListFinishedRow> = {
  path: 'runs/list-finished',
  daily: false,
  columns: ['id', 'state', 'handler', 'queue', 'priority', 'due_at', 'attempt', 'finished_at', 'error', 'reason'],
  decode: (row) => ({
    id: text(row[0]),
    state: finalState(row[1]),
    handler: text(row[2]),
    queue: text(row[3]),
    priority: number(row[4]),
    dueAt: date(row[5]),
    attempt: number(row[6]),
    finishedAt: date(row[7]),
    error: orNull(text, row[8]),
    reason: orNull(text, row[9]),
  }),
}

/** Ended runs in one range of ids (a day), latest due first. */
export function listFinished(tenant: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Num, p8: Num, p9: Num, p10: Num, filter: List<'uuid'>, states: List<'int2'>, fromId: Text, beforeId: Text, mostRows: Num): Call<ListFinishedRow> {
  return { statement: LIST_FINISHED, values: [tenant, p2, p3, p4, p5, p6, p7, p8, p9, p10, filter, states, fromId, beforeId, mostRows] }
}

export interface ListLastLogsRow {
  readonly at: Date
  readonly attempt: number
  readonly seq: number
  readonly level: number
  readonly message: string
  readonly data: string | null
}

const LIST_LAST_LOGS: TypedStatement<ListLastLogsRow> = {
  path: 'runs/list-last-logs',
  daily: false,
  columns: ['at', 'attempt', 'seq', 'level', 'message', 'data'],
  decode: (row) => ({
    at: date(row[0]),
    attempt: number(row[1]),
    seq: number(row[2]),
    level: number(row[3]),
    message: text(row[4]),
    data: orNull(text, row[5]),
  }),
}

/** The last lines of a run's log, last line first. */
export function listLastLogs(runId: Text, mostLines: Num, tenant: Num): Call<ListLastLogsRow> {
  return { statement: LIST_LAST_LOGS, values: [runId, mostLines, tenant] }
}

export interface ListLiveRow {
  readonly id: string
  readonly state: RunState
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly dueAt: Date
  readonly attempt: number
}

const LIST_LIVE: TypedStatement<ListLiveRow> = {
  path: 'runs/list-live',
  daily: false,
  columns: ['id', 'state', 'handler', 'queue', 'priority', 'due_at', 'attempt'],
  decode: (row) => ({
    id: text(row[0]),
    state: text(row[1]) as RunState,
    handler: text(row[2]),
    queue: text(row[3]),
    priority: number(row[4]),
    dueAt: date(row[5]),
    attempt: number(row[6]),
  }),
}

/** Live runs: first those held by a worker, longest first; then waiting ones, in the queue, in
 * `later`, or in `parked` behind another run of their job, soonest first. It has to be one
 * statement: two snapshots could both miss a run that moves between them. */
export function listLive(tenant: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Num, p8: Num, p9: Num, p10: Num, filter: List<'uuid'>, mostRows: Num, states: List<'text'>, mostRowsToRead: Big): Call<ListLiveRow> {
  return { statement: LIST_LIVE, values: [tenant, p2, p3, p4, p5, p6, p7, p8, p9, p10, filter, mostRows, states, mostRowsToRead] }
}

export interface ListLogsRow {
  readonly at: Date
  readonly attempt: number
  readonly seq: number
  readonly level: number
  readonly message: string
  readonly data: string | null
}

const LIST_LOGS: TypedStatement<ListLogsRow> = {
  path: 'runs/list-logs',
  daily: false,
  columns: ['at', 'attempt', 'seq', 'level', 'message', 'data'],
  decode: (row) => ({
    at: date(row[0]),
    attempt: number(row[1]),
    seq: number(row[2]),
    level: number(row[3]),
    message: text(row[4]),
    data: orNull(text, row[5]),
  }),
}

/** The log of a run, in order. */
export function listLogs(runId: Text, afterAttempt: Num, afterSequenceNumber: Num, mostLines: Num, tenant: Num): Call<ListLogsRow> {
  return { statement: LIST_LOGS, values: [runId, afterAttempt, afterSequenceNumber, mostLines, tenant] }
}

export interface ListRunLanesRow {
  readonly runId: string
  readonly lane: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
}

const LIST_RUN_LANES: TypedStatement<ListRunLanesRow> = {
  path: 'runs/list-run-lanes',
  daily: false,
  columns: ['run_id', 'lane', 'queue', 'handler', 'priority'],
  decode: (row) => ({
    runId: text(row[0]),
    lane: number(row[1]),
    queue: text(row[2]),
    handler: text(row[3]),
    priority: number(row[4]),
  }),
}

/** The lanes of runs. */
export function listRunLanes(runIds: List<'uuid'>, tenant: Num): Call<ListRunLanesRow> {
  return { statement: LIST_RUN_LANES, values: [runIds, tenant] }
}

export interface PageRunsRow {
  readonly looked: number
  readonly edge: string | null
  readonly edgeUs: string | null
  readonly atUs: string | null
  readonly id: string | null
  readonly state: RunState | null
  readonly handler: string | null
  readonly queue: string | null
  readonly priority: number | null
  readonly dueAt: Date | null
  readonly createdAt: Date | null
  readonly attempt: number | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly error: string | null
  readonly sessionId: string | null
  readonly jobId: string | null
  readonly job: string | null
  readonly key: string | null
  readonly labels: Readonly<Record<string, string>> | null
  readonly fingerprint: string | null
  readonly replayedAs: string | null
}

const PAGE_RUNS: TypedStatement<PageRunsRow> = {
  path: 'runs/page-runs',
  daily: false,
  columns: ['looked', 'edge', 'edge_us', 'at_us', 'id', 'state', 'handler', 'queue', 'priority', 'due_at', 'created_at', 'attempt', 'started_at', 'finished_at', 'error', 'session_id', 'job_id', 'job', 'key', 'labels', 'fingerprint', 'replayed_as'],
  decode: (row) => ({
    looked: number(row[0]),
    edge: orNull(text, row[1]),
    edgeUs: orNull(text, row[2]),
    atUs: orNull(text, row[3]),
    id: orNull(text, row[4]),
    state: orNull(text, row[5]) as RunState | null,
    handler: orNull(text, row[6]),
    queue: orNull(text, row[7]),
    priority: orNull(number, row[8]),
    dueAt: orNull(date, row[9]),
    createdAt: orNull(date, row[10]),
    attempt: orNull(number, row[11]),
    startedAt: orNull(date, row[12]),
    finishedAt: orNull(date, row[13]),
    error: orNull(text, row[14]),
    sessionId: orNull(text, row[15]),
    jobId: orNull(text, row[16]),
    job: orNull(text, row[17]),
    key: orNull(text, row[18]),
    labels: orNull(json, row[19]) as Readonly<Record<string, string>> | null,
    fingerprint: orNull(text, row[20]),
    replayedAs: orNull(text, row[21]),
  }),
}

/** One range of a page of runs: reads up to a number of runs from the sources that a filter leads
 * to, and returns or counts those that match. Each run is read in its current place, in one
 * snapshot. Runs beyond the edge were not read from every source and are not returned. The edge
 * itself is not the id of an existing run. */
export function pageRuns(tenant: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Num, p8: Num, p9: Num, p10: Num, filter: List<'uuid'>, states: List<'text'>, key: Text, finishedFrom: Num, beforeInMs: Num, claimedBeforeInMs: Num, fingerprint: Text, onlyOpenDeadLetters: Bool, sources: List<'text'>, beforeThisId: Text, fromThisId: Text, mostRowsToRead: Big, mostRows: Big, beforeThisEndIn: Big, runsHaveToBe: Bool, whatToCountBy: Text, labelToCountBy: Text, amongThoseThatEnded: Text, whereToReadStates: List<'text'>): Call<PageRunsRow> {
  return { statement: PAGE_RUNS, values: [tenant, p2, p3, p4, p5, p6, p7, p8, p9, p10, filter, states, key, finishedFrom, beforeInMs, claimedBeforeInMs, fingerprint, onlyOpenDeadLetters, sources, beforeThisId, fromThisId, mostRowsToRead, mostRows, beforeThisEndIn, runsHaveToBe, whatToCountBy, labelToCountBy, amongThoseThatEnded, whereToReadStates] }
}

export interface ResolveRunRow {
  readonly key: string | null
}

const RESOLVE_RUN: TypedStatement<ResolveRunRow> = {
  path: 'runs/resolve-run',
  daily: false,
  columns: ['key'],
  decode: (row) => ({
    key: orNull(text, row[0]),
  }),
}

/** Resolves an unknown run: it succeeded, it failed and becomes a dead letter, or it is run again. */
export function resolveRun(runId: Text, tenant: Num, itsNewState: Num, runThatReplaysIt: Text, note: Text, whoResolvesIt: Text): Call<ResolveRunRow> {
  return { statement: RESOLVE_RUN, values: [runId, tenant, itsNewState, runThatReplaysIt, note, whoResolvesIt] }
}

export interface CancelAwaitingRow {
  readonly runId: string
  readonly jobId: string | null
  readonly gate: bigint | null
}

const CANCEL_AWAITING: TypedStatement<CancelAwaitingRow> = {
  path: 'runs/steering/cancel-awaiting',
  daily: false,
  columns: ['run_id', 'job_id', 'gate'],
  decode: (row) => ({
    runId: text(row[0]),
    jobId: orNull(text, row[1]),
    gate: orNull(bigint, row[2]),
  }),
}

/** Cancels runs that await the reports of their targets. They end at once: no worker would read a
 * request to end them. */
export function cancelAwaiting(thisProcessSId: Big, runIds: List<'uuid'>, tenant: Num, reason: Text): Call<CancelAwaitingRow> {
  return { statement: CANCEL_AWAITING, values: [thisProcessSId, runIds, tenant, reason] }
}

export interface CancelInLaterRow {
  readonly runId: string
  readonly jobId: string | null
}

const CANCEL_IN_LATER: TypedStatement<CancelInLaterRow> = {
  path: 'runs/steering/cancel-in-later',
  daily: false,
  columns: ['run_id', 'job_id'],
  decode: (row) => ({
    runId: text(row[0]),
    jobId: orNull(text, row[1]),
  }),
}

/** Cancels runs that wait in `later`. */
export function cancelInLater(thisProcessSId: Big, runIds: List<'uuid'>, tenant: Num, reason: Text): Call<CancelInLaterRow> {
  return { statement: CANCEL_IN_LATER, values: [thisProcessSId, runIds, tenant, reason] }
}

export interface CancelInLeasesRow {
  readonly runId: string
  readonly now: boolean
}

const CANCEL_IN_LEASES: TypedStatement<CancelInLeasesRow> = {
  path: 'runs/steering/cancel-in-leases',
  daily: false,
  columns: ['run_id', 'now'],
  decode: (row) => ({
    runId: text(row[0]),
    now: boolean(row[1]),
  }),
}

/** Asks the handlers of running runs to end. A run that was asked before keeps the first reason. */
export function cancelInLeases(runIds: List<'uuid'>, tenant: Num, reason: Text): Call<CancelInLeasesRow> {
  return { statement: CANCEL_IN_LEASES, values: [runIds, tenant, reason] }
}

export interface CancelInParkedRow {
  readonly runId: string
  readonly jobId: string | null
}

const CANCEL_IN_PARKED: TypedStatement<CancelInParkedRow> = {
  path: 'runs/steering/cancel-in-parked',
  daily: false,
  columns: ['run_id', 'job_id'],
  decode: (row) => ({
    runId: text(row[0]),
    jobId: orNull(text, row[1]),
  }),
}

/** Cancels runs that wait in `parked` behind another run of their job. */
export function cancelInParked(thisProcessSId: Big, runIds: List<'uuid'>, tenant: Num, reason: Text): Call<CancelInParkedRow> {
  return { statement: CANCEL_IN_PARKED, values: [thisProcessSId, runIds, tenant, reason] }
}

export interface CancelInQueueRow {
  readonly runId: string
  readonly jobId: string | null
}

const CANCEL_IN_QUEUE: TypedStatement<CancelInQueueRow> = {
  path: 'runs/steering/cancel-in-queue',
  daily: false,
  columns: ['run_id', 'job_id'],
  decode: (row) => ({
    runId: text(row[0]),
    jobId: orNull(text, row[1]),
  }),
}

/** Cancels runs that wait in `queue`. */
export function cancelInQueue(thisProcessSId: Big, runIds: List<'uuid'>, tenant: Num, reason: Text): Call<CancelInQueueRow> {
  return { statement: CANCEL_IN_QUEUE, values: [thisProcessSId, runIds, tenant, reason] }
}

export interface EditInLaterRow {
  readonly runId: string
}

const EDIT_IN_LATER: TypedStatement<EditInLaterRow> = {
  path: 'runs/steering/edit-in-later',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Replaces the payload of runs that wait in `later`, only before their first attempt: later
 * attempts repeat what the first one began. */
export function editInLater(runIds: List<'uuid'>, tenant: Num, payload: Text): Call<EditInLaterRow> {
  return { statement: EDIT_IN_LATER, values: [runIds, tenant, payload] }
}

export interface EditInParkedRow {
  readonly runId: string
}

const EDIT_IN_PARKED: TypedStatement<EditInParkedRow> = {
  path: 'runs/steering/edit-in-parked',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Replaces the payload of runs that wait in `parked` behind another run of their job. They are
 * locked and stay in place: a transaction that releases one waits, so it is claimed only
 * afterwards. Only before their first attempt: later attempts repeat what the first one began. */
export function editInParked(runIds: List<'uuid'>, tenant: Num, payload: Text): Call<EditInParkedRow> {
  return { statement: EDIT_IN_PARKED, values: [runIds, tenant, payload] }
}

export interface EditInQueueRow {
  readonly runId: string
}

const EDIT_IN_QUEUE: TypedStatement<EditInQueueRow> = {
  path: 'runs/steering/edit-in-queue',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Replaces the payload of runs that wait in `queue`. They are deleted and inserted again: a claim
 * in progress, which may have read the old payload, does not find them. Only before their first
 * attempt: later attempts repeat what the first one began. */
export function editInQueue(runIds: List<'uuid'>, tenant: Num, payload: Text): Call<EditInQueueRow> {
  return { statement: EDIT_IN_QUEUE, values: [runIds, tenant, payload] }
}

export interface ReprioritiseInLaterRow {
  readonly runId: string
}

const REPRIORITISE_IN_LATER: TypedStatement<ReprioritiseInLaterRow> = {
  path: 'runs/steering/reprioritise-in-later',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Moves runs that wait in `later` to the lanes of another priority. */
export function reprioritiseInLater(runIds: List<'uuid'>, tenant: Num, lanes: List<'int4'>, replacementOfEachLane: List<'int4'>): Call<ReprioritiseInLaterRow> {
  return { statement: REPRIORITISE_IN_LATER, values: [runIds, tenant, lanes, replacementOfEachLane] }
}

export interface ReprioritiseInParkedRow {
  readonly runId: string
}

const REPRIORITISE_IN_PARKED: TypedStatement<ReprioritiseInParkedRow> = {
  path: 'runs/steering/reprioritise-in-parked',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Changes the priority of runs in `parked`, which wait for another run of their job: moves them to
 * the lanes of the new priority. Updates the rows in place: a concurrent transaction that releases
 * such a run waits, and then releases it with its new lane. */
export function reprioritiseInParked(runIds: List<'uuid'>, tenant: Num, lanes: List<'int4'>, replacementOfEachLane: List<'int4'>): Call<ReprioritiseInParkedRow> {
  return { statement: REPRIORITISE_IN_PARKED, values: [runIds, tenant, lanes, replacementOfEachLane] }
}

export interface ReprioritiseInQueueRow {
  readonly runId: string
}

const REPRIORITISE_IN_QUEUE: TypedStatement<ReprioritiseInQueueRow> = {
  path: 'runs/steering/reprioritise-in-queue',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Moves runs that wait in `queue` to the lanes of another priority. Due runs go behind the due runs
 * of the new lane, because a position is never in the past; their due time stays. */
export function reprioritiseInQueue(runIds: List<'uuid'>, tenant: Num, lanes: List<'int4'>, replacementOfEachLane: List<'int4'>): Call<ReprioritiseInQueueRow> {
  return { statement: REPRIORITISE_IN_QUEUE, values: [runIds, tenant, lanes, replacementOfEachLane] }
}

export interface RescheduleInLaterRow {
  readonly runId: string
}

const RESCHEDULE_IN_LATER: TypedStatement<RescheduleInLaterRow> = {
  path: 'runs/steering/reschedule-in-later',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Changes when runs that wait in `later` start. Before the first attempt the new time becomes the
 * due time, from which lateness counts; after an attempt the due time of the first one stays. */
export function rescheduleInLater(runIds: List<'uuid'>, tenant: Num, newTimeInMs: Big, horizonInMs: Big): Call<RescheduleInLaterRow> {
  return { statement: RESCHEDULE_IN_LATER, values: [runIds, tenant, newTimeInMs, horizonInMs] }
}

export interface RescheduleInQueueRow {
  readonly runId: string
}

const RESCHEDULE_IN_QUEUE: TypedStatement<RescheduleInQueueRow> = {
  path: 'runs/steering/reschedule-in-queue',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Changes when runs that wait in `queue` start. Before the first attempt the new time becomes the
 * due time, from which lateness counts; after an attempt the due time of the first one stays.
 * Without a time they are due now: runs that are already due keep their position in the queue. A
 * run that is now due later than its rate booking gives the booking back, and books again when it
 * is due. */
export function rescheduleInQueue(runIds: List<'uuid'>, tenant: Num, newTimeInMs: Big, horizonInMs: Big): Call<RescheduleInQueueRow> {
  return { statement: RESCHEDULE_IN_QUEUE, values: [runIds, tenant, newTimeInMs, horizonInMs] }
}

export interface SelectRunsRow {
  readonly next: string | null
  readonly runs: { id: string; state: LiveState }[]
}

const SELECT_RUNS: TypedStatement<SelectRunsRow> = {
  path: 'runs/steering/select-runs',
  daily: false,
  columns: ['next', 'runs'],
  decode: (row) => ({
    next: orNull(text, row[0]),
    runs: json(row[1]) as { id: string; state: LiveState }[],
  }),
}

/** Live runs that match a filter, in order of their ids, one range of ids at a time. Each run is in
 * exactly one place, and a range is read in one snapshot, so a run that moves between places
 * meanwhile is not missed. */
export function selectRuns(tenant: Num, p2: Text, p3: Text, p4: Text, p5: Text, p6: Text, p7: Num, p8: Num, p9: Num, p10: Num, filter: List<'uuid'>, afterThisId: Text, areIgnored: Num, states: List<'text'>): Call<SelectRunsRow> {
  return { statement: SELECT_RUNS, values: [tenant, p2, p3, p4, p5, p6, p7, p8, p9, p10, filter, afterThisId, areIgnored, states] }
}

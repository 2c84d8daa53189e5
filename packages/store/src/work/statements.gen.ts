// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { AttemptOutcome, FinalState } from '@punctual/core/run'
import { bigint, boolean, number, orNull, text, texts } from '../sql/cells.ts'
import { attemptOutcome, finalState } from '../sql/run-cells.ts'
import type { Big, Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface ClaimControlledRunsRow {
  readonly nextPos: string | null
  readonly unseen: string | null
  readonly controlled: string | null
  readonly limited: string | null
  readonly parked: string | null
  readonly postponed: string | null
  readonly gates: string | null
  readonly xmin: string | null
  readonly xmax: string | null
  readonly bound: string | null
  readonly givenLanes: string | null
  readonly givenRuns: string | null
  readonly givenLastPos: string | null
  readonly givenShares: string | null
  readonly runIds: string | null
  readonly lanes: string | null
  readonly marks: string | null
  readonly ids: string[] | null
  readonly timeoutsMs: string | null
  readonly maxAttempts: string | null
  readonly duesMs: string | null
  readonly payloads: string | null
  readonly extras: string | null
}

const CLAIM_CONTROLLED_RUNS: TypedStatement<ClaimControlledRunsRow> = {
  path: 'work/claim-controlled-runs',
  daily: true,
  columns: ['next_pos', 'unseen', 'controlled', 'limited', 'parked', 'postponed', 'gates', 'xmin', 'xmax', 'bound', 'given_lanes', 'given_runs', 'given_last_pos', 'given_shares', 'run_ids', 'lanes', 'marks', 'ids', 'timeouts_ms', 'max_attempts', 'dues_ms', 'payloads', 'extras'],
  decode: (row) => ({
    nextPos: orNull(text, row[0]),
    unseen: orNull(text, row[1]),
    controlled: orNull(text, row[2]),
    limited: orNull(text, row[3]),
    parked: orNull(text, row[4]),
    postponed: orNull(text, row[5]),
    gates: orNull(text, row[6]),
    xmin: orNull(text, row[7]),
    xmax: orNull(text, row[8]),
    bound: orNull(text, row[9]),
    givenLanes: orNull(text, row[10]),
    givenRuns: orNull(text, row[11]),
    givenLastPos: orNull(text, row[12]),
    givenShares: orNull(text, row[13]),
    runIds: orNull(text, row[14]),
    lanes: orNull(text, row[15]),
    marks: orNull(text, row[16]),
    ids: orNull(texts, row[17]),
    timeoutsMs: orNull(text, row[18]),
    maxAttempts: orNull(text, row[19]),
    duesMs: orNull(text, row[20]),
    payloads: orNull(text, row[21]),
    extras: orNull(text, row[22]),
  }),
}

/** Takes due runs like claim-runs, from lanes that may hold controlled runs. A run that must not
 * overlap with another run of its job, and would, is parked; so is a run whose gate is full, or that
 * would overtake a run that waits for the gate. A run whose rate is used up goes back to the queue,
 * to the instant at which it may start. */
export function claimControlledRuns(session: Big, firstFence: Big, lanes: List<'int4'>, whereToStartIn: List<'int8'>, rankOfEachLane: List<'int2'>, mostRuns: Num, weightOfEachLane: List<'int4'>, ageingOfEachLane: List<'int8'>): Call<ClaimControlledRunsRow> {
  return { statement: CLAIM_CONTROLLED_RUNS, values: [session, firstFence, lanes, whereToStartIn, rankOfEachLane, mostRuns, weightOfEachLane, ageingOfEachLane] }
}

export interface ClaimRunsRow {
  readonly controlled: string | null
  readonly unseen: string | null
  readonly nextPos: string | null
  readonly xmin: string | null
  readonly xmax: string | null
  readonly bound: string | null
  readonly givenLanes: string | null
  readonly givenRuns: string | null
  readonly givenLastPos: string | null
  readonly givenShares: string | null
  readonly runIds: string | null
  readonly lanes: string | null
  readonly marks: string | null
  readonly ids: string[] | null
  readonly timeoutsMs: string | null
  readonly maxAttempts: string | null
  readonly duesMs: string | null
  readonly payloads: string | null
  readonly extras: string | null
}

const CLAIM_RUNS: TypedStatement<ClaimRunsRow> = {
  path: 'work/claim-runs',
  daily: true,
  columns: ['controlled', 'unseen', 'next_pos', 'xmin', 'xmax', 'bound', 'given_lanes', 'given_runs', 'given_last_pos', 'given_shares', 'run_ids', 'lanes', 'marks', 'ids', 'timeouts_ms', 'max_attempts', 'dues_ms', 'payloads', 'extras'],
  decode: (row) => ({
    controlled: orNull(text, row[0]),
    unseen: orNull(text, row[1]),
    nextPos: orNull(text, row[2]),
    xmin: orNull(text, row[3]),
    xmax: orNull(text, row[4]),
    bound: orNull(text, row[5]),
    givenLanes: orNull(text, row[6]),
    givenRuns: orNull(text, row[7]),
    givenLastPos: orNull(text, row[8]),
    givenShares: orNull(text, row[9]),
    runIds: orNull(text, row[10]),
    lanes: orNull(text, row[11]),
    marks: orNull(text, row[12]),
    ids: orNull(texts, row[13]),
    timeoutsMs: orNull(text, row[14]),
    maxAttempts: orNull(text, row[15]),
    duesMs: orNull(text, row[16]),
    payloads: orNull(text, row[17]),
    extras: orNull(text, row[18]),
  }),
}

/** Takes due runs of some lanes for a session: each leaves the queue and becomes a lease, in one
 * step. This is the form for lanes that hold nothing controlled. It takes nothing when a lane has a
 * limit of concurrency or of a rate, or when a run at hand has an overlap policy or a flow-control
 * key; claim-controlled-runs takes those. Nothing is taken from a paused queue, nor by a session
 * that was asked to drain. */
export function claimRuns(session: Big, firstFence: Big, lanes: List<'int4'>, whereToStartIn: List<'int8'>, rankOfEachLane: List<'int2'>, mostRuns: Num, weightOfEachLane: List<'int4'>, ageingOfEachLane: List<'int8'>): Call<ClaimRunsRow> {
  return { statement: CLAIM_RUNS, values: [session, firstFence, lanes, whereToStartIn, rankOfEachLane, mostRuns, weightOfEachLane, ageingOfEachLane] }
}

export interface FenceAgainRow {
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
}

const FENCE_AGAIN: TypedStatement<FenceAgainRow> = {
  path: 'work/fence-again',
  daily: false,
  columns: ['id', 'fence', 'lane', 'tenant_id', 'handler', 'queue', 'priority', 'attempt', 'crashes', 'traits', 'job_id', 'gate', 'limited'],
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
  }),
}

/** Puts leases of a session under other fences, before they are handed to it again: what is still under way under the old
 * ones (giving them back, above all) finds nothing. */
export function fenceAgain(session: Big, runIds: List<'uuid'>, theirFences: List<'int8'>, theirNewFences: List<'int8'>): Call<FenceAgainRow> {
  return { statement: FENCE_AGAIN, values: [session, runIds, theirFences, theirNewFences] }
}

export interface FindEndsRow {
  readonly id: string
  readonly fence: bigint
  readonly outcome: AttemptOutcome | null
  readonly state: FinalState | null
  readonly awaits: boolean
}

const FIND_ENDS: TypedStatement<FindEndsRow> = {
  path: 'work/find-ends',
  daily: false,
  columns: ['id', 'fence', 'outcome', 'state', 'awaits'],
  decode: (row) => ({
    id: text(row[0]),
    fence: bigint(row[1]),
    outcome: orNull(attemptOutcome, row[2]),
    state: orNull(finalState, row[3]),
    awaits: boolean(row[4]),
  }),
}

/** How leases of a session on some runs ended: settled by it, or taken from it by the reaper, which is `crashed`.
 * A run that the session left to its target has not ended: its lease names the session 0. */
export function findEnds(session: Big, runIds: List<'uuid'>): Call<FindEndsRow> {
  return { statement: FIND_ENDS, values: [session, runIds] }
}

export interface FindSettledRow {
  readonly runId: string
  readonly fence: string
  readonly attemptOutcome: AttemptOutcome | null
}

const FIND_SETTLED: TypedStatement<FindSettledRow> = {
  path: 'work/find-settled',
  daily: false,
  columns: ['run_id', 'fence', 'attempt_outcome'],
  decode: (row) => ({
    runId: text(row[0]),
    fence: text(row[1]),
    attemptOutcome: orNull(attemptOutcome, row[2]),
  }),
}

/** Under which fence attempts of runs were settled and how they ended: the outcome, and the attempts that were followed
 * by another. What the reaper or a successor ended carries the fence of the attempt as well, and ended as
 * crashed or terminated. It writes to the log, so that its commit waits for the synchronous standby: what is seen here may
 * not have got there yet, when a server dies. */
export function findSettled(runIds: List<'uuid'>): Call<FindSettledRow> {
  return { statement: FIND_SETTLED, values: [runIds] }
}

export interface FindStraysRow {
  readonly id: string
  readonly fence: bigint
}

const FIND_STRAYS: TypedStatement<FindStraysRow> = {
  path: 'work/find-strays',
  daily: false,
  columns: ['id', 'fence'],
  decode: (row) => ({
    id: text(row[0]),
    fence: bigint(row[1]),
  }),
}

/** Leases of a session that its process does not know of: the reply to their claim was lost. */
export function findStrays(session: Big, knownFences: List<'int8'>): Call<FindStraysRow> {
  return { statement: FIND_STRAYS, values: [session, knownFences] }
}

export interface GiveBackRunsRow {
  readonly lane: number
}

const GIVE_BACK_RUNS: TypedStatement<GiveBackRunsRow> = {
  path: 'work/give-back-runs',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Returns runs that were claimed and, as their worker knows, not started (a mark may say otherwise, when the answer
 * to it was lost): as they were, to the end of what is due now. Those that were asked
 * to end are left for settle-cancelled. */
export function giveBackRuns(runIds: List<'uuid'>, fences: List<'int8'>): Call<GiveBackRunsRow> {
  return { statement: GIVE_BACK_RUNS, values: [runIds, fences] }
}

export interface ListCancelsRow {
  readonly fence: bigint
  readonly cancelReason: string | null
}

const LIST_CANCELS: TypedStatement<ListCancelsRow> = {
  path: 'work/list-cancels',
  daily: false,
  columns: ['fence', 'cancel_reason'],
  decode: (row) => ({
    fence: bigint(row[0]),
    cancelReason: orNull(text, row[1]),
  }),
}

/** Runs of a worker whose handlers are to end: they are asked to, or they belong to somebody else by now. */
export function listCancels(runIds: List<'uuid'>, fences: List<'int8'>): Call<ListCancelsRow> {
  return { statement: LIST_CANCELS, values: [runIds, fences] }
}

export interface MarkStartedRow {
  readonly runId: string
}

const MARK_STARTED: TypedStatement<MarkStartedRow> = {
  path: 'work/mark-started',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Commits that attempts are about to start: what dies after this is known to have started. */
export function markStarted(runIds: List<'uuid'>, fences: List<'int8'>): Call<MarkStartedRow> {
  return { statement: MARK_STARTED, values: [runIds, fences] }
}

export interface FindHoldersRow {
  readonly runId: string
  readonly sessionId: string
}

const FIND_HOLDERS: TypedStatement<FindHoldersRow> = {
  path: 'work/parked/find-holders',
  daily: false,
  columns: ['run_id', 'session_id'],
  decode: (row) => ({
    runId: text(row[0]),
    sessionId: text(row[1]),
  }),
}

/** Which sessions hold some runs. */
export function findHolders(runIds: List<'uuid'>): Call<FindHoldersRow> {
  return { statement: FIND_HOLDERS, values: [runIds] }
}

export interface ListParkedRow {
  readonly jobId: string | null
  readonly gate: bigint | null
}

const LIST_PARKED: TypedStatement<ListParkedRow> = {
  path: 'work/parked/list-parked',
  daily: false,
  columns: ['job_id', 'gate'],
  decode: (row) => ({
    jobId: orNull(text, row[0]),
    gate: orNull(bigint, row[1]),
  }),
}

/** The jobs, and the gates, that runs which are parked wait for. */
export function listParked(runIds: List<'uuid'>): Call<ListParkedRow> {
  return { statement: LIST_PARKED, values: [runIds] }
}

export interface ReleaseGatesRow {
  readonly lane: number
}

const RELEASE_GATES: TypedStatement<ReleaseGatesRow> = {
  path: 'work/parked/release-gates',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Gates that have room: the first of the runs that wait for each may start, as many as there is room for beside those
 * that go on and those that were let through before. Two that look at once may let too many through: those wait again. */
export function releaseGates(gates: List<'int8'>): Call<ReleaseGatesRow> {
  return { statement: RELEASE_GATES, values: [gates] }
}

export interface ReleaseParkedRow {
  readonly lane: number
}

const RELEASE_PARKED: TypedStatement<ReleaseParkedRow> = {
  path: 'work/parked/release-parked',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Jobs that nobody holds: the first of their runs that wait may start. */
export function releaseParked(jobs: List<'uuid'>): Call<ReleaseParkedRow> {
  return { statement: RELEASE_PARKED, values: [jobs] }
}

export interface SkipParkedRow {
  readonly runId: string
}

const SKIP_PARKED: TypedStatement<SkipParkedRow> = {
  path: 'work/parked/skip-parked',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Runs that may not wait for the run of their job that goes on: they are skipped. Of jobs that let one run wait,
 * those behind the first. */
export function skipParked(ownIdForCounters: Big, runIds: List<'uuid'>): Call<SkipParkedRow> {
  return { statement: SKIP_PARKED, values: [ownIdForCounters, runIds] }
}

export interface SupersedeHoldersRow {
  readonly runId: string
}

const SUPERSEDE_HOLDERS: TypedStatement<SupersedeHoldersRow> = {
  path: 'work/parked/supersede-holders',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Runs that take the place of the run of their job that goes on. It is ended where it waits for another attempt,
 * and where it runs it is ended at once (terminate) or asked to end (cancel). Older runs that wait are
 * superseded as well. */
export function supersedeHolders(ownIdForCounters: Big, runIds: List<'uuid'>): Call<SupersedeHoldersRow> {
  return { statement: SUPERSEDE_HOLDERS, values: [ownIdForCounters, runIds] }
}

const APPEND_LATE_LOGS: TypedStatement<null> = {
  path: 'work/progress/append-late-logs',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Appends lines to the logs of runs, held or not: the tenant is read from the run, which is of any day. A line
 * that is there already stays, and lines of a run that is gone are dropped. */
export function appendLateLogs(runIds: List<'uuid'>, attempts: List<'int2'>, sequenceNumbers: List<'int4'>, agesInMs: List<'int4'>, levels: List<'int2'>, messages: List<'text'>, data: List<'text'>): Call<null> {
  return { statement: APPEND_LATE_LOGS, values: [runIds, attempts, sequenceNumbers, agesInMs, levels, messages, data] }
}

export interface AppendLogsRow {
  readonly late: number
}

const APPEND_LOGS: TypedStatement<AppendLogsRow> = {
  path: 'work/progress/append-logs',
  daily: false,
  columns: ['late'],
  decode: (row) => ({
    late: number(row[0]),
  }),
}

/** Appends lines to the logs of runs that are held. A line that is there already (a repeated write) stays. */
export function appendLogs(runIds: List<'uuid'>, attempts: List<'int2'>, sequenceNumbers: List<'int4'>, agesInMs: List<'int4'>, levels: List<'int2'>, messages: List<'text'>, data: List<'text'>): Call<AppendLogsRow> {
  return { statement: APPEND_LOGS, values: [runIds, attempts, sequenceNumbers, agesInMs, levels, messages, data] }
}

export interface ListCheckpointsRow {
  readonly runId: string
  readonly state: string | null
}

const LIST_CHECKPOINTS: TypedStatement<ListCheckpointsRow> = {
  path: 'work/progress/list-checkpoints',
  daily: false,
  columns: ['run_id', 'state'],
  decode: (row) => ({
    runId: text(row[0]),
    state: orNull(text, row[1]),
  }),
}

/** What earlier attempts of runs have kept, in the order of the runs. The states end where their sum
 * would exceed a number of bytes, and those that follow are not loaded. */
export function listCheckpoints(runIds: List<'uuid'>, mostBytesOfStates: Big): Call<ListCheckpointsRow> {
  return { statement: LIST_CHECKPOINTS, values: [runIds, mostBytesOfStates] }
}

const REPORT_PROGRESS: TypedStatement<null> = {
  path: 'work/progress/report-progress',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Keeps the latest progress of running attempts. */
export function reportProgress(runIds: List<'uuid'>, fences: List<'int8'>, progress: List<'text'>): Call<null> {
  return { statement: REPORT_PROGRESS, values: [runIds, fences, progress] }
}

export interface SaveCheckpointRow {
  readonly runId: string
}

const SAVE_CHECKPOINT: TypedStatement<SaveCheckpointRow> = {
  path: 'work/progress/save-checkpoint',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Keeps how far a run has come, for its next attempt. The lease carries a mark from then on, and so does the run
 * wherever it goes. */
export function saveCheckpoint(runId: Text, fence: Big, state: Text): Call<SaveCheckpointRow> {
  return { statement: SAVE_CHECKPOINT, values: [runId, fence, state] }
}

export interface SumLogsRow {
  readonly runId: string
  readonly bytes: number
}

const SUM_LOGS: TypedStatement<SumLogsRow> = {
  path: 'work/progress/sum-logs',
  daily: false,
  columns: ['run_id', 'bytes'],
  decode: (row) => ({
    runId: text(row[0]),
    bytes: number(row[1]),
  }),
}

/** How long the logs of runs are, as the limit of a run's log counts: fifty bytes for a line beside its texts. */
export function sumLogs(runIds: List<'uuid'>, smallestId: Text, largestId: Text): Call<SumLogsRow> {
  return { statement: SUM_LOGS, values: [runIds, smallestId, largestId] }
}

export interface ReadLeasesRow {
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
}

const READ_LEASES: TypedStatement<ReadLeasesRow> = {
  path: 'work/read-leases',
  daily: false,
  columns: ['id', 'fence', 'lane', 'tenant_id', 'handler', 'queue', 'priority', 'attempt', 'crashes', 'traits', 'job_id', 'gate', 'limited'],
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
  }),
}

/** Those of some runs that a session holds, and what their leases tell of them. */
export function readLeases(session: Big, runIds: List<'uuid'>): Call<ReadLeasesRow> {
  return { statement: READ_LEASES, values: [session, runIds] }
}

export interface ReadRunsRow {
  readonly id: string
  readonly timeoutMs: number
  readonly maxAttempts: number
  readonly dueMs: number
  readonly payload: string | null
  readonly bytes: number
  readonly extra: string | null
}

const READ_RUNS: TypedStatement<ReadRunsRow> = {
  path: 'work/read-runs',
  daily: true,
  columns: ['id', 'timeout_ms', 'max_attempts', 'due_ms', 'payload', 'bytes', 'extra'],
  decode: (row) => ({
    id: text(row[0]),
    timeoutMs: number(row[1]),
    maxAttempts: number(row[2]),
    dueMs: number(row[3]),
    payload: orNull(text, row[4]),
    bytes: number(row[5]),
    extra: orNull(text, row[6]),
  }),
}

/** What claimed runs of one day are to do, in the order of their ids. The payloads end where their
 * sum would exceed a number of bytes; those that follow are not loaded, as the length of a payload
 * is known without reading it. */
export function readRuns(ids: List<'uuid'>, mostBytesOfPayloads: Big, firstPayloadIsReturned: Bool): Call<ReadRunsRow> {
  return { statement: READ_RUNS, values: [ids, mostBytesOfPayloads, firstPayloadIsReturned] }
}

const RECORD_STALE: TypedStatement<null> = {
  path: 'work/record-stale',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Remembers outcomes that came too late. */
export function recordStale(session: Big, runIds: List<'uuid'>, fences: List<'int8'>): Call<null> {
  return { statement: RECORD_STALE, values: [session, runIds, fences] }
}

export interface SetAsideHeadRow {
  readonly runId: string
}

const SET_ASIDE_HEAD: TypedStatement<SetAsideHeadRow> = {
  path: 'work/set-aside-head',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Moves the first due run of a lane to a later position, otherwise unchanged: the claim of this run
 * alone fails on a stored value. The value may be of its rate, which other runs share, so the run
 * does not end: it is claimed again later, when an operator may have repaired the value. */
export function setAsideHead(lane: Num, delayInMs: Big): Call<SetAsideHeadRow> {
  return { statement: SET_ASIDE_HEAD, values: [lane, delayInMs] }
}

export interface SettleAllSucceededRow {
  readonly settled: boolean
}

const SETTLE_ALL_SUCCEEDED: TypedStatement<SettleAllSucceededRow> = {
  path: 'work/settle-all-succeeded',
  daily: false,
  columns: ['settled'],
  decode: (row) => ({
    settled: boolean(row[0]),
  }),
}

/** Ends runs whose handler returned: all of them, or none when a lease is gone (then settle-succeeded finds
 * out which). It does what settle-succeeded does, with nothing kept in between: a test compares the two.
 * The fences are compared by their number and their sum: each is random, and a list in a filter would be
 * searched from its beginning for every row. */
export function settleAllSucceeded(session: Big, runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, outputs: List<'text'>, lanes: List<'int4'>, laneOfAll: Num, tenant: Num, attempts: List<'int2'>, crashes: List<'int2'>, runsThatHoldKey: List<'uuid'>, sumOfFences: Big, lanesThatAreCounted: List<'int4'>, runsOfEach: List<'int8'>, jobsThatTheirRuns: List<'uuid'>, jobsForWhichEnd: List<'uuid'>, rearms: List<'bool'>, runsThatHaveGate: List<'uuid'>): Call<SettleAllSucceededRow> {
  return { statement: SETTLE_ALL_SUCCEEDED, values: [session, runIds, fences, msSinceHandlerWas, outputs, lanes, laneOfAll, tenant, attempts, crashes, runsThatHoldKey, sumOfFences, lanesThatAreCounted, runsOfEach, jobsThatTheirRuns, jobsForWhichEnd, rearms, runsThatHaveGate] }
}

export interface SettleCancelledRow {
  readonly accepted: string[] | null
}

const SETTLE_CANCELLED: TypedStatement<SettleCancelledRow> = {
  path: 'work/settle-cancelled',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Ends runs whose handler ended because it was asked to, or which were asked to and did not start, for good. */
export function settleCancelled(session: Big, runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, errors: List<'jsonb'>, reasons: List<'text'>, onlyThoseThatDatabase: Bool): Call<SettleCancelledRow> {
  return { statement: SETTLE_CANCELLED, values: [session, runIds, fences, msSinceHandlerWas, errors, reasons, onlyThoseThatDatabase] }
}

export interface SettleDeadRow {
  readonly accepted: string[] | null
}

const SETTLE_DEAD: TypedStatement<SettleDeadRow> = {
  path: 'work/settle-dead',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Ends runs whose last attempt failed, and keeps them as dead letters. */
export function settleDead(session: Big, runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, attemptOutcomes: List<'int2'>, errors: List<'jsonb'>, reasons: List<'text'>, fingerprints: List<'text'>): Call<SettleDeadRow> {
  return { statement: SETTLE_DEAD, values: [session, runIds, fences, msSinceHandlerWas, attemptOutcomes, errors, reasons, fingerprints] }
}

export interface SettleRetryRow {
  readonly accepted: string[] | null
}

const SETTLE_RETRY: TypedStatement<SettleRetryRow> = {
  path: 'work/settle-retry',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Ends attempts that failed and will be followed by another one: near ones go to the queue, far ones wait. Those
 * that were asked to end are left for settle-cancelled. */
export function settleRetry(runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, attemptOutcomes: List<'int2'>, errors: List<'jsonb'>, delaysInMs: List<'int8'>, horizonInMs: Big): Call<SettleRetryRow> {
  return { statement: SETTLE_RETRY, values: [runIds, fences, msSinceHandlerWas, attemptOutcomes, errors, delaysInMs, horizonInMs] }
}

export interface SettleSkippedRow {
  readonly accepted: string[] | null
}

const SETTLE_SKIPPED: TypedStatement<SettleSkippedRow> = {
  path: 'work/settle-skipped',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Ends runs that their worker did not start, because they are not worth running any more. One that was asked to end has
 * ended for that reason. */
export function settleSkipped(session: Big, runIds: List<'uuid'>, fences: List<'int8'>, reasons: List<'text'>): Call<SettleSkippedRow> {
  return { statement: SETTLE_SKIPPED, values: [session, runIds, fences, reasons] }
}

export interface SettleSucceededRow {
  readonly accepted: string[] | null
}

const SETTLE_SUCCEEDED: TypedStatement<SettleSucceededRow> = {
  path: 'work/settle-succeeded',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Ends runs whose handler returned, when some of them may not be ours any more: run and fence must match as
 * a pair, and what does not is left alone. The common case is settle-all-succeeded. */
export function settleSucceeded(session: Big, runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, outputs: List<'text'>): Call<SettleSucceededRow> {
  return { statement: SETTLE_SUCCEEDED, values: [session, runIds, fences, msSinceHandlerWas, outputs] }
}

export interface SettleUnknownRow {
  readonly accepted: string[] | null
}

const SETTLE_UNKNOWN: TypedStatement<SettleUnknownRow> = {
  path: 'work/settle-unknown',
  daily: false,
  columns: ['accepted'],
  decode: (row) => ({
    accepted: orNull(texts, row[0]),
  }),
}

/** Ends runs that must not run twice, and of which nobody knows what their targets did. */
export function settleUnknown(session: Big, runIds: List<'uuid'>, fences: List<'int8'>, msSinceHandlerWas: List<'int4'>, attemptOutcomes: List<'int2'>, errors: List<'jsonb'>, reasons: List<'text'>): Call<SettleUnknownRow> {
  return { statement: SETTLE_UNKNOWN, values: [session, runIds, fences, msSinceHandlerWas, attemptOutcomes, errors, reasons] }
}

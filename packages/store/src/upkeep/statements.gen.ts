// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { boolean, number, numbers, orNull, text, texts } from '../sql/cells.ts'
import type { Big, Call, List, Num, Text, Timestamp, TypedStatement } from '../sql/typed.ts'

export interface AdvanceBookingsRow {
  readonly looked: number
  readonly moved: number
  readonly lastUs: string | null
  readonly stopped: boolean
  readonly lanes: number[] | null
}

const ADVANCE_BOOKINGS: TypedStatement<AdvanceBookingsRow> = {
  path: 'upkeep/advance-bookings',
  daily: false,
  columns: ['looked', 'moved', 'last_us', 'stopped', 'lanes'],
  decode: (row) => ({
    looked: number(row[0]),
    moved: number(row[1]),
    lastUs: orNull(text, row[2]),
    stopped: boolean(row[3]),
    lanes: orNull(numbers, row[4]),
  }),
}

/** Moves the bookings of waiting runs forward when earlier bookings of their rate were given up: in
 * their order, at the interval of the rate, after the starts so far. A run that another transaction
 * is changing keeps its booking, and so do all runs after it: that transaction may leave the
 * booking unchanged. The transaction has to hold the rate (lock-rate). */
export function advanceBookings(rate: Big, afterThisBookingIn: Big, mostRunsToRead: Num): Call<AdvanceBookingsRow> {
  return { statement: ADVANCE_BOOKINGS, values: [rate, afterThisBookingIn, mostRunsToRead] }
}

export interface ListDeadRowsRow {
  readonly relname: string
}

const LIST_DEAD_ROWS: TypedStatement<ListDeadRowsRow> = {
  path: 'upkeep/list-dead-rows',
  daily: false,
  columns: ['relname'],
  decode: (row) => ({
    relname: text(row[0]),
  }),
}

/** Tables with many dead rows that a vacuum may remove. While a transaction is open that began before
 * the last vacuum of a table, another vacuum would read the table and remove nothing. */
export function listDeadRows(schema: Text, tables: List<'text'>, rows: Big): Call<ListDeadRowsRow> {
  return { statement: LIST_DEAD_ROWS, values: [schema, tables, rows] }
}

export interface ListExpiredSessionsRow {
  readonly incarnation: string
  readonly sessionIds: string[]
  readonly leasesMs: number[]
  readonly nextInMs: number | null
  readonly parked: boolean
  readonly shortestLeaseMs: number | null
}

const LIST_EXPIRED_SESSIONS: TypedStatement<ListExpiredSessionsRow> = {
  path: 'upkeep/list-expired-sessions',
  daily: false,
  columns: ['incarnation', 'session_ids', 'leases_ms', 'next_in_ms', 'parked', 'shortest_lease_ms'],
  decode: (row) => ({
    incarnation: text(row[0]),
    sessionIds: texts(row[1]),
    leasesMs: numbers(row[2]),
    nextInMs: orNull(number, row[3]),
    parked: boolean(row[4]),
    shortestLeaseMs: orNull(number, row[5]),
  }),
}

/** Sessions whose lease has expired, one of each tenant in turn, and the server instance that reports
 * them. The reaper fences a few at a time: thousands of one tenant must not delay those of another. */
export function listExpiredSessions(): Call<ListExpiredSessionsRow> {
  return { statement: LIST_EXPIRED_SESSIONS, values: [] }
}

export interface ListFreeGatesRow {
  readonly gates: string[] | null
  readonly lastGate: string | null
  readonly looked: number
}

const LIST_FREE_GATES: TypedStatement<ListFreeGatesRow> = {
  path: 'upkeep/list-free-gates',
  daily: false,
  columns: ['gates', 'last_gate', 'looked'],
  decode: (row) => ({
    gates: orNull(texts, row[0]),
    lastGate: orNull(text, row[1]),
    looked: number(row[2]),
  }),
}

/** Gates that have capacity although runs wait for them: the process that should have admitted them
 * may have died. */
export function listFreeGates(afterThisGate: Big, mostGatesToRead: Num): Call<ListFreeGatesRow> {
  return { statement: LIST_FREE_GATES, values: [afterThisGate, mostGatesToRead] }
}

export interface ListOrphanSessionsRow {
  readonly sessionId: string
}

const LIST_ORPHAN_SESSIONS: TypedStatement<ListOrphanSessionsRow> = {
  path: 'upkeep/list-orphan-sessions',
  daily: false,
  columns: ['session_id'],
  decode: (row) => ({
    sessionId: text(row[0]),
  }),
}

/** Session ids that hold leases but do not exist: only a bug or a lost commit can cause this. */
export function listOrphanSessions(): Call<ListOrphanSessionsRow> {
  return { statement: LIST_ORPHAN_SESSIONS, values: [] }
}

export interface ListParkedJobsRow {
  readonly runIds: string[] | null
}

const LIST_PARKED_JOBS: TypedStatement<ListParkedJobsRow> = {
  path: 'upkeep/list-parked-jobs',
  daily: false,
  columns: ['run_ids'],
  decode: (row) => ({
    runIds: orNull(texts, row[0]),
  }),
}

/** A page of runs that have been parked behind another run of their job for some time: the process
 * that should have released them may have died. Runs that stay parked, because their job lets all
 * of them wait, must not hide the runs after them. */
export function listParkedJobs(howLongInMs: Big, afterThisRun: Text, mostRuns: Num): Call<ListParkedJobsRow> {
  return { statement: LIST_PARKED_JOBS, values: [howLongInMs, afterThisRun, mostRuns] }
}

export interface ListRateGapsRow {
  readonly rates: string[] | null
  readonly lastRate: string | null
  readonly looked: number
}

const LIST_RATE_GAPS: TypedStatement<ListRateGapsRow> = {
  path: 'upkeep/list-rate-gaps',
  daily: false,
  columns: ['rates', 'last_rate', 'looked'],
  decode: (row) => ({
    rates: orNull(texts, row[0]),
    lastRate: orNull(text, row[1]),
    looked: number(row[2]),
  }),
}

/** Rates that are booked further ahead than their starts and waiting bookings require: booked runs
 * were cancelled, or rescheduled to a later time. */
export function listRateGaps(afterThisRate: Big, mostRatesToRead: Num, mostRunsToCount: Num): Call<ListRateGapsRow> {
  return { statement: LIST_RATE_GAPS, values: [afterThisRate, mostRatesToRead, mostRunsToCount] }
}

export interface LockRateRow {
  readonly rate: string
}

const LOCK_RATE: TypedStatement<LockRateRow> = {
  path: 'upkeep/lock-rate',
  daily: false,
  columns: ['rate'],
  decode: (row) => ({
    rate: text(row[0]),
  }),
}

/** Keeps claims from booking a rate until the transaction ends, so that the next statement sees all
 * bookings. */
export function lockRate(rate: Big): Call<LockRateRow> {
  return { statement: LOCK_RATE, values: [rate] }
}

export interface PromoteRunsRow {
  readonly promoted: number
  readonly nextInMs: number | null
}

const PROMOTE_RUNS: TypedStatement<PromoteRunsRow> = {
  path: 'upkeep/promote-runs',
  daily: false,
  columns: ['promoted', 'next_in_ms'],
  decode: (row) => ({
    promoted: number(row[0]),
    nextInMs: orNull(number, row[1]),
  }),
}

/** Moves runs that are due within the horizon from `later` to the queue. */
export function promoteRuns(horizonInMs: Big, mostRuns: Num, whereToStart: Timestamp): Call<PromoteRunsRow> {
  return { statement: PROMOTE_RUNS, values: [horizonInMs, mostRuns, whereToStart] }
}

export interface ReapSessionsRow {
  readonly sessions: number
  readonly returned: number
  readonly dead: number
  readonly unknown: number
  readonly cancelled: number
}

const REAP_SESSIONS: TypedStatement<ReapSessionsRow> = {
  path: 'upkeep/reap-sessions',
  daily: false,
  columns: ['sessions', 'returned', 'dead', 'unknown', 'cancelled'],
  decode: (row) => ({
    sessions: number(row[0]),
    returned: number(row[1]),
    dead: number(row[2]),
    unknown: number(row[3]),
    cancelled: number(row[4]),
  }),
}

/** Fences sessions whose lease has expired and takes back their runs. */
export function reapSessions(thisProcessSId: Big, sessions: List<'int8'>, crashesUntilQuarantine: Num): Call<ReapSessionsRow> {
  return { statement: REAP_SESSIONS, values: [thisProcessSId, sessions, crashesUntilQuarantine] }
}

export interface DeleteCarriedRow {
  readonly rows: number
}

const DELETE_CARRIED: TypedStatement<DeleteCarriedRow> = {
  path: 'upkeep/sweeps/delete-carried',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes carried-over runs that ended before the retention. Their days have no partition of their
 * own any more, so rows are deleted individually; they are few. Each delete names the range of ids,
 * so that it reads the carry-over partitions only. */
export function deleteCarried(days: Num): Call<DeleteCarriedRow> {
  return { statement: DELETE_CARRIED, values: [days] }
}

export interface DeleteIdleRatesRow {
  readonly rows: number
}

const DELETE_IDLE_RATES: TypedStatement<DeleteIdleRatesRow> = {
  path: 'upkeep/sweeps/delete-idle-rates',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes rates that were not used in the last hour: when used again, a new rate starts in the same
 * state. */
export function deleteIdleRates(): Call<DeleteIdleRatesRow> {
  return { statement: DELETE_IDLE_RATES, values: [] }
}

export interface DeleteKeyWindowsRow {
  readonly rows: number
}

const DELETE_KEY_WINDOWS: TypedStatement<DeleteKeyWindowsRow> = {
  path: 'upkeep/sweeps/delete-key-windows',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes keys whose window is over and that were not submitted in the last hour: by then, every
 * client that retries a submission has given up. */
export function deleteKeyWindows(): Call<DeleteKeyWindowsRow> {
  return { statement: DELETE_KEY_WINDOWS, values: [] }
}

export interface DeleteOldCountersRow {
  readonly rows: number
}

const DELETE_OLD_COUNTERS: TypedStatement<DeleteOldCountersRow> = {
  path: 'upkeep/sweeps/delete-old-counters',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes counters beyond the retention. */
export function deleteOldCounters(days: Num): Call<DeleteOldCountersRow> {
  return { statement: DELETE_OLD_COUNTERS, values: [days] }
}

export interface DeleteOldGroupsRow {
  readonly rows: number
}

const DELETE_OLD_GROUPS: TypedStatement<DeleteOldGroupsRow> = {
  path: 'upkeep/sweeps/delete-old-groups',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes groups that have been done for longer than the retention, with the lists of their
 * members. */
export function deleteOldGroups(days: Num): Call<DeleteOldGroupsRow> {
  return { statement: DELETE_OLD_GROUPS, values: [days] }
}

export interface DeleteOldRequestsRow {
  readonly rows: number
}

const DELETE_OLD_REQUESTS: TypedStatement<DeleteOldRequestsRow> = {
  path: 'upkeep/sweeps/delete-old-requests',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes answers to requests that are older than a day. */
export function deleteOldRequests(): Call<DeleteOldRequestsRow> {
  return { statement: DELETE_OLD_REQUESTS, values: [] }
}

export interface DeleteOldSumsRow {
  readonly rows: number
}

const DELETE_OLD_SUMS: TypedStatement<DeleteOldSumsRow> = {
  path: 'upkeep/sweeps/delete-old-sums',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes day sums beyond the retention. */
export function deleteOldSums(days: Num): Call<DeleteOldSumsRow> {
  return { statement: DELETE_OLD_SUMS, values: [days] }
}

export interface DeleteOnceJobsRow {
  readonly deleted: number
  readonly looked: number
  readonly lastSlot: string | null
  readonly lastJob: string | null
}

const DELETE_ONCE_JOBS: TypedStatement<DeleteOnceJobsRow> = {
  path: 'upkeep/sweeps/delete-once-jobs',
  daily: false,
  columns: ['deleted', 'looked', 'last_slot', 'last_job'],
  decode: (row) => ({
    deleted: number(row[0]),
    looked: number(row[1]),
    lastSlot: orNull(text, row[2]),
    lastJob: orNull(text, row[3]),
  }),
}

/** Deletes one-time jobs whose slot is older than the retention and whose runs have all been
 * deleted. The ledger no longer has their slots, so nothing needs their rules. Skips jobs that
 * another transaction is changing. */
export function deleteOnceJobs(days: Num, slot: Timestamp, idOfLastJob: Text, mostJobsToRead: Num): Call<DeleteOnceJobsRow> {
  return { statement: DELETE_ONCE_JOBS, values: [days, slot, idOfLastJob, mostJobsToRead] }
}

export interface DeletePastSessionsRow {
  readonly rows: number
}

const DELETE_PAST_SESSIONS: TypedStatement<DeletePastSessionsRow> = {
  path: 'upkeep/sweeps/delete-past-sessions',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes records of workers that ended more than a day ago. */
export function deletePastSessions(): Call<DeletePastSessionsRow> {
  return { statement: DELETE_PAST_SESSIONS, values: [] }
}

export interface DeleteStaleSettlesRow {
  readonly rows: number
}

const DELETE_STALE_SETTLES: TypedStatement<DeleteStaleSettlesRow> = {
  path: 'upkeep/sweeps/delete-stale-settles',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Deletes records of refused outcomes beyond the retention, and dead letters whose runs were
 * dropped with their partition. A run that was carried over keeps its dead letter. */
export function deleteStaleSettles(days: Num): Call<DeleteStaleSettlesRow> {
  return { statement: DELETE_STALE_SETTLES, values: [days] }
}

export interface DeleteTimingsRow {
  readonly deleted: number
  readonly looked: number
  readonly lastTiming: number | null
}

const DELETE_TIMINGS: TypedStatement<DeleteTimingsRow> = {
  path: 'upkeep/sweeps/delete-timings',
  daily: false,
  columns: ['deleted', 'looked', 'last_timing'],
  decode: (row) => ({
    deleted: number(row[0]),
    looked: number(row[1]),
    lastTiming: orNull(number, row[2]),
  }),
}

/** Deletes timing rules that neither a job nor an earlier version of a job has referred to for a
 * while, a page at a time. A rule is first marked, and deleted by a later sweep: processes cache the
 * numbers of rules for less time than that (jobs/timing-ids.ts). */
export function deleteTimings(numberOfLastRule: Num, mostRulesToRead: Num, msForWhichRule: Big): Call<DeleteTimingsRow> {
  return { statement: DELETE_TIMINGS, values: [numberOfLastRule, mostRulesToRead, msForWhichRule] }
}

export interface FoldCountersRow {
  readonly rows: number
}

const FOLD_COUNTERS: TypedStatement<FoldCountersRow> = {
  path: 'upkeep/sweeps/fold-counters',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Folds counters older than ten minutes into one row per minute for all connections, under
 * connection 0, and counters older than an hour into one row for all sessions, under session 0.
 * Until then `workers.list` can show how the runs of each session ended. */
export function foldCounters(): Call<FoldCountersRow> {
  return { statement: FOLD_COUNTERS, values: [] }
}

const FORGET_USES: TypedStatement<null> = {
  path: 'upkeep/sweeps/forget-uses',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Forgets all uses of keys and rates, including the rates of limits: windows of keys, bookings and
 * starts. For tests, which have to begin as if nothing had run; the limits themselves stay. */
export function forgetUses(): Call<null> {
  return { statement: FORGET_USES, values: [] }
}

export interface SumJobHourRow {
  readonly rows: number
}

const SUM_JOB_HOUR: TypedStatement<SumJobHourRow> = {
  path: 'upkeep/sweeps/sum-job-hour',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Counts the ends of job runs that were due in one hour, and notes runs that have not ended yet.
 * Only the transaction that advances the hour writes. Per tenant, the jobs with the most runs are
 * counted individually, up to a limit; the others are counted together. */
export function sumJobHour(hourInMs: Num, itsFirstId: Text, firstIdAfterIt: Text, mostJobsOfTenant: Num): Call<SumJobHourRow> {
  return { statement: SUM_JOB_HOUR, values: [hourInMs, itsFirstId, firstIdAfterIt, mostJobsOfTenant] }
}

export interface SumLaneDayRow {
  readonly rows: number
}

const SUM_LANE_DAY: TypedStatement<SumLaneDayRow> = {
  path: 'upkeep/sweeps/sum-lane-day',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Sums the counters of the next day, half an hour after it has ended, when its counters are
 * complete. Only the transaction that advances the day writes; a concurrent one finds it advanced. */
export function sumLaneDay(): Call<SumLaneDayRow> {
  return { statement: SUM_LANE_DAY, values: [] }
}

export interface SumLateEndsRow {
  readonly rows: number
}

const SUM_LATE_ENDS: TypedStatement<SumLateEndsRow> = {
  path: 'upkeep/sweeps/sum-late-ends',
  daily: false,
  columns: ['rows'],
  decode: (row) => ({
    rows: number(row[0]),
  }),
}

/** Counts job runs that have ended since their hour was counted. */
export function sumLateEnds(): Call<SumLateEndsRow> {
  return { statement: SUM_LATE_ENDS, values: [] }
}

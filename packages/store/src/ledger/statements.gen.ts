// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { SlotReason } from '@punctual/core/job'
import type { FinalState } from '@punctual/core/run'
import { boolean, date, number, orNull, text, texts } from '../sql/cells.ts'
import { finalState } from '../sql/run-cells.ts'
import { slotDecision, slotReason } from '../sql/slot-cells.ts'
import type { Big, Call, List, Num, Text, Timestamp, TypedStatement } from '../sql/typed.ts'

export interface DeleteCursorsRow {
  readonly jobId: string
}

const DELETE_CURSORS: TypedStatement<DeleteCursorsRow> = {
  path: 'ledger/delete-cursors',
  daily: false,
  columns: ['job_id'],
  decode: (row) => ({
    jobId: text(row[0]),
  }),
}

/** Deletes cursors of jobs that do not exist. A job and its cursor are always inserted and deleted
 * together. */
export function deleteCursors(jobs: List<'uuid'>): Call<DeleteCursorsRow> {
  return { statement: DELETE_CURSORS, values: [jobs] }
}

export interface FindJobsRow {
  readonly id: string
  readonly timing: number
  readonly createdMs: number
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly version: number
}

const FIND_JOBS: TypedStatement<FindJobsRow> = {
  path: 'ledger/find-jobs',
  daily: false,
  columns: ['id', 'timing', 'created_ms', 'anchor_ms', 'end_ms', 'version'],
  decode: (row) => ({
    id: text(row[0]),
    timing: number(row[1]),
    createdMs: number(row[2]),
    anchorMs: orNull(number, row[3]),
    endMs: orNull(number, row[4]),
    version: number(row[5]),
  }),
}

/** The columns of jobs that their slots depend on. */
export function findJobs(jobs: List<'uuid'>): Call<FindJobsRow> {
  return { statement: FIND_JOBS, values: [jobs] }
}

export interface FindRunsRow {
  readonly n: number
  readonly placed: boolean
  readonly state: FinalState | null
  readonly latenessMs: number | null
}

const FIND_RUNS: TypedStatement<FindRunsRow> = {
  path: 'ledger/find-runs',
  daily: false,
  columns: ['n', 'placed', 'state', 'lateness_ms'],
  decode: (row) => ({
    n: number(row[0]),
    placed: boolean(row[1]),
    state: orNull(finalState, row[2]),
    latenessMs: orNull(number, row[3]),
  }),
}

/** Whether runs are in a place, their final states, and how late they first started. */
export function findRuns(runs: List<'uuid'>): Call<FindRunsRow> {
  return { statement: FIND_RUNS, values: [runs] }
}

export interface FreeHoldsRow {
  readonly lastId: string | null
  readonly looked: number
  readonly jobIds: string[] | null
  readonly runIds: string[] | null
}

const FREE_HOLDS: TypedStatement<FreeHoldsRow> = {
  path: 'ledger/free-holds',
  daily: false,
  columns: ['last_id', 'looked', 'job_ids', 'run_ids'],
  decode: (row) => ({
    lastId: orNull(text, row[0]),
    looked: number(row[1]),
    jobIds: orNull(texts, row[2]),
    runIds: orNull(texts, row[3]),
  }),
}

/** Frees jobs that are held by runs which no longer exist in any place. A run that holds its job is
 * leased or waits for another attempt; the statement that ends it also frees the job. */
export function freeHolds(afterThisJob: Text, mostHoldsToRead: Num): Call<FreeHoldsRow> {
  return { statement: FREE_HOLDS, values: [afterThisJob, mostHoldsToRead] }
}

export interface ListFollowedSlotsRow {
  readonly slotMs: number
}

const LIST_FOLLOWED_SLOTS: TypedStatement<ListFollowedSlotsRow> = {
  path: 'ledger/list-followed-slots',
  daily: false,
  columns: ['slot_ms'],
  decode: (row) => ({
    slotMs: number(row[0]),
  }),
}

/** Slots of a job that followed from the ends of its runs, so that no rule can compute them. */
export function listFollowedSlots(job: Text, fromInMs: Num, untilInMs: Num, mostRows: Num): Call<ListFollowedSlotsRow> {
  return { statement: LIST_FOLLOWED_SLOTS, values: [job, fromInMs, untilInMs, mostRows] }
}

export interface ListFreeParkedRow {
  readonly jobId: string
  readonly runId: string
}

const LIST_FREE_PARKED: TypedStatement<ListFreeParkedRow> = {
  path: 'ledger/list-free-parked',
  daily: false,
  columns: ['job_id', 'run_id'],
  decode: (row) => ({
    jobId: text(row[0]),
    runId: text(row[1]),
  }),
}

/** Runs that have been parked for some time although no run holds their job. */
export function listFreeParked(howLongInMs: Big): Call<ListFreeParkedRow> {
  return { statement: LIST_FREE_PARKED, values: [howLongInMs] }
}

export interface ListJobVersionsRow {
  readonly untilAt: Date
  readonly anchorAt: Date | null
  readonly endAt: Date | null
  readonly version: number
  readonly spec: string
  readonly change: string
}

const LIST_JOB_VERSIONS: TypedStatement<ListJobVersionsRow> = {
  path: 'ledger/list-job-versions',
  daily: false,
  columns: ['until_at', 'anchor_at', 'end_at', 'version', 'spec', 'change'],
  decode: (row) => ({
    untilAt: date(row[0]),
    anchorAt: orNull(date, row[1]),
    endAt: orNull(date, row[2]),
    version: number(row[3]),
    spec: text(row[4]),
    change: text(row[5]),
  }),
}

/** Earlier versions of a job, oldest first. */
export function listJobVersions(job: Text): Call<ListJobVersionsRow> {
  return { statement: LIST_JOB_VERSIONS, values: [job] }
}

export interface ListJobsRow {
  readonly id: string
  readonly timing: number
  readonly version: number | null
  readonly createdMs: number | null
  readonly nextMs: number | null
  readonly cursorMs: number | null
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly runsLeft: number | null
  readonly paused: boolean | null
  readonly setAside: boolean
  readonly nowMs: number
  readonly planning: boolean
  readonly zonesCurrent: boolean
}

const LIST_JOBS: TypedStatement<ListJobsRow> = {
  path: 'ledger/list-jobs',
  daily: false,
  columns: ['id', 'timing', 'version', 'created_ms', 'next_ms', 'cursor_ms', 'anchor_ms', 'end_ms', 'runs_left', 'paused', 'set_aside', 'now_ms', 'planning', 'zones_current'],
  decode: (row) => ({
    id: text(row[0]),
    timing: number(row[1]),
    version: orNull(number, row[2]),
    createdMs: orNull(number, row[3]),
    nextMs: orNull(number, row[4]),
    cursorMs: orNull(number, row[5]),
    anchorMs: orNull(number, row[6]),
    endMs: orNull(number, row[7]),
    runsLeft: orNull(number, row[8]),
    paused: orNull(boolean, row[9]),
    setAside: boolean(row[10]),
    nowMs: number(row[11]),
    planning: boolean(row[12]),
    zonesCurrent: boolean(row[13]),
  }),
}

/** Jobs and their cursors by id, a page at a time. Includes a job without a cursor and a cursor
 * without a job. */
export function listJobs(afterThisId: Text, mostRows: Num, onlyThisId: Text, versionOfThisNode: Text): Call<ListJobsRow> {
  return { statement: LIST_JOBS, values: [afterThisId, mostRows, onlyThisId, versionOfThisNode] }
}

export interface ListRangesRow {
  readonly jobId: string
  readonly slotMs: number
  readonly fromMs: number
}

const LIST_RANGES: TypedStatement<ListRangesRow> = {
  path: 'ledger/list-ranges',
  daily: false,
  columns: ['job_id', 'slot_ms', 'from_ms'],
  decode: (row) => ({
    jobId: text(row[0]),
    slotMs: number(row[1]),
    fromMs: number(row[2]),
  }),
}

/** Ledger rows that cover several slots of some jobs, within a range in which slots seem undecided. */
export function listRanges(jobs: List<'uuid'>, firstSlotInMs: Num, lastSlotInMs: Num): Call<ListRangesRow> {
  return { statement: LIST_RANGES, values: [jobs, firstSlotInMs, lastSlotInMs] }
}

export interface ListSlotsRow {
  readonly slotAt: Date
  readonly fromAt: Date | null
  readonly slots: number
  readonly decision: 'run' | 'skip'
  readonly reason: SlotReason
  readonly runId: string | null
  readonly decidedAt: Date
}

const LIST_SLOTS: TypedStatement<ListSlotsRow> = {
  path: 'ledger/list-slots',
  daily: false,
  columns: ['slot_at', 'from_at', 'slots', 'decision', 'reason', 'run_id', 'decided_at'],
  decode: (row) => ({
    slotAt: date(row[0]),
    fromAt: orNull(date, row[1]),
    slots: number(row[2]),
    decision: slotDecision(row[3]),
    reason: slotReason(row[4]),
    runId: orNull(text, row[5]),
    decidedAt: date(row[6]),
  }),
}

/** The decisions for slots of a job. */
export function listSlots(job: Text, slotsInMs: List<'int8'>): Call<ListSlotsRow> {
  return { statement: LIST_SLOTS, values: [job, slotsInMs] }
}

export interface ListUnplannedRow {
  readonly lastId: string | null
  readonly looked: number
  readonly jobIds: string[] | null
  readonly runIds: string[] | null
}

const LIST_UNPLANNED: TypedStatement<ListUnplannedRow> = {
  path: 'ledger/list-unplanned',
  daily: false,
  columns: ['last_id', 'looked', 'job_ids', 'run_ids'],
  decode: (row) => ({
    lastId: orNull(text, row[0]),
    looked: number(row[1]),
    jobIds: orNull(texts, row[2]),
    runIds: orNull(texts, row[3]),
  }),
}

/** Runs of jobs that wait in the queue without a row in the ledger, although they were neither
 * triggered nor made by a backfill. Leaves out slots older than a day: their partition of the
 * ledger may have been dropped. */
export function listUnplanned(afterThisRun: Text, mostRunsToRead: Num): Call<ListUnplannedRow> {
  return { statement: LIST_UNPLANNED, values: [afterThisRun, mostRunsToRead] }
}

export interface ListVersionsRow {
  readonly jobId: string
  readonly untilMs: number
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly timing: number
}

const LIST_VERSIONS: TypedStatement<ListVersionsRow> = {
  path: 'ledger/list-versions',
  daily: false,
  columns: ['job_id', 'until_ms', 'anchor_ms', 'end_ms', 'timing'],
  decode: (row) => ({
    jobId: text(row[0]),
    untilMs: number(row[1]),
    anchorMs: orNull(number, row[2]),
    endMs: orNull(number, row[3]),
    timing: number(row[4]),
  }),
}

/** Earlier versions of edited or deleted jobs, oldest first. */
export function listVersions(jobs: List<'uuid'>): Call<ListVersionsRow> {
  return { statement: LIST_VERSIONS, values: [jobs] }
}

export interface ProbeSlotsRow {
  readonly n: number
  readonly fromMs: number | null
  readonly runId: string | null
}

const PROBE_SLOTS: TypedStatement<ProbeSlotsRow> = {
  path: 'ledger/probe-slots',
  daily: false,
  columns: ['n', 'from_ms', 'run_id'],
  decode: (row) => ({
    n: number(row[0]),
    fromMs: orNull(number, row[1]),
    runId: orNull(text, row[2]),
  }),
}

/** The decisions for slots of many jobs. */
export function probeSlots(jobs: List<'uuid'>, slotsInMs: List<'int8'>): Call<ProbeSlotsRow> {
  return { statement: PROBE_SLOTS, values: [jobs, slotsInMs] }
}

export interface RearmJobsRow {
  readonly jobId: string
}

const REARM_JOBS: TypedStatement<RearmJobsRow> = {
  path: 'ledger/rearm-jobs',
  daily: false,
  columns: ['job_id'],
  decode: (row) => ({
    jobId: text(row[0]),
  }),
}

/** Re-arms jobs that wait for the end of a run that is in no place any more, as the end of the run
 * should have done. The run is that of the slot decided last. */
export function rearmJobs(jobs: List<'uuid'>, versions: List<'int4'>, cursors: List<'int8'>): Call<RearmJobsRow> {
  return { statement: REARM_JOBS, values: [jobs, versions, cursors] }
}

export interface RepairCursorRow {
  readonly jobId: string
}

const REPAIR_CURSOR: TypedStatement<RepairCursorRow> = {
  path: 'ledger/repair-cursor',
  daily: false,
  columns: ['job_id'],
  decode: (row) => ({
    jobId: text(row[0]),
  }),
}

/** Moves the cursor of a job to the first undecided slot, unless the job has changed since it was
 * read. */
export function repairCursor(job: Text, version: Num, nextSlot: Num, cursor: Big, slotInMs: Num): Call<RepairCursorRow> {
  return { statement: REPAIR_CURSOR, values: [job, version, nextSlot, cursor, slotInMs] }
}

export interface ScanSlotsRow {
  readonly slotAt: string
  readonly jobId: string
  readonly slotMs: number
  readonly fromMs: number | null
  readonly slots: number
  readonly decision: 'run' | 'skip'
  readonly reason: SlotReason
  readonly runId: string | null
}

const SCAN_SLOTS: TypedStatement<ScanSlotsRow> = {
  path: 'ledger/scan-slots',
  daily: false,
  columns: ['slot_at', 'job_id', 'slot_ms', 'from_ms', 'slots', 'decision', 'reason', 'run_id'],
  decode: (row) => ({
    slotAt: text(row[0]),
    jobId: text(row[1]),
    slotMs: number(row[2]),
    fromMs: orNull(number, row[3]),
    slots: number(row[4]),
    decision: slotDecision(row[5]),
    reason: slotReason(row[6]),
    runId: orNull(text, row[7]),
  }),
}

/** The ledger in key order, a page at a time. */
export function scanSlots(afterThisSlot: Timestamp, thisJob: Text, untilThisSlotIn: Num, mostRows: Num, onlyThisJob: Text): Call<ScanSlotsRow> {
  return { statement: SCAN_SLOTS, values: [afterThisSlot, thisJob, untilThisSlotIn, mostRows, onlyThisJob] }
}

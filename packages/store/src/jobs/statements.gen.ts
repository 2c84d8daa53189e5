// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { RunFlow } from '@punctual/core/flow'
import type { JobStatus } from '@punctual/core/job'
import type { RunState } from '@punctual/core/run'
import { boolean, date, json, number, orNull, text } from '../sql/cells.ts'
import type { Big, Bool, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface FindCandidatesRow {
  readonly jobId: string | null
}

const FIND_CANDIDATES: TypedStatement<FindCandidatesRow> = {
  path: 'jobs/find-candidates',
  daily: false,
  columns: ['job_id'],
  decode: (row) => ({
    jobId: orNull(text, row[0]),
  }),
}

/** Candidates for a filter on jobs, for filters that few jobs match: jobs with runs in some places,
 * jobs that are paused, jobs that will not fire again, or jobs whose next slot is in a range. */
export function findCandidates(tenant: Num, kinds: List<'text'>, nextSlotFrom: Num, beforeInMs: Num, mostRowsOfEach: Num): Call<FindCandidatesRow> {
  return { statement: FIND_CANDIDATES, values: [tenant, kinds, nextSlotFrom, beforeInMs, mostRowsOfEach] }
}

export interface FindJobsRow {
  readonly id: string
  readonly tenantId: number
  readonly name: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: string
  readonly spec: string
  readonly timing: number
  readonly lane: number
  readonly startAt: Date | null
  readonly endAt: Date | null
  readonly maxRuns: number | null
  readonly runsLeft: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly traits: number
  readonly policy: string | null
  readonly labels: Readonly<Record<string, string>> | null
  readonly description: string | null
  readonly owner: string | null
  readonly source: string | null
  readonly createdBy: string | null
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly pausedAt: Date | null
  readonly pausedNote: string | null
  readonly planningError: string | null
  readonly cursorAt: Date | null
  readonly nextAt: Date | null
  readonly anchorAt: Date | null
  readonly failures: number | null
  readonly flow: Partial<RunFlow> | null
}

const FIND_JOBS: TypedStatement<FindJobsRow> = {
  path: 'jobs/find-jobs',
  daily: false,
  columns: ['id', 'tenant_id', 'name', 'handler', 'queue', 'priority', 'payload', 'spec', 'timing', 'lane', 'start_at', 'end_at', 'max_runs', 'runs_left', 'max_attempts', 'timeout_ms', 'traits', 'policy', 'labels', 'description', 'owner', 'source', 'created_by', 'version', 'created_at', 'updated_at', 'paused_at', 'paused_note', 'planning_error', 'cursor_at', 'next_at', 'anchor_at', 'failures', 'flow'],
  decode: (row) => ({
    id: text(row[0]),
    tenantId: number(row[1]),
    name: text(row[2]),
    handler: text(row[3]),
    queue: text(row[4]),
    priority: number(row[5]),
    payload: text(row[6]),
    spec: text(row[7]),
    timing: number(row[8]),
    lane: number(row[9]),
    startAt: orNull(date, row[10]),
    endAt: orNull(date, row[11]),
    maxRuns: orNull(number, row[12]),
    runsLeft: orNull(number, row[13]),
    maxAttempts: number(row[14]),
    timeoutMs: number(row[15]),
    traits: number(row[16]),
    policy: orNull(text, row[17]),
    labels: orNull(json, row[18]) as Readonly<Record<string, string>> | null,
    description: orNull(text, row[19]),
    owner: orNull(text, row[20]),
    source: orNull(text, row[21]),
    createdBy: orNull(text, row[22]),
    version: number(row[23]),
    createdAt: date(row[24]),
    updatedAt: date(row[25]),
    pausedAt: orNull(date, row[26]),
    pausedNote: orNull(text, row[27]),
    planningError: orNull(text, row[28]),
    cursorAt: orNull(date, row[29]),
    nextAt: orNull(date, row[30]),
    anchorAt: orNull(date, row[31]),
    failures: orNull(number, row[32]),
    flow: orNull(json, row[33]) as Partial<RunFlow> | null,
  }),
}

/** Jobs by id or by name. Includes jobs that have lost their cursor, so that they can be seen and
 * deleted. */
export function findJobs(tenant: Num, ids: List<'uuid'>, names: List<'text'>): Call<FindJobsRow> {
  return { statement: FIND_JOBS, values: [tenant, ids, names] }
}

const INSERT_CURSORS: TypedStatement<null> = {
  path: 'jobs/insert-cursors',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Inserts the cursors of newly registered jobs: where each begins and its next slot. */
export function insertCursors(tenant: Num, ids: List<'uuid'>, nextSlotsInMs: List<'int8'>, anchorsInMs: List<'int8'>, endsInMs: List<'int8'>, runsLeft: List<'int4'>, timings: List<'int4'>, shards: List<'int2'>, whenTheyWereRegistered: Num): Call<null> {
  return { statement: INSERT_CURSORS, values: [tenant, ids, nextSlotsInMs, anchorsInMs, endsInMs, runsLeft, timings, shards, whenTheyWereRegistered] }
}

export interface InsertJobsRow {
  readonly id: string
  readonly createdMs: number
}

const INSERT_JOBS: TypedStatement<InsertJobsRow> = {
  path: 'jobs/insert-jobs',
  daily: false,
  columns: ['id', 'created_ms'],
  decode: (row) => ({
    id: text(row[0]),
    createdMs: number(row[1]),
  }),
}

/** Registers jobs whose names are free. */
export function insertJobs(tenant: Num, ids: List<'uuid'>, names: List<'text'>, lanes: List<'int4'>, timings: List<'int4'>, payloads: List<'text'>, timeoutsInMs: List<'int4'>, maxAttempts: List<'int2'>, traits: List<'int2'>, startsInMs: List<'int8'>, maxRuns: List<'int4'>, retries: List<'text'>, labels: List<'jsonb'>, descriptions: List<'text'>, owners: List<'text'>, sources: List<'text'>, createdBy: List<'text'>, flows: List<'jsonb'>): Call<InsertJobsRow> {
  return { statement: INSERT_JOBS, values: [tenant, ids, names, lanes, timings, payloads, timeoutsInMs, maxAttempts, traits, startsInMs, maxRuns, retries, labels, descriptions, owners, sources, createdBy, flows] }
}

export interface InternTimingsRow {
  readonly spec: string
  readonly id: number
}

const INTERN_TIMINGS: TypedStatement<InternTimingsRow> = {
  path: 'jobs/intern-timings',
  daily: false,
  columns: ['spec', 'id'],
  decode: (row) => ({
    spec: text(row[0]),
    id: number(row[1]),
  }),
}

/** Numbers timing rules. Rules that exist keep their numbers. A rule that is marked as unused is
 * unmarked, so that the sweep keeps it for at least as long as a process caches its number. */
export function internTimings(specs: List<'text'>): Call<InternTimingsRow> {
  return { statement: INTERN_TIMINGS, values: [specs] }
}

export interface ListJobsRow {
  readonly id: string
  readonly tenantId: number
  readonly name: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: string
  readonly spec: string
  readonly timing: number
  readonly lane: number
  readonly startAt: Date | null
  readonly endAt: Date | null
  readonly maxRuns: number | null
  readonly runsLeft: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly traits: number
  readonly policy: string | null
  readonly labels: Readonly<Record<string, string>> | null
  readonly description: string | null
  readonly owner: string | null
  readonly source: string | null
  readonly createdBy: string | null
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly pausedAt: Date | null
  readonly pausedNote: string | null
  readonly planningError: string | null
  readonly cursorAt: Date
  readonly nextAt: Date | null
  readonly anchorAt: Date | null
  readonly failures: number
  readonly flow: Partial<RunFlow> | null
}

const LIST_JOBS: TypedStatement<ListJobsRow> = {
  path: 'jobs/list-jobs',
  daily: false,
  columns: ['id', 'tenant_id', 'name', 'handler', 'queue', 'priority', 'payload', 'spec', 'timing', 'lane', 'start_at', 'end_at', 'max_runs', 'runs_left', 'max_attempts', 'timeout_ms', 'traits', 'policy', 'labels', 'description', 'owner', 'source', 'created_by', 'version', 'created_at', 'updated_at', 'paused_at', 'paused_note', 'planning_error', 'cursor_at', 'next_at', 'anchor_at', 'failures', 'flow'],
  decode: (row) => ({
    id: text(row[0]),
    tenantId: number(row[1]),
    name: text(row[2]),
    handler: text(row[3]),
    queue: text(row[4]),
    priority: number(row[5]),
    payload: text(row[6]),
    spec: text(row[7]),
    timing: number(row[8]),
    lane: number(row[9]),
    startAt: orNull(date, row[10]),
    endAt: orNull(date, row[11]),
    maxRuns: orNull(number, row[12]),
    runsLeft: orNull(number, row[13]),
    maxAttempts: number(row[14]),
    timeoutMs: number(row[15]),
    traits: number(row[16]),
    policy: orNull(text, row[17]),
    labels: orNull(json, row[18]) as Readonly<Record<string, string>> | null,
    description: orNull(text, row[19]),
    owner: orNull(text, row[20]),
    source: orNull(text, row[21]),
    createdBy: orNull(text, row[22]),
    version: number(row[23]),
    createdAt: date(row[24]),
    updatedAt: date(row[25]),
    pausedAt: orNull(date, row[26]),
    pausedNote: orNull(text, row[27]),
    planningError: orNull(text, row[28]),
    cursorAt: date(row[29]),
    nextAt: orNull(date, row[30]),
    anchorAt: orNull(date, row[31]),
    failures: number(row[32]),
    flow: orNull(json, row[33]) as Partial<RunFlow> | null,
  }),
}

/** Jobs by name, a page at a time. With a number of bytes, a page ends where its payloads and
 * policies would exceed it, after one job at least. */
export function listJobs(tenant: Num, afterThisName: Text, source: Text, state: Text, mostRows: Num, mostBytes: Big): Call<ListJobsRow> {
  return { statement: LIST_JOBS, values: [tenant, afterThisName, source, state, mostRows, mostBytes] }
}

export interface ListNamesRow {
  readonly id: string
  readonly name: string
}

const LIST_NAMES: TypedStatement<ListNamesRow> = {
  path: 'jobs/list-names',
  daily: false,
  columns: ['id', 'name'],
  decode: (row) => ({
    id: text(row[0]),
    name: text(row[1]),
  }),
}

/** The names of jobs. */
export function listNames(tenant: Num, ids: List<'uuid'>): Call<ListNamesRow> {
  return { statement: LIST_NAMES, values: [tenant, ids] }
}

export interface PageJobsJob {
  readonly status: JobStatus
  readonly runId: string | null
  readonly state: RunState | null
  readonly attempt: number | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly id: string
  readonly tenantId: number
  readonly name: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly payload: string
  readonly spec: string
  readonly timing: number
  readonly lane: number
  readonly startAt: Date | null
  readonly endAt: Date | null
  readonly maxRuns: number | null
  readonly runsLeft: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly traits: number
  readonly policy: string | null
  readonly labels: Readonly<Record<string, string>> | null
  readonly description: string | null
  readonly owner: string | null
  readonly source: string | null
  readonly createdBy: string | null
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly pausedAt: Date | null
  readonly pausedNote: string | null
  readonly planningError: string | null
  readonly cursorAt: Date | null
  readonly nextAt: Date | null
  readonly anchorAt: Date | null
  readonly failures: number
  readonly flow: Partial<RunFlow> | null
}

export interface PageJobsRow {
  readonly looked: number
  readonly last: string | null
  readonly matched: number
  readonly cut: boolean
  readonly job: PageJobsJob | null
}

const PAGE_JOBS: TypedStatement<PageJobsRow> = {
  path: 'jobs/page-jobs',
  daily: false,
  columns: ['looked', 'last', 'matched', 'cut', 'status', 'run_id', 'state', 'attempt', 'started_at', 'finished_at', 'id', 'tenant_id', 'name', 'handler', 'queue', 'priority', 'payload', 'spec', 'timing', 'lane', 'start_at', 'end_at', 'max_runs', 'runs_left', 'max_attempts', 'timeout_ms', 'traits', 'policy', 'labels', 'description', 'owner', 'source', 'created_by', 'version', 'created_at', 'updated_at', 'paused_at', 'paused_note', 'planning_error', 'cursor_at', 'next_at', 'anchor_at', 'failures', 'flow'],
  decode: (row) => ({
    looked: number(row[0]),
    last: orNull(text, row[1]),
    matched: number(row[2]),
    cut: boolean(row[3]),
    job:
      row[4] === null
        ? null
        : {
            status: text(row[4]) as JobStatus,
            runId: orNull(text, row[5]),
            state: orNull(text, row[6]) as RunState | null,
            attempt: orNull(number, row[7]),
            startedAt: orNull(date, row[8]),
            finishedAt: orNull(date, row[9]),
            id: text(row[10]),
            tenantId: number(row[11]),
            name: text(row[12]),
            handler: text(row[13]),
            queue: text(row[14]),
            priority: number(row[15]),
            payload: text(row[16]),
            spec: text(row[17]),
            timing: number(row[18]),
            lane: number(row[19]),
            startAt: orNull(date, row[20]),
            endAt: orNull(date, row[21]),
            maxRuns: orNull(number, row[22]),
            runsLeft: orNull(number, row[23]),
            maxAttempts: number(row[24]),
            timeoutMs: number(row[25]),
            traits: number(row[26]),
            policy: orNull(text, row[27]),
            labels: orNull(json, row[28]) as Readonly<Record<string, string>> | null,
            description: orNull(text, row[29]),
            owner: orNull(text, row[30]),
            source: orNull(text, row[31]),
            createdBy: orNull(text, row[32]),
            version: number(row[33]),
            createdAt: date(row[34]),
            updatedAt: date(row[35]),
            pausedAt: orNull(date, row[36]),
            pausedNote: orNull(text, row[37]),
            planningError: orNull(text, row[38]),
            cursorAt: orNull(date, row[39]),
            nextAt: orNull(date, row[40]),
            anchorAt: orNull(date, row[41]),
            failures: number(row[42]),
            flow: orNull(json, row[43]) as Partial<RunFlow> | null,
          },
  }),
}

/** One range of a page of jobs by name, or the number of matches: each job with its latest run, and
 * the status that a table of rules derives from both. */
export function pageJobs(tenant: Num, afterThisName: Text, prefixOfName: Text, ids: List<'uuid'>, queue: Text, handler: Text, labelsJsonb: Text, nextSlotFrom: Num, beforeInMs: Num, statuses: List<'text'>, mostJobsToRead: Num, mostRows: Num, howManyMatchesTo: Num, onlyToCount: Bool, jobs: List<'text'>, runs: List<'text'>, statusesOfRules: List<'text'>, mostBytesOfPayloads: Big): Call<PageJobsRow> {
  return { statement: PAGE_JOBS, values: [tenant, afterThisName, prefixOfName, ids, queue, handler, labelsJsonb, nextSlotFrom, beforeInMs, statuses, mostJobsToRead, mostRows, howManyMatchesTo, onlyToCount, jobs, runs, statusesOfRules, mostBytesOfPayloads] }
}

export interface ReadClockRow {
  readonly ms: number
}

const READ_CLOCK: TypedStatement<ReadClockRow> = {
  path: 'jobs/read-clock',
  daily: false,
  columns: ['ms'],
  decode: (row) => ({
    ms: number(row[0]),
  }),
}

/** Reads the clock. A separate statement, because in a statement that locks, the clock may be read
 * before the wait for the lock. */
export function readClock(): Call<ReadClockRow> {
  return { statement: READ_CLOCK, values: [] }
}

const DELETE_JOB: TypedStatement<null> = {
  path: 'jobs/steering/delete-job',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Deletes a job. Its runs and its ledger stay. */
export function deleteJob(job: Text, clockInMs: Num): Call<null> {
  return { statement: DELETE_JOB, values: [job, clockInMs] }
}

export interface DeleteLoneJobRow {
  readonly id: string
}

const DELETE_LONE_JOB: TypedStatement<DeleteLoneJobRow> = {
  path: 'jobs/steering/delete-lone-job',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: text(row[0]),
  }),
}

/** Deletes a job that has lost its cursor, so there is no cursor to lock. Its runs and its ledger
 * stay. Its anchor was lost with the cursor: its start, or its creation time, is recorded instead. */
export function deleteLoneJob(job: Text): Call<DeleteLoneJobRow> {
  return { statement: DELETE_LONE_JOB, values: [job] }
}

export interface FindLastEditRow {
  readonly untilMs: number | null
}

const FIND_LAST_EDIT: TypedStatement<FindLastEditRow> = {
  path: 'jobs/steering/find-last-edit',
  daily: false,
  columns: ['until_ms'],
  decode: (row) => ({
    untilMs: orNull(number, row[0]),
  }),
}

/** Up to which instant a job was decided by rules that it no longer has. */
export function findLastEdit(job: Text): Call<FindLastEditRow> {
  return { statement: FIND_LAST_EDIT, values: [job] }
}

export interface FindLastEndRow {
  readonly endMs: number | null
}

const FIND_LAST_END: TypedStatement<FindLastEndRow> = {
  path: 'jobs/steering/find-last-end',
  daily: false,
  columns: ['end_ms'],
  decode: (row) => ({
    endMs: orNull(number, row[0]),
  }),
}

/** The end of the last run of a job whose slots depend on the ends of its runs. */
export function findLastEnd(job: Text): Call<FindLastEndRow> {
  return { statement: FIND_LAST_END, values: [job] }
}

export interface FindLiveRunRow {
  readonly live: boolean
}

const FIND_LIVE_RUN: TypedStatement<FindLiveRunRow> = {
  path: 'jobs/steering/find-live-run',
  daily: false,
  columns: ['live'],
  decode: (row) => ({
    live: boolean(row[0]),
  }),
}

/** Whether the run of a job's last slot is still live. */
export function findLiveRun(job: Text, itsLastSlotIn: Num): Call<FindLiveRunRow> {
  return { statement: FIND_LIVE_RUN, values: [job, itsLastSlotIn] }
}

export interface InsertBackfillRunsRow {
  readonly lane: number
}

const INSERT_BACKFILL_RUNS: TypedStatement<InsertBackfillRunsRow> = {
  path: 'jobs/steering/insert-backfill-runs',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Inserts the runs of a backfill, due one after another, now or later. If runs of the job must not
 * overlap, they wait for each other: a requested slot is not skipped. */
export function insertBackfillRuns(job: Text, runIds: List<'uuid'>, slotsInMs: List<'int8'>, dueTimesInMs: List<'int8'>, horizonInMs: Big): Call<InsertBackfillRunsRow> {
  return { statement: INSERT_BACKFILL_RUNS, values: [job, runIds, slotsInMs, dueTimesInMs, horizonInMs] }
}

const INSERT_SLOT: TypedStatement<null> = {
  path: 'jobs/steering/insert-slot',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Records a decision that needs no run: a skip. */
export function insertSlot(slotInMs: Num, job: Text, firstSlotInMs: Num, howManySlots: Num, tenant: Num, reason: Num): Call<null> {
  return { statement: INSERT_SLOT, values: [slotInMs, job, firstSlotInMs, howManySlots, tenant, reason] }
}

export interface ListFailingRow {
  readonly jobId: string
  readonly tenantId: number
  readonly failures: number
}

const LIST_FAILING: TypedStatement<ListFailingRow> = {
  path: 'jobs/steering/list-failing',
  daily: false,
  columns: ['job_id', 'tenant_id', 'failures'],
  decode: (row) => ({
    jobId: text(row[0]),
    tenantId: number(row[1]),
    failures: number(row[2]),
  }),
}

/** Which of the given jobs have had enough dead runs in a row to be paused. */
export function listFailing(jobs: List<'uuid'>): Call<ListFailingRow> {
  return { statement: LIST_FAILING, values: [jobs] }
}

export interface ListUnstartedRow {
  readonly after: string | null
  readonly ids: string | null
}

const LIST_UNSTARTED: TypedStatement<ListUnstartedRow> = {
  path: 'jobs/steering/list-unstarted',
  daily: false,
  columns: ['after', 'ids'],
  decode: (row) => ({
    after: orNull(text, row[0]),
    ids: orNull(text, row[1]),
  }),
}

/** Runs of a job that wait and have not started, in any place, one range of its runs at a time. Runs
 * older than the oldest waiting run are not read. */
export function listUnstarted(job: Text, afterThisId: Text, mostRunsToRead: Num): Call<ListUnstartedRow> {
  return { statement: LIST_UNSTARTED, values: [job, afterThisId, mostRunsToRead] }
}

export interface LockCursorRow {
  readonly cursorMs: number
  readonly suspended: boolean
}

const LOCK_CURSOR: TypedStatement<LockCursorRow> = {
  path: 'jobs/steering/lock-cursor',
  daily: false,
  columns: ['cursor_ms', 'suspended'],
  decode: (row) => ({
    cursorMs: number(row[0]),
    suspended: boolean(row[1]),
  }),
}

/** Locks the cursor of a job for a change: planners skip the job until the change commits. */
export function lockCursor(job: Text): Call<LockCursorRow> {
  return { statement: LOCK_CURSOR, values: [job] }
}

export interface LockJobRow {
  readonly id: string
}

const LOCK_JOB: TypedStatement<LockJobRow> = {
  path: 'jobs/steering/lock-job',
  daily: false,
  columns: ['id'],
  decode: (row) => ({
    id: text(row[0]),
  }),
}

/** Keeps a job from being triggered until the transaction ends, and waits for triggers in progress:
 * the statements that follow see their runs. */
export function lockJob(job: Text): Call<LockJobRow> {
  return { statement: LOCK_JOB, values: [job] }
}

const MOVE_CURSOR: TypedStatement<null> = {
  path: 'jobs/steering/move-cursor',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Marks the slots of a job up to one of them as decided. */
export function moveCursor(job: Text, nextSlotInMs: Num, lastSlotDecidedIn: Num, howManyRunsAre: Num): Call<null> {
  return { statement: MOVE_CURSOR, values: [job, nextSlotInMs, lastSlotDecidedIn, howManyRunsAre] }
}

const PAUSE_JOB: TypedStatement<null> = {
  path: 'jobs/steering/pause-job',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Pauses a job: none of its slots is planned until it is resumed. */
export function pauseJob(job: Text, note: Text, clockInMs: Num, lastFutureSlotWhose: Num, howManyRunsAre: Num, lastSlotDecidedIn: Num): Call<null> {
  return { statement: PAUSE_JOB, values: [job, note, clockInMs, lastFutureSlotWhose, howManyRunsAre, lastSlotDecidedIn] }
}

const RESUME_JOB: TypedStatement<null> = {
  path: 'jobs/steering/resume-job',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Resumes a job. Slots that passed meanwhile have one common decision, which the caller has
 * recorded. */
export function resumeJob(job: Text, nextSlotInMs: Num, anchorInMs: Num, clockInMs: Num): Call<null> {
  return { statement: RESUME_JOB, values: [job, nextSlotInMs, anchorInMs, clockInMs] }
}

const SKIP_SLOT: TypedStatement<null> = {
  path: 'jobs/steering/skip-slot',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Requests that a future slot be skipped, even if it is planned again. */
export function skipSlot(job: Text, slotInMs: Num, tenant: Num, whoRequestedIt: Text, howManyRunsWere: Num, nextSlotInMs: Num): Call<null> {
  return { statement: SKIP_SLOT, values: [job, slotInMs, tenant, whoRequestedIt, howManyRunsWere, nextSlotInMs] }
}

export interface TakeBackRunsRow {
  readonly stayMs: number | null
  readonly runs: number
  readonly decisions: number
}

const TAKE_BACK_RUNS: TypedStatement<TakeBackRunsRow> = {
  path: 'jobs/steering/take-back-runs',
  daily: false,
  columns: ['stay_ms', 'runs', 'decisions'],
  decode: (row) => ({
    stayMs: orNull(number, row[0]),
    runs: number(row[1]),
    decisions: number(row[2]),
  }),
}

/** Withdraws the decisions for slots that are still ahead, back to the last decision that stays: one
 * whose run a worker has claimed or that has ended, or a skip that began in the past. The runs end
 * as cancelled, and the slots are undecided again. */
export function takeBackRuns(thisProcessSId: Big, job: Text, slotsInMs: List<'int8'>, reason: Text, clockInMs: Num): Call<TakeBackRunsRow> {
  return { statement: TAKE_BACK_RUNS, values: [thisProcessSId, job, slotsInMs, reason, clockInMs] }
}

export interface TakeBackfillsRow {
  readonly runId: string
}

const TAKE_BACKFILLS: TypedStatement<TakeBackfillsRow> = {
  path: 'jobs/steering/take-backfills',
  daily: false,
  columns: ['run_id'],
  decode: (row) => ({
    runId: text(row[0]),
  }),
}

/** Reserves slots for a backfill: those that were never backfilled. */
export function takeBackfills(job: Text, tenant: Num, slotsInMs: List<'int8'>, runIds: List<'uuid'>): Call<TakeBackfillsRow> {
  return { statement: TAKE_BACKFILLS, values: [job, tenant, slotsInMs, runIds] }
}

export interface TriggerJobRow {
  readonly lane: number
}

const TRIGGER_JOB: TypedStatement<TriggerJobRow> = {
  path: 'jobs/steering/trigger-job',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Runs a job now, outside its schedule: the end of this run does not decide when the job fires
 * next. */
export function triggerJob(job: Text, runId: Text, payload: Text, sequenceNumber: Big): Call<TriggerJobRow> {
  return { statement: TRIGGER_JOB, values: [job, runId, payload, sequenceNumber] }
}

const UPDATE_JOB: TypedStatement<null> = {
  path: 'jobs/update-job',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Replaces the definition of a job. The old version is kept, because past slots are judged by the
 * rules of their time. */
export function updateJob(job: Text, lane: Num, timing: Num, payload: Text, timeoutMs: Num, maxAttempts: Num, traits: Num, startInMs: Num, maxRuns: Num, policy: Text, labels: Text, description: Text, owner: Text, source: Text, nextSlotInMs: Num, anchorInMs: Num, endInMs: Num, runsLeft: Num, clockInMs: Num, lastDecidedSlotIn: Num, whenOldRulesRan: Num, flow: Text): Call<null> {
  return { statement: UPDATE_JOB, values: [job, lane, timing, payload, timeoutMs, maxAttempts, traits, startInMs, maxRuns, policy, labels, description, owner, source, nextSlotInMs, anchorInMs, endInMs, runsLeft, clockInMs, lastDecidedSlotIn, whenOldRulesRan, flow] }
}

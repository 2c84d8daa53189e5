// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import { boolean, number, numbers, numbersOrNull, orNull, text, texts } from '../sql/cells.ts'
import type { Big, Call, List, Num, Text, TypedStatement } from '../sql/typed.ts'

export interface AdvanceCursorsRow {
  readonly positions: number[] | null
}

const ADVANCE_CURSORS: TypedStatement<AdvanceCursorsRow> = {
  path: 'plan/advance-cursors',
  daily: false,
  columns: ['positions'],
  decode: (row) => ({
    positions: orNull(numbers, row[0]),
  }),
}

/** Moves the cursors of jobs that have not changed since they were read. Skips jobs that another
 * planner has moved or that a user is editing: the planner or editor that holds the cursor decides
 * their slots. */
export function advanceCursors(jobIds: List<'uuid'>, nextSlots: List<'int8'>, versions: List<'int4'>, newNextSlotsIn: List<'int8'>, lastSlotsDecidedIn: List<'int8'>, runsLeft: List<'int4'>, anchorsInMs: List<'int8'>): Call<AdvanceCursorsRow> {
  return { statement: ADVANCE_CURSORS, values: [jobIds, nextSlots, versions, newNextSlotsIn, lastSlotsDecidedIn, runsLeft, anchorsInMs] }
}

export interface AnnouncePlannerRow {
  readonly nowMs: number
  readonly others: string[] | null
  readonly anyJob: boolean
  readonly newest: string | null
}

const ANNOUNCE_PLANNER: TypedStatement<AnnouncePlannerRow> = {
  path: 'plan/announce-planner',
  daily: false,
  columns: ['now_ms', 'others', 'any_job', 'newest'],
  decode: (row) => ({
    nowMs: number(row[0]),
    others: orNull(texts, row[1]),
    anyJob: boolean(row[2]),
    newest: orNull(text, row[3]),
  }),
}

/** Announces that a planner is alive, and returns the other live planners. */
export function announcePlanner(planner: Big, validityInMs: Big, versionOfItsTime: Text): Call<AnnouncePlannerRow> {
  return { statement: ANNOUNCE_PLANNER, values: [planner, validityInMs, versionOfItsTime] }
}

export interface HoldCalendarsRow {
  readonly n: number
}

const HOLD_CALENDARS: TypedStatement<HoldCalendarsRow> = {
  path: 'plan/hold-calendars',
  daily: false,
  columns: ['n'],
  decode: (row) => ({
    n: number(row[0]),
  }),
}

/** Keeps the calendars that decided slots from changing until the transaction ends. Leaves out
 * calendars that have changed or are being changed, and does not wait for them. */
export function holdCalendars(tenants: List<'int4'>, names: List<'text'>, versions: List<'int4'>): Call<HoldCalendarsRow> {
  return { statement: HOLD_CALENDARS, values: [tenants, names, versions] }
}

export interface InsertSlotsRow {
  readonly lane: number
}

const INSERT_SLOTS: TypedStatement<InsertSlotsRow> = {
  path: 'plan/insert-slots',
  daily: false,
  columns: ['lane'],
  decode: (row) => ({
    lane: number(row[0]),
  }),
}

/** Writes decisions for slots: the ledger, and for slots that run also the run and its place in the
 * queue. A slot that already has a decision raises an error. If runs of the job must not overlap,
 * runs that catch up on missed slots wait for each other: `all` means all. */
export function insertSlots(slotsInMs: List<'int8'>, jobIds: List<'uuid'>, runIds: List<'uuid'>, firstSlotsInMs: List<'int8'>, howManySlots: List<'int4'>, tenants: List<'int4'>, reasons: List<'int2'>, dueTimesInMs: List<'int8'>, firstSequenceNumber: Big, ruleComputesSlot: List<'bool'>): Call<InsertSlotsRow> {
  return { statement: INSERT_SLOTS, values: [slotsInMs, jobIds, runIds, firstSlotsInMs, howManySlots, tenants, reasons, dueTimesInMs, firstSequenceNumber, ruleComputesSlot] }
}

export interface ListCalendarsRow {
  readonly tenantId: number
  readonly name: string
  readonly version: number
  readonly madeUs: number
  readonly spec: string | null
}

const LIST_CALENDARS: TypedStatement<ListCalendarsRow> = {
  path: 'plan/list-calendars',
  daily: false,
  columns: ['tenant_id', 'name', 'version', 'made_us', 'spec'],
  decode: (row) => ({
    tenantId: number(row[0]),
    name: text(row[1]),
    version: number(row[2]),
    madeUs: number(row[3]),
    spec: orNull(text, row[4]),
  }),
}

/** Named calendars of some tenants. A calendar that the caller has read before, in the version that
 * is current, comes without its content. The instant of the change tells a calendar that was
 * deleted and created again from its predecessor, which had the same version. */
export function listCalendars(tenants: List<'int4'>, names: List<'text'>, versions: List<'int4'>, whenTheseWereMade: List<'int8'>): Call<ListCalendarsRow> {
  return { statement: LIST_CALENDARS, values: [tenants, names, versions, whenTheseWereMade] }
}

export interface ListDueJobsRow {
  readonly jobIds: string[] | null
  readonly tenants: number[] | null
  readonly nextMs: number[] | null
  readonly versions: number[] | null
  readonly timings: number[] | null
  readonly anchorsMs: (number | null)[] | null
  readonly endsMs: (number | null)[] | null
  readonly runsLeft: (number | null)[] | null
  readonly askedSkips: number[] | null
  readonly failures: number[] | null
  readonly cursorsMs: number[] | null
  readonly suspended: number[] | null
}

const LIST_DUE_JOBS: TypedStatement<ListDueJobsRow> = {
  path: 'plan/list-due-jobs',
  daily: false,
  columns: ['job_ids', 'tenants', 'next_ms', 'versions', 'timings', 'anchors_ms', 'ends_ms', 'runs_left', 'asked_skips', 'failures', 'cursors_ms', 'suspended'],
  decode: (row) => ({
    jobIds: orNull(texts, row[0]),
    tenants: orNull(numbers, row[1]),
    nextMs: orNull(numbers, row[2]),
    versions: orNull(numbers, row[3]),
    timings: orNull(numbers, row[4]),
    anchorsMs: orNull(numbersOrNull, row[5]),
    endsMs: orNull(numbersOrNull, row[6]),
    runsLeft: orNull(numbersOrNull, row[7]),
    askedSkips: orNull(numbers, row[8]),
    failures: orNull(numbers, row[9]),
    cursorsMs: orNull(numbers, row[10]),
    suspended: orNull(numbers, row[11]),
  }),
}

/** Jobs of some shards whose next slot lies in a range. */
export function listDueJobs(shards: List<'int2'>, fromInMs: Num, untilInMs: Num, mostJobs: Num): Call<ListDueJobsRow> {
  return { statement: LIST_DUE_JOBS, values: [shards, fromInMs, untilInMs, mostJobs] }
}

export interface ListSkipsRow {
  readonly jobId: string
  readonly slotMs: number
}

const LIST_SKIPS: TypedStatement<ListSkipsRow> = {
  path: 'plan/list-skips',
  daily: false,
  columns: ['job_id', 'slot_ms'],
  decode: (row) => ({
    jobId: text(row[0]),
    slotMs: number(row[1]),
  }),
}

/** Slots of some jobs that a user asked to skip. */
export function listSkips(jobIds: List<'uuid'>): Call<ListSkipsRow> {
  return { statement: LIST_SKIPS, values: [jobIds] }
}

export interface ListTimingsRow {
  readonly id: number
  readonly spec: string
}

const LIST_TIMINGS: TypedStatement<ListTimingsRow> = {
  path: 'plan/list-timings',
  daily: false,
  columns: ['id', 'spec'],
  decode: (row) => ({
    id: number(row[0]),
    spec: text(row[1]),
  }),
}

/** Timing rules by number. */
export function listTimings(timings: List<'int4'>): Call<ListTimingsRow> {
  return { statement: LIST_TIMINGS, values: [timings] }
}

const RETIRE_PLANNER: TypedStatement<null> = {
  path: 'plan/retire-planner',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Removes a planner that ends, so that the others need not wait until it expires. */
export function retirePlanner(planner: Big): Call<null> {
  return { statement: RETIRE_PLANNER, values: [planner] }
}

const SET_ASIDE: TypedStatement<null> = {
  path: 'plan/set-aside',
  daily: false,
  columns: [],
  decode: () => null,
}

/** Sets aside a job that cannot be planned, with the reason. It waits until it is edited. */
export function setAside(job: Text, version: Num, reason: Text): Call<null> {
  return { statement: SET_ASIDE, values: [job, version, reason] }
}

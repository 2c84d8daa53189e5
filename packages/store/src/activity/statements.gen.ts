// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { Failure } from '@punctual/core/errors'
import type { FinalState } from '@punctual/core/run'
import { json, number, orNull, text } from '../sql/cells.ts'
import { finalState } from '../sql/run-cells.ts'
import type { Big, Call, List, Num, Text, Timestamp, TypedStatement } from '../sql/typed.ts'

export interface ListDeathsEnd {
  readonly id: string
  readonly at: string
}

export interface ListDeathsRow {
  readonly xmin: number
  readonly xmax: number
  readonly nowMs: number
  readonly end: ListDeathsEnd | null
}

const LIST_DEATHS: TypedStatement<ListDeathsRow> = {
  path: 'activity/list-deaths',
  daily: false,
  columns: ['xmin', 'xmax', 'now_ms', 'id', 'at'],
  decode: (row) => ({
    xmin: number(row[0]),
    xmax: number(row[1]),
    nowMs: number(row[2]),
    end:
      row[3] === null
        ? null
        : {
            id: text(row[3]),
            at: text(row[4]),
          },
  }),
}

/** Runs that died at or after an instant, in order of death, a page at a time. Includes dead letters
 * that have been handled since. */
export function listDeaths(tenant: Num, fromInMs: Num, diedAt: Timestamp, idOfLastRow: Text, mostRows: Num): Call<ListDeathsRow> {
  return { statement: LIST_DEATHS, values: [tenant, fromInMs, diedAt, idOfLastRow, mostRows] }
}

export interface ListEndsEnd {
  readonly id: string
  readonly at: string
  readonly state: FinalState
  readonly handler: string
  readonly queue: string
  readonly attempt: number
  readonly error: Failure | null
  readonly reason: string | null
}

export interface ListEndsRow {
  readonly xmin: number
  readonly xmax: number
  readonly nowMs: number
  readonly end: ListEndsEnd | null
}

const LIST_ENDS: TypedStatement<ListEndsRow> = {
  path: 'activity/list-ends',
  daily: false,
  columns: ['xmin', 'xmax', 'now_ms', 'id', 'at', 'state', 'handler', 'queue', 'attempt', 'error', 'reason'],
  decode: (row) => ({
    xmin: number(row[0]),
    xmax: number(row[1]),
    nowMs: number(row[2]),
    end:
      row[3] === null
        ? null
        : {
            id: text(row[3]),
            at: text(row[4]),
            state: finalState(row[5]),
            handler: text(row[6]),
            queue: text(row[7]),
            attempt: number(row[8]),
            error: orNull(json, row[9]) as Failure | null,
            reason: orNull(text, row[10]),
          },
  }),
}

/** Runs that were cancelled, skipped or lost at or after an instant, in order of their end, a page
 * at a time. Reads every partition, by index: a run of any day may end now. */
export function listEnds(tenant: Num, fromInMs: Num, finishedAt: Timestamp, idOfLastRow: Text, mostRows: Num): Call<ListEndsRow> {
  return { statement: LIST_ENDS, values: [tenant, fromInMs, finishedAt, idOfLastRow, mostRows] }
}

export interface ListLossesEnd {
  readonly id: string
  readonly at: string
  readonly host: string
  readonly pid: number
}

export interface ListLossesRow {
  readonly xmin: number
  readonly xmax: number
  readonly nowMs: number
  readonly end: ListLossesEnd | null
}

const LIST_LOSSES: TypedStatement<ListLossesRow> = {
  path: 'activity/list-losses',
  daily: false,
  columns: ['xmin', 'xmax', 'now_ms', 'id', 'at', 'host', 'pid'],
  decode: (row) => ({
    xmin: number(row[0]),
    xmax: number(row[1]),
    nowMs: number(row[2]),
    end:
      row[3] === null
        ? null
        : {
            id: text(row[3]),
            at: text(row[4]),
            host: text(row[5]),
            pid: number(row[6]),
          },
  }),
}

/** Workers that were lost at or after an instant, in order, a page at a time. */
export function listLosses(fromInMs: Num, endedAt: Timestamp, idOfLastRow: Big, mostRows: Num): Call<ListLossesRow> {
  return { statement: LIST_LOSSES, values: [fromInMs, endedAt, idOfLastRow, mostRows] }
}

export interface ListRunJobsRow {
  readonly id: string
  readonly jobId: string
}

const LIST_RUN_JOBS: TypedStatement<ListRunJobsRow> = {
  path: 'activity/list-run-jobs',
  daily: false,
  columns: ['id', 'job_id'],
  decode: (row) => ({
    id: text(row[0]),
    jobId: text(row[1]),
  }),
}

/** The jobs of runs. */
export function listRunJobs(runIds: List<'uuid'>, smallestId: Text, largestId: Text): Call<ListRunJobsRow> {
  return { statement: LIST_RUN_JOBS, values: [runIds, smallestId, largestId] }
}

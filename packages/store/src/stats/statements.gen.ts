// Written by `npm run statements` from the statements in queries. Edit a statement instead.
import type { FinalState } from '@punctual/core/run'
import { boolean, number, orNull, text } from '../sql/cells.ts'
import { finalState } from '../sql/run-cells.ts'
import type { Call, Num, TypedStatement } from '../sql/typed.ts'

export interface ReadThroughRow {
  readonly through: number
  readonly isPast: boolean
}

const READ_THROUGH: TypedStatement<ReadThroughRow> = {
  path: 'stats/read-through',
  daily: false,
  columns: ['through', 'is_past'],
  decode: (row) => ({
    through: number(row[0]),
    isPast: boolean(row[1]),
  }),
}

/** The instant up to which the runs of jobs are counted, and whether the following hour ended at
 * least ten minutes ago. */
export function readThrough(): Call<ReadThroughRow> {
  return { statement: READ_THROUGH, values: [] }
}

export interface SumDaysRow {
  readonly day: string
  readonly state: FinalState
  readonly runs: number
}

const SUM_DAYS: TypedStatement<SumDaysRow> = {
  path: 'stats/sum-days',
  daily: false,
  columns: ['day', 'state', 'runs'],
  decode: (row) => ({
    day: text(row[0]),
    state: finalState(row[1]),
    runs: number(row[2]),
  }),
}

/** Ends of runs by day and state: from the day sums as far as they reach, then from the counters. */
export function sumDays(tenant: Num, from: Num, beforeInMs: Num): Call<SumDaysRow> {
  return { statement: SUM_DAYS, values: [tenant, from, beforeInMs] }
}

export interface SumJobsEnds {
  readonly jobId: string
  readonly name: string | null
  readonly state: FinalState
  readonly runs: number
}

export interface SumJobsRow {
  readonly through: number
  readonly ends: SumJobsEnds | null
}

const SUM_JOBS: TypedStatement<SumJobsRow> = {
  path: 'stats/sum-jobs',
  daily: false,
  columns: ['through', 'job_id', 'name', 'state', 'runs'],
  decode: (row) => ({
    through: number(row[0]),
    ends:
      row[1] === null
        ? null
        : {
            jobId: text(row[1]),
            name: orNull(text, row[2]),
            state: finalState(row[3]),
            runs: number(row[4]),
          },
  }),
}

/** Ends of the runs of jobs by state, for runs that were due on some days; jobs with the most runs
 * first. */
export function sumJobs(tenant: Num, from: Num, beforeInMs: Num, mostJobs: Num): Call<SumJobsRow> {
  return { statement: SUM_JOBS, values: [tenant, from, beforeInMs, mostJobs] }
}

export interface SumRecentRow {
  readonly queue: string
  readonly handler: string
  readonly state: FinalState
  readonly runs: number
}

const SUM_RECENT: TypedStatement<SumRecentRow> = {
  path: 'stats/sum-recent',
  daily: false,
  columns: ['queue', 'handler', 'state', 'runs'],
  decode: (row) => ({
    queue: text(row[0]),
    handler: text(row[1]),
    state: finalState(row[2]),
    runs: number(row[3]),
  }),
}

/** Ends of runs in the last N minutes, by queue, handler and state. */
export function sumRecent(tenant: Num, n: Num): Call<SumRecentRow> {
  return { statement: SUM_RECENT, values: [tenant, n] }
}

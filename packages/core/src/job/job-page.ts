/** Filters and pages of jobs. */
import { checkName, checkText, integer } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { compileLabels } from '../run/labels.ts'
import type { RunState } from '../run/run-state.ts'
import type { Job } from './job.ts'
import { isOver, type JobStatus, jobStatuses } from './job-status.ts'

/** A job matches when it meets every condition that is set. */
export interface JobPageFilter {
  /** Has any of these statuses; an empty list stands for all. */
  statuses?: readonly JobStatus[]
  /** Its name begins with this. */
  namePrefix?: string
  /** Its runs are in this queue. */
  queue?: string
  /** Its runs are of this handler. */
  handler?: string
  /** Has all of these labels, with these values. */
  labels?: Readonly<Record<string, string>>
  /** Its next slot is in this range: `from` included, `to` excluded. */
  next?: { from?: Instant; to?: Instant }
}

/** The filter, checked; conditions that were not set are left out. */
export interface CompiledJobPageFilter {
  readonly statuses?: readonly JobStatus[]
  readonly namePrefix?: string
  readonly queue?: string
  readonly handler?: string
  /** JSON. */
  readonly labels?: string
  readonly nextFromMs?: number
  readonly nextToMs?: number
}

/** The latest run of a job, in short. */
export interface LatestRun {
  /** The id of the run. */
  readonly id: string
  /** The state of the run. */
  readonly state: RunState
  /** The number of the current or last attempt; 0 before the first. */
  readonly attempt: number
  /** When that attempt started; null before that. */
  readonly startedAt: Date | null
  /** When the run ended; null before that. */
  readonly finishedAt: Date | null
  /** Duration of the last attempt; null before the run has ended, or without an attempt. */
  readonly executionMs: number | null
}

/** A job with its status and latest run. */
export interface JobItem extends Job {
  /** The status of the job and its latest run together. */
  readonly status: JobStatus
  /**
   * The newest run that was due; for a job that will not fire again, the newest run. Null without
   * one.
   */
  readonly latestRun: LatestRun | null
}

/** Whether it is a one-time job that has ended. */
export function ranOnce({ rules, status }: Pick<JobItem, 'rules' | 'status'>): boolean {
  return rules.when.kind === 'once' && isOver(status)
}

/** A page of jobs, by name. */
export interface JobPage {
  /** The jobs, sorted by name. */
  readonly jobs: readonly JobItem[]
  /** How many jobs match; a lower bound when `totalExact` is false. */
  readonly total: number
  /** False from 10,000 on, and when not all jobs could be read. */
  readonly totalExact: boolean
  /** Pass this as `cursor` to get the next page; null on the last page. */
  readonly nextCursor: string | null
  /**
   * False when the page is short because it reached its read limit: the next page continues there.
   */
  readonly complete: boolean
}

const KNOWN = ['statuses', 'namePrefix', 'queue', 'handler', 'labels', 'next']

export function compileJobPageFilter(filter: JobPageFilter): CompiledJobPageFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    refuseOption('filter', 'an object', filter)
  for (const name of Object.keys(filter))
    if (!KNOWN.includes(name))
      refuseOption('filter', `an object with ${KNOWN.join(', ')} only`, name.slice(0, 80))
  const { statuses = [], namePrefix, queue, handler, next } = filter
  if (!Array.isArray(statuses)) refuseOption('statuses', 'a list of statuses', statuses)
  for (const status of statuses)
    if (!jobStatuses.includes(status))
      refuseOption('statuses', `a list of ${jobStatuses.join(', ')}`, status)
  const labels = compileLabels(filter.labels)
  return {
    ...(statuses.length > 0 && { statuses: [...new Set(statuses)].sort() }),
    ...(namePrefix !== undefined && {
      namePrefix: checkText('namePrefix', namePrefix, limits.nameLength),
    }),
    ...(queue !== undefined && { queue: checkName('queue', queue) }),
    ...(handler !== undefined && { handler: checkName('handler', handler) }),
    ...(labels !== null && { labels }),
    ...nextOf(next),
  }
}

function nextOf(next: JobPageFilter['next']) {
  if (next === undefined) return {}
  if (typeof next !== 'object' || next === null)
    return refuseOption('next', 'an object with from and to', next)
  const { from, to, ...others } = next
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) refuseOption('next', 'an object with from and to only', unknown)
  return {
    ...(from !== undefined && { nextFromMs: instantOf('next.from', from) }),
    ...(to !== undefined && { nextToMs: instantOf('next.to', to) }),
  }
}

/** Returns how many jobs precede a page number. Only the first 10,000 jobs have page numbers. */
export function skipOf(page: unknown, limit: number): number {
  if (page === undefined) return 0
  const last = Math.max(1, Math.floor(limits.numberedJobs / limit))
  return (integer('page', page, 1, last) - 1) * limit
}

/** Which jobs a page shows, and what it shows of them. */
import { checkName, checkText, integer } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { instantOf } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { compileLabels } from '../run/labels.ts'
import type { RunState } from '../run/run-state.ts'
import type { Job } from './job.ts'
import { type JobStatus, jobStatuses } from './job-status.ts'

/** A job matches when all that is said here is true of it. */
export interface JobPageFilter {
  /** Any of these; an empty list stands for all. */
  statuses?: readonly JobStatus[]
  /** Its name begins with this. */
  namePrefix?: string
  /** Its runs are in this queue. */
  queue?: string
  /** Its runs are of this handler. */
  handler?: string
  /** It has all of these, with these values. */
  labels?: Readonly<Record<string, string>>
  /** Its next slot is in this range. */
  next?: { from?: Instant; to?: Instant }
}

/** The same, checked; what was not said is left out. */
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
  /** Its id. */
  readonly id: string
  /** Where it is. */
  readonly state: RunState
  /** The attempt that goes on, or was made last; 0 before the first. */
  readonly attempt: number
  /** When that attempt started; null when it has not. */
  readonly startedAt: Date | null
  /** When the run ended; null while it has not. */
  readonly finishedAt: Date | null
  /** How long the last attempt took; null while the run has not ended, or when none was made. */
  readonly executionMs: number | null
}

/** A job as a page shows it. */
export interface JobItem extends Job {
  /** What it does, or came to. */
  readonly status: JobStatus
  /** The newest run that was due; of a job that will not fire again, the newest one. Null without one. */
  readonly latestRun: LatestRun | null
}

/** A page of jobs, by name. */
export interface JobPage {
  /** The jobs. */
  readonly jobs: readonly JobItem[]
  /** How many match; at least so many where it is not exact. */
  readonly total: number
  /** False from 10,000 on, and where not all could be looked at. */
  readonly totalExact: boolean
  /** Give this as `cursor` to get the next page; null when there is none. */
  readonly nextCursor: string | null
  /** False when the page is short because enough was looked at: the next page goes on from there. */
  readonly complete: boolean
}

const KNOWN = ['statuses', 'namePrefix', 'queue', 'handler', 'labels', 'next']

export function compileJobPageFilter(filter: JobPageFilter): CompiledJobPageFilter {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
    refuseOption('filter', 'an object', filter)
  for (const name of Object.keys(filter))
    if (!KNOWN.includes(name))
      refuseOption('filter', `made of ${KNOWN.join(', ')}`, name.slice(0, 80))
  const { statuses = [], namePrefix, queue, handler, next } = filter
  if (!Array.isArray(statuses)) refuseOption('statuses', 'a list of statuses', statuses)
  for (const status of statuses)
    if (!jobStatuses.includes(status))
      refuseOption('statuses', `of ${jobStatuses.join(', ')}`, status)
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

/** Where a page by number begins: how many jobs are before it. Only the first 10,000 have numbers. */
export function skipOf(page: unknown, limit: number): number {
  if (page === undefined) return 0
  const last = Math.max(1, Math.floor(limits.numberedJobs / limit))
  return (integer('page', page, 1, last) - 1) * limit
}

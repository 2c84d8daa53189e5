/**
 * The status of a job: one word for the job and its latest run together. The table is data: the
 * store derives the status from it, and docs/concepts/job-status.md repeats it; a test compares the
 * two.
 *
 * The latest run is the newest run that was due; for a job that will not fire again, the newest
 * run. A job that fires again is `scheduled` between its runs, however the last one ended.
 */
import type { RunState } from '../run/run-state.ts'

/**
 * The condition of a job without its runs. `deleted`: it was deleted. `paused`: a user paused it,
 * or it paused itself. `broken`: its slots cannot be computed. `over`: it has no slots left.
 * `active`: it fires again.
 */
export type JobCondition = 'deleted' | 'paused' | 'broken' | 'over' | 'active'

/**
 * The state of its latest run; `none` without one. `dead, handled`: its dead letter was replayed or
 * discarded.
 */
export type LatestRunState = RunState | 'dead, handled' | 'none'

/** The status of a job and its latest run together; docs/concepts/job-status.md has the table. */
export type JobStatus =
  | 'scheduled'
  | 'queued'
  | 'running'
  | 'waiting_dependencies'
  | 'paused'
  | 'cancelling'
  | 'cancelled'
  | 'completed'
  | 'failed'
  | 'dead_letter'

export interface JobStatusRule {
  readonly job: JobCondition | 'any'
  readonly run: LatestRunState | 'any'
  readonly status: JobStatus
}

/** The first row that applies determines the status. */
export const jobStatusTable: readonly JobStatusRule[] = [
  { job: 'deleted', run: 'any', status: 'cancelled' },
  { job: 'any', run: 'cancelling', status: 'cancelling' },
  { job: 'any', run: 'running', status: 'running' },
  { job: 'any', run: 'awaiting', status: 'running' },
  { job: 'paused', run: 'any', status: 'paused' },
  { job: 'any', run: 'waiting', status: 'waiting_dependencies' },
  { job: 'any', run: 'queued', status: 'queued' },
  { job: 'any', run: 'scheduled', status: 'scheduled' },
  { job: 'active', run: 'any', status: 'scheduled' },
  { job: 'broken', run: 'any', status: 'failed' },
  { job: 'over', run: 'succeeded', status: 'completed' },
  { job: 'over', run: 'dead', status: 'dead_letter' },
  { job: 'over', run: 'dead, handled', status: 'failed' },
  { job: 'over', run: 'unknown', status: 'failed' },
  { job: 'over', run: 'cancelled', status: 'cancelled' },
  { job: 'over', run: 'skipped', status: 'cancelled' },
  { job: 'over', run: 'none', status: 'completed' },
]

export const jobStatuses = [
  'scheduled',
  'queued',
  'running',
  'waiting_dependencies',
  'paused',
  'cancelling',
  'cancelled',
  'completed',
  'failed',
  'dead_letter',
] as const satisfies readonly JobStatus[]

export function jobStatus(job: JobCondition, run: LatestRunState): JobStatus | null {
  const rule = jobStatusTable.find(
    (row) => (row.job === 'any' || row.job === job) && (row.run === 'any' || row.run === run),
  )
  return rule?.status ?? null
}

const OVER: ReadonlySet<JobStatus> = new Set(['completed', 'failed', 'dead_letter', 'cancelled'])

/** Whether the job fires no more. */
export function isOver(status: JobStatus): boolean {
  return OVER.has(status)
}

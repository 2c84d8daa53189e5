/** How runs ended: by queue and handler, by day, by job. */
import type { FinalState } from '../run/run-state.ts'

/** Counts of ended runs. */
export interface Ends {
  /** All runs that ended. */
  readonly runs: number
  /** Ended runs by final state. */
  readonly ended: Readonly<Record<FinalState, number>>
  /**
   * Succeeded runs divided by those that succeeded, died or became unknown; null when there are
   * none.
   */
  readonly successRate: number | null
}

/** Counts of ended runs of one queue and handler. */
export interface RecentEnds extends Ends {
  /** The name of the queue. */
  readonly queue: string
  /** The name of the handler. */
  readonly handler: string
}

/** One row of a report. */
export interface ReportRow extends Ends {
  /**
   * The day, such as 2026-11-16, or the job's name; null for a deleted job and for the row of all
   * remaining jobs.
   */
  readonly name: string | null
  /** Only with `by: 'job'`: the id of the job; null for the row of all remaining jobs. */
  readonly jobId?: string | null
}

/** How runs ended over a range of days. */
export interface Report {
  /** One row per day, or one per job with the most runs first. */
  readonly rows: readonly ReportRow[]
  /**
   * Later ends are not counted yet; null when the report is complete. Counts by job are updated
   * hourly.
   */
  readonly countedTo: Date | null
}

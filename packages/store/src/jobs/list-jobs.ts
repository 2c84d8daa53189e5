/** Lists jobs by name, a page at a time. */
import type { Job } from '@punctual/core/job'
import type { ReadSource } from '../connection/read-source.ts'
import { toJob } from './rows.ts'

/** Which jobs are listed. */
export interface JobFilter {
  /** Only names after this one: give the last of a page to get the next page. */
  readonly after?: string
  /** Only those of this source. */
  readonly source?: string
  /** Only those that are planned, paused, over, or cannot be planned. */
  readonly state?: 'active' | 'paused' | 'finished' | 'failing'
  /** Up to 1,000. @default 100 */
  readonly limit?: number
}

const PAGE = 100

export async function listJobs(
  from: ReadSource,
  filter: JobFilter,
  tenantId: number,
): Promise<Job[]> {
  const { after = '', source = null, state = null, limit = PAGE } = filter
  const values = [tenantId, after, source, state, limit]
  return (await from.reads.query(from.statement('jobs/list-jobs'), values)).map(toJob)
}

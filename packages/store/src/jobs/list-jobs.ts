/** Lists jobs by name, one page at a time. */
import type { Job } from '@punctual/core/job'
import type { ReadSource } from '../connection/read-source.ts'
import { toJob } from './rows.ts'
import { listJobs as listJobsCall } from './statements.gen.ts'

/** Selects jobs. */
export interface JobFilter {
  /** Only names after this one: pass the last name of a page to get the next page. */
  readonly after?: string
  /** Only jobs of this source. */
  readonly source?: string
  /** Only jobs that are planned, paused, finished, or cannot be planned. */
  readonly state?: 'active' | 'paused' | 'finished' | 'failing'
  /** Up to 1,000. @default 100 */
  readonly limit?: number
}

const PAGE = 100

/** `bytes`: ends the page where its payloads would exceed this number, after one job at least. */
export async function listJobs(
  database: ReadSource,
  filter: JobFilter,
  tenantId: number,
  bytes: number | null = null,
): Promise<Job[]> {
  const { after = '', source = null, state = null, limit = PAGE } = filter
  const rows = await database.browse.run(listJobsCall(tenantId, after, source, state, limit, bytes))
  return rows.map(toJob)
}

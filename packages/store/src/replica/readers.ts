/**
 * The reads of many rows for humans, over one server. These are all the reads that a replica
 * serves: everything else comes from the primary, because no other read can reach the replica
 * (docs/adr/0018). Left out on purpose: reads of one thing by id or name, and every read that a
 * decision rests on.
 */
import type { Job } from '@punctual/core/job'
import { type AuditFilter, listEntries } from '../audit-log/list-entries.ts'
import type { ReadSource } from '../connection/read-source.ts'
import { DeadLetterReader } from '../dead-letters/reader.ts'
import { GroupReader } from '../groups/group-reader.ts'
import { type JobFilter, listJobs } from '../jobs/list-jobs.ts'
import { JobPages } from '../jobs/pages.ts'
import { RunPages } from '../runs/pages/run-pages.ts'
import { RunReader } from '../runs/reader.ts'
import { StatStore } from '../stats/stat-store.ts'
import { type ExportRunsRow, exportRuns } from '../tenants/statements.gen.ts'
import { usageOf } from '../tenants/usage.ts'

export interface Readers {
  readonly runs: Pick<RunReader, 'list'>
  readonly pages: Pick<RunPages, 'page' | 'count'>
  readonly stats: Pick<StatStore, 'recent' | 'workers' | 'days' | 'jobs'>
  readonly jobs: {
    list(filter: JobFilter, tenantId: number, bytes?: number): Promise<Job[]>
  }
  readonly jobPages: Pick<JobPages, 'page' | 'total'>
  readonly deadLetters: Pick<DeadLetterReader, 'page' | 'causes'>
  readonly groups: Pick<GroupReader, 'list'>
  readonly audit: { list(filter: AuditFilter): ReturnType<typeof listEntries> }
  /** The usage of a tenant by day. */
  usage(tenantId: number, range: { fromMs: number; toMs: number }): ReturnType<typeof usageOf>
  /** Runs of a tenant for its export, in the order of their ids. */
  exportRuns(...range: Parameters<typeof exportRuns>): Promise<ExportRunsRow[]>
}

export function readersOf(source: ReadSource): Readers {
  return {
    runs: new RunReader(source),
    pages: new RunPages(source),
    stats: new StatStore(source),
    jobs: { list: (filter, tenantId, bytes) => listJobs(source, filter, tenantId, bytes) },
    jobPages: new JobPages(source),
    deadLetters: new DeadLetterReader(source),
    groups: new GroupReader(source),
    audit: { list: (filter) => listEntries(source, filter) },
    usage: (tenantId, range) => usageOf(source, tenantId, range),
    exportRuns: (...range) => source.browse.run(exportRuns(...range)),
  }
}

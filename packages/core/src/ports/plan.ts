/** What a planner asks of the store. */

import type { DueJob, PlannedJob } from '../job/due-job.ts'
import type { JobRules } from '../job/job-rules.ts'
import type { Calendar } from '../schedule/calendar/calendar.ts'

/** The calendars of a tenant, by name, as they were read. */
export interface TenantCalendars {
  readonly of: ReadonlyMap<string, Calendar>
  readonly versions: ReadonlyMap<string, number>
}

export interface PlannerView {
  /** By the database's clock. */
  readonly nowMs: number
  /** The planners that are alive and have the newest time zone data: they divide the jobs among themselves. */
  readonly planners: readonly string[]
  /** The newer time zone data of another planner; null when this one has the newest. */
  readonly newerZoneData: string | null
  /** Whether any job is waiting for a slot. */
  readonly anyJob: boolean
}

export interface DueRequest {
  readonly shards: readonly number[]
  /** Jobs whose next slot is in [fromMs, untilMs]. */
  readonly fromMs: number
  readonly untilMs: number
  readonly limit: number
}

export interface PlanStore {
  /** Says that this planner is alive, for so long, and who else is. */
  announcePlanner(id: string, ttlMs: number): Promise<PlannerView>
  retirePlanner(id: string): Promise<void>
  dueJobs(request: DueRequest): Promise<readonly DueJob[]>
  /** The rules behind these numbers; what is not there is left out. */
  rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>>
  /** The calendars of these tenants, as they are now; a tenant that has none is left out. */
  calendars(tenantIds: readonly number[]): Promise<ReadonlyMap<number, TenantCalendars>>
  /** Slots that somebody asked to skip. */
  askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>>
  /**
   * Writes the decisions, the runs and the cursors in one transaction; returns how many jobs were accepted.
   * When the database refuses a batch for what one job holds, that one is handed to `onRefused`.
   */
  plan(
    jobs: readonly PlannedJob[],
    onRefused: (job: DueJob, reason: string) => Promise<void>,
  ): Promise<number>
  /** Pauses those of these jobs that have had too many dead runs in a row. */
  pauseFailing(jobIds: readonly string[]): Promise<void>
  /** A job that cannot be planned is set aside with the reason. */
  setAside(job: DueJob, reason: string): Promise<void>
}

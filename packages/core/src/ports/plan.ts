/** What a planner asks of the store. */

import type { JobRules } from '../jobs/job-rules.ts'
import type { SlotDecision } from '../jobs/slot-decision.ts'
import type { Calendar } from '../schedule/calendar.ts'

/** A job whose next slot is near, as its narrow row tells. */
export interface DueJob {
  readonly id: string
  readonly tenantId: number
  readonly nextMs: number
  readonly version: number
  readonly timing: number
  /** Where a fixed rate counts from; of a job that waits for its runs to end, when the last one ended. */
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly runsLeft: number | null
  /** Somebody asked to skip a slot of it. */
  readonly hasSkips: boolean
  /** Dead runs in a row. */
  readonly failures: number
  /** Everything up to here is decided. */
  readonly cursorMs: number
  /** Its tenant is suspended: its slots do not run. @default false */
  readonly suspended?: boolean
}

/** What is to become of one job: accepted as a whole, and only while the job is as it was read. */
export interface PlannedJob {
  readonly job: DueJob
  readonly decisions: readonly SlotDecision[]
  readonly nextMs: number | null
  readonly runsLeft: number | null
  readonly anchorMs: number | null
  /** Whether the rules tell when its slots are; false where each follows from the end of a run. */
  readonly computed: boolean
  /** The calendars that were asked, as they were read: accepted only while they are the same. @default none */
  readonly calendars?: readonly CalendarVersion[]
}

/** A calendar of a job's tenant, and which version of it. */
export interface CalendarVersion {
  readonly name: string
  readonly version: number
}

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

/** The store port of the planner. */

import type { DueJob, PlannedJob } from '../job/due-job.ts'
import type { JobRules } from '../job/job-rules.ts'
import type { Calendar } from '../schedule/calendar/calendar.ts'

/** Calendars of a tenant by name, with the versions that were read. */
export interface TenantCalendars {
  readonly of: ReadonlyMap<string, Calendar>
  readonly versions: ReadonlyMap<string, number>
}

export interface PlannerView {
  /** By the database's clock. */
  readonly nowMs: number
  /** The live planners with the newest time zone data: they divide the jobs among themselves. */
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
  /** Registers this planner as alive for `ttlMs`, and returns the other live planners. */
  announcePlanner(id: string, ttlMs: number): Promise<PlannerView>
  retirePlanner(id: string): Promise<void>
  dueJobs(request: DueRequest): Promise<readonly DueJob[]>
  /** Returns the rules with these numbers; missing ones are left out. */
  rules(timings: readonly number[]): Promise<ReadonlyMap<number, JobRules>>
  /** Returns the current calendars with these names, by tenant; missing ones are left out. */
  calendars(
    names: ReadonlyMap<number, ReadonlySet<string>>,
  ): Promise<ReadonlyMap<number, TenantCalendars>>
  /** Returns the slots that users requested to skip. */
  askedSkips(jobIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>>
  /**
   * Writes the decisions, the runs and the cursors in one transaction; returns how many jobs were
   * accepted. When the database refuses a batch because of the content of one job, passes that job
   * to `onRefused`.
   */
  plan(
    jobs: readonly PlannedJob[],
    onRefused: (job: DueJob, reason: string) => Promise<void>,
  ): Promise<number>
  /** Pauses the jobs among these that have reached their limit of consecutive dead runs. */
  pauseFailing(jobIds: readonly string[]): Promise<void>
  /** Sets aside a job that cannot be planned, with the reason. */
  setAside(job: DueJob, reason: string): Promise<void>
}

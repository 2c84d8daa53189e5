/** A job whose next slot is near, and the plan for it: what a planner reads and writes. */
import type { SlotDecision } from './slot-decision.ts'

/** A job whose next slot is near, as stored in its narrow row. */
export interface DueJob {
  readonly id: string
  readonly tenantId: number
  readonly nextMs: number
  readonly version: number
  readonly timing: number
  /**
   * The instant a fixed rate counts from; for a job that waits for its runs to end, the end of the
   * last run.
   */
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly runsLeft: number | null
  /** Whether skips of single slots were requested. */
  readonly hasSkips: boolean
  /** Consecutive dead runs. */
  readonly failures: number
  /** Every slot up to here is decided. */
  readonly cursorMs: number
  /** Whether its tenant is suspended: its slots do not run. */
  readonly suspended: boolean
}

/**
 * The plan for one job: accepted as a whole, and only while the job is unchanged since it was read.
 */
export interface PlannedJob {
  readonly job: DueJob
  readonly decisions: readonly SlotDecision[]
  readonly nextMs: number | null
  readonly runsLeft: number | null
  readonly anchorMs: number | null
  /** Whether the rules determine its slots; false where each follows from the end of a run. */
  readonly computed: boolean
  /**
   * The calendars that were applied, with their versions: the plan is accepted only while they are
   * unchanged. @default none
   */
  readonly calendars?: readonly CalendarVersion[]
}

/** A calendar of a job's tenant, in one version. */
export interface CalendarVersion {
  readonly name: string
  readonly version: number
}

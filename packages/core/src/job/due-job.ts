/** A job whose next slot is near, and what is to become of it: what a planner reads and writes. */
import type { SlotDecision } from './slot-decision.ts'

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

/** The store port of the auditor. */

import type { SlotMatch, SlotStretch } from '../job/expected-slots.ts'
import type { AuditedJob } from '../job/ledger-findings.ts'

export interface AuditPage {
  /** By the database's clock. */
  readonly nowMs: number
  /** Whether any planner is alive. */
  readonly planning: boolean
  /** Whether no planner has newer time zone data than this node. */
  readonly zonesCurrent: boolean
  readonly jobs: readonly AuditedJob[]
  /** Jobs without a cursor, cursors without a job, jobs whose rules do not exist. */
  readonly cursorMissing: readonly string[]
  readonly jobMissing: readonly string[]
  readonly rulesMissing: readonly string[]
  /** The start of the next page; null on the last page. */
  readonly next: string | null
}

/** A sample of slots of a job to check. */
export interface SlotSample extends SlotStretch {
  readonly job: AuditedJob
  /** The last earlier slot that has a row, when the previous stretch was checked. */
  readonly beforeMs?: number | null
}

export interface SlotCheck extends SlotMatch {
  readonly job: AuditedJob
  /** The part of the sample beyond its limit; null when nothing was left out. */
  readonly rest: SlotSample | null
  /** Runs of these slots that are stored in no place. */
  readonly lost: readonly { readonly runId: string; readonly slotMs: number }[]
}

export interface QueuePage {
  readonly next: string | null
  readonly runs: readonly { readonly jobId: string; readonly runId: string }[]
}

export interface AuditorStore {
  /** Returns jobs by id, after this one. */
  auditPage(after: string | null, limit: number): Promise<AuditPage>
  /**
   * Checks whether the ledger has one decision for each of these slots; with `runs`, also where
   * their runs are. Jobs without slots there are left out.
   */
  checkSlots(samples: readonly SlotSample[], runs: boolean): Promise<readonly SlotCheck[]>
  /**
   * Returns the strays among the first `limit` rows of a range of the ledger, by the rules at their
   * time.
   */
  straySlots(
    fromMs: number,
    untilMs: number,
    limit: number,
  ): Promise<readonly { readonly jobId: string; readonly slotMs: number }[]>
  /**
   * Points the cursor to a slot again, if the job is unchanged since it was read; false when it
   * changed.
   */
  repairCursor(job: AuditedJob, nextMs: number): Promise<boolean>
  /**
   * Schedules jobs that wait for a run that is no longer running; returns the jobs that it
   * scheduled.
   */
  rearm(jobs: readonly AuditedJob[]): Promise<readonly string[]>
  /** Removes cursors whose jobs do not exist; returns the ids of removed ones. */
  removeCursors(jobIds: readonly string[]): Promise<readonly string[]>
  /** In a page of holds, frees jobs that are held by runs that are no longer running. */
  freeHolds(after: string | null, limit: number): Promise<QueuePage>
  /** Returns runs that have waited this long for jobs that no run holds. */
  freeParked(olderThanMs: number): Promise<QueuePage['runs']>
  /** Releases these runs. */
  resolveParked(runIds: readonly string[]): Promise<void>
  /** In a page of the queue, returns runs of jobs that neither a slot nor a user requested. */
  unplannedRuns(after: string | null, limit: number): Promise<QueuePage>
}

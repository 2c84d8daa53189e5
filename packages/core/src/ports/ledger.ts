/** What an auditor asks of the store. */

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
  /** Where the next page begins; null when this was the last one. */
  readonly next: string | null
}

/** Some slots of a job that are to be looked at. */
export interface SlotSample extends SlotStretch {
  readonly job: AuditedJob
  /** The last slot before that has a row, where the stretch before was looked at. */
  readonly beforeMs?: number | null
}

export interface SlotCheck extends SlotMatch {
  readonly job: AuditedJob
  /** What of the sample was left out because of its limit; null when nothing was. */
  readonly rest: SlotSample | null
  /** Runs of these slots that are in no place. */
  readonly lost: readonly { readonly runId: string; readonly slotMs: number }[]
}

export interface QueuePage {
  readonly next: string | null
  readonly runs: readonly { readonly jobId: string; readonly runId: string }[]
}

export interface AuditStore {
  /** Jobs by id, after this one. */
  auditPage(after: string | null, limit: number): Promise<AuditPage>
  /**
   * Whether the ledger has one decision for each of these slots; with `runs`, also where their runs are. Jobs that
   * have no slots there are left out.
   */
  checkSlots(samples: readonly SlotSample[], runs: boolean): Promise<readonly SlotCheck[]>
  /** Of the first so many rows of a range of the ledger, those that the rules of their time do not have. */
  straySlots(
    fromMs: number,
    untilMs: number,
    limit: number,
  ): Promise<readonly { readonly jobId: string; readonly slotMs: number }[]>
  /** Points to a slot again, if the job is as it was read; false when it is not. */
  repairCursor(job: AuditedJob, nextMs: number): Promise<boolean>
  /** Sets jobs going that wait for a run which does not go on; returns those that did. */
  rearm(jobs: readonly AuditedJob[]): Promise<readonly string[]>
  /** Removes cursors whose jobs do not exist; returns those that were removed. */
  removeCursors(jobIds: readonly string[]): Promise<readonly string[]>
  /** Frees jobs that are held by runs which go on nowhere, of a page of holds. */
  freeHolds(after: string | null, limit: number): Promise<QueuePage>
  /** Runs that have waited so long for jobs that nobody holds. */
  freeParked(olderThanMs: number): Promise<QueuePage['runs']>
  /** Moves these on. */
  resolveParked(runIds: readonly string[]): Promise<void>
  /** Runs of jobs in a page of the queue that neither a slot nor anybody asked for. */
  unplannedRuns(after: string | null, limit: number): Promise<QueuePage>
}

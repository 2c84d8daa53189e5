/** Finds problems of a job in its rows. Pure: the caller decides what to do about them. */
import type { TimingCache } from '../schedule/timing-cache.ts'
import { type JobRules, misfireOf } from './job-rules.ts'
import { nextSlotOf } from './plan-job.ts'

/**
 * Every kind of finding, and its meaning. docs/concepts/ledger.md repeats this table; a test
 * compares the two.
 */
export const auditKinds = {
  hole: 'A slot has passed without a decision.',
  double: 'A slot has two decisions: a range and a row inside it.',
  stray: 'A decision exists for an instant that was not a slot under the rules at that time.',
  'run-lost': 'A slot became a run that is stored nowhere.',
  'cursor-lost': 'The job has a further slot, but its cursor points to none.',
  'rearm-lost': 'The run of the job has ended, but its next run was not scheduled.',
  'cursor-stray': 'The next slot to decide is not the first undecided slot.',
  'cursor-missing': 'The job has no cursor, so it is never planned.',
  'job-missing': 'A cursor belongs to a job that does not exist.',
  'rules-missing': 'The rules of the job do not exist, so it cannot be planned.',
  'set-aside': 'The job could not be planned, and waits until it is changed or declared again.',
  'planning-behind': 'The next slot is overdue although planners are alive.',
  'hold-stale':
    'The job is held by a run that is no longer running, so its other runs wait forever.',
  'parked-free': 'A run waits for its job although no run holds the job.',
  'run-unplanned': 'A run of the job waits that no user requested and that no slot accounts for.',
} as const

/** A kind of finding. docs/concepts/ledger.md has its meaning and repair. */
export type AuditKind = keyof typeof auditKinds

/** A problem with a job or with one of its slots. */
export interface AuditFinding {
  /** The kind of problem. */
  readonly kind: AuditKind
  /** The id of the job. */
  readonly jobId: string
  /** The slot, or the next slot as found; null when no slot is concerned. */
  readonly at: Date | null
  /** The id of the run; null when no run is concerned. */
  readonly runId: string | null
  /** Whether the auditor repaired it. */
  readonly repaired: boolean
}

/** A job and its cursor, as far as its slots need them. */
export interface AuditedJob {
  readonly id: string
  readonly rules: JobRules
  /** The version of the cursor: increases with every change. */
  readonly version: number
  readonly createdMs: number
  /** The instant a fixed rate counts from; no slot lies before it. */
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly runsLeft: number | null
  /** Every slot up to here is decided. */
  readonly cursorMs: number
  /** The next slot to decide; null when there is none. */
  readonly nextMs: number | null
  readonly paused: boolean
  /** Whether it cannot be planned, and waits until a user changes it. */
  readonly setAside: boolean
}

export type CursorFault =
  /** Repaired by pointing the cursor to that slot again. */
  | { readonly kind: 'cursor-lost'; readonly nextMs: number }
  /** Holds only when no run of the job is running, which its own rows do not show. */
  | { readonly kind: 'rearm-lost' }
  /** Repaired the same way where that is safe; null where it is only reported. */
  | { readonly kind: 'cursor-stray'; readonly nextMs: number | null }
  | { readonly kind: 'planning-behind' }

/** Longer than any planner needs for its current batch. */
const BEHIND_MS = 60_000

export interface CursorView {
  readonly nowMs: number
  /** Whether planners have had time to catch up. */
  readonly planning: boolean
  /**
   * Whether this node has the newest time zone data: nodes with older data would keep undoing each
   * other's repairs.
   */
  readonly zonesCurrent: boolean
}

/** Finds the fault of a cursor; there is at most one. */
export function auditCursor(
  job: AuditedJob,
  timings: TimingCache,
  { nowMs, planning, zonesCurrent }: CursorView,
): CursorFault | null {
  if (job.paused || job.setAside || job.runsLeft === 0) return null
  const { nextMs, rules, endMs } = job
  const { kind } = rules.when
  if (kind === 'after-end') {
    if (nextMs !== null) return behind(job, nowMs, planning)
    // Would it fire before its end if it were scheduled now?
    const againMs = nextSlotOf(job, rules, timings)(nowMs)
    const over = endMs !== null && (againMs === null || againMs >= endMs)
    return over ? null : { kind: 'rearm-lost' }
  }
  const firstMs = firstUndecided(job, timings)
  const beforeEnd = firstMs !== null && (endMs === null || firstMs < endMs)
  if (nextMs === null) return beforeEnd ? { kind: 'cursor-lost', nextMs: firstMs } : null
  if (kind !== 'once' && nextMs !== firstMs)
    return {
      kind: 'cursor-stray',
      nextMs: beforeEnd && (zonesCurrent || isUtc(job)) ? firstMs : null,
    }
  return behind(job, nowMs, planning)
}

/** In UTC, nodes with different time zone data compute the same slots. */
function isUtc({ rules }: AuditedJob): boolean {
  return rules.timezone === 'UTC'
}

function behind(job: AuditedJob, nowMs: number, planning: boolean): CursorFault | null {
  const boundMs = nowMs - misfireOf(job.rules).graceMs - BEHIND_MS
  return planning && job.nextMs !== null && job.nextMs < boundMs
    ? { kind: 'planning-behind' }
    : null
}

/**
 * Returns the first slot after the cursor; null when there is none. Not for jobs that wait for
 * their runs to end.
 */
function firstUndecided(job: AuditedJob, timings: TimingCache): number | null {
  const { anchorMs, createdMs, cursorMs, rules } = job
  if (rules.when.kind === 'once') {
    // A time in the past means the time of creation.
    const onceMs = Math.max(anchorMs ?? 0, createdMs)
    return onceMs > cursorMs ? onceMs : null
  }
  return nextSlotOf(job, rules, timings)(Math.max(cursorMs, (anchorMs ?? 0) - 1))
}

/**
 * Returns the instant up to which slots must have a decision; later slots are decided when they are
 * near.
 */
export function decidedUntil(job: AuditedJob): number {
  if (job.nextMs !== null) return job.nextMs - 1
  if (job.paused || job.setAside || job.runsLeft === 0) return job.cursorMs
  return Number.POSITIVE_INFINITY
}

/** What can be wrong with a job, seen from its rows. Pure: who looks decides what to do about it. */
import type { TimingCache } from '../schedule/timing-cache.ts'
import { type JobRules, misfireOf } from './job-rules.ts'
import { nextSlotOf } from './plan-job.ts'

/** Every kind of finding, and what it means. docs/concepts/ledger.md repeats this table, and a test holds them equal. */
export const auditKinds = {
  hole: 'A slot has passed and has no decision.',
  double: 'A slot has two decisions: a range and a row inside of it.',
  stray: 'A decision was made for an instant that was no slot by the rules of its time.',
  'run-lost': 'A slot became a run that is in no place.',
  'cursor-lost': 'The job has a further slot, and nothing points to it.',
  'rearm-lost': 'The run of the job has ended, and its next one was not set going.',
  'cursor-stray': 'The next slot to decide is not the first one that is undecided.',
  'cursor-missing': 'The job has no cursor: it is never planned.',
  'job-missing': 'There is a cursor of a job that does not exist.',
  'rules-missing': 'The rules of the job do not exist: it cannot be planned.',
  'set-aside': 'The job could not be planned, and waits until it is changed or declared again.',
  'planning-behind': 'The next slot is long past although planners are alive.',
  'hold-stale': 'The job is held by a run that goes on nowhere: its other runs wait for ever.',
  'parked-free': 'A run waits for its job although nobody holds it.',
  'run-unplanned': 'A run of the job waits that nobody asked for and no slot has.',
} as const

/** What is wrong. docs/concepts/ledger.md says what each means, and what becomes of it. */
export type AuditKind = keyof typeof auditKinds

/** Something that is wrong with a job or with one of its slots. */
export interface AuditFinding {
  /** What is wrong. */
  readonly kind: AuditKind
  /** The job that it is about. */
  readonly jobId: string
  /** The slot, or the next slot as it was found; null where there is none. */
  readonly at: Date | null
  /** The run that it is about; null where there is none. */
  readonly runId: string | null
  /** What was found is put right. */
  readonly repaired: boolean
}

/** A job and its cursor, as far as its slots are concerned. */
export interface AuditedJob {
  readonly id: string
  readonly rules: JobRules
  /** Of the cursor: counts up with every change. */
  readonly version: number
  readonly createdMs: number
  /** Where a fixed rate counts from; no slot lies before it. */
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly runsLeft: number | null
  /** Everything up to here is decided. */
  readonly cursorMs: number
  /** The next slot to decide; null when there is none. */
  readonly nextMs: number | null
  readonly paused: boolean
  /** It cannot be planned, and waits until somebody changes it. */
  readonly setAside: boolean
}

export type CursorFault =
  /** Repaired by pointing to that slot again. */
  | { readonly kind: 'cursor-lost'; readonly nextMs: number }
  /** Only when no run of it goes on, which its own rows do not tell. */
  | { readonly kind: 'rearm-lost' }
  /** Repaired likewise, where that is safe: null where it is only told. */
  | { readonly kind: 'cursor-stray'; readonly nextMs: number | null }
  | { readonly kind: 'planning-behind' }

/** Longer than any planner needs for what it has in hand. */
const BEHIND_MS = 60_000

export interface CursorView {
  readonly nowMs: number
  /** Whether planners have had time to catch up. */
  readonly planning: boolean
  /** Whether this node's time zone data is the newest: others would go on undoing each other's repairs. */
  readonly zonesCurrent: boolean
}

/** At most one thing is wrong with a cursor. */
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
    // If it were set going now, would it fire before its end?
    const againMs = nextSlotOf(job, rules, timings)(nowMs)
    const over = endMs !== null && (againMs === null || againMs >= endMs)
    return over ? null : { kind: 'rearm-lost' }
  }
  const firstMs = firstUndecided(job, timings)
  const within = firstMs !== null && (endMs === null || firstMs < endMs)
  if (nextMs === null) return within ? { kind: 'cursor-lost', nextMs: firstMs } : null
  if (kind !== 'once' && nextMs !== firstMs)
    return { kind: 'cursor-stray', nextMs: within && (zonesCurrent || isUtc(job)) ? firstMs : null }
  return behind(job, nowMs, planning)
}

/** Nodes with different time zone data compute the same slots here. */
function isUtc({ rules }: AuditedJob): boolean {
  return rules.timezone === 'UTC'
}

function behind(job: AuditedJob, nowMs: number, planning: boolean): CursorFault | null {
  const boundMs = nowMs - misfireOf(job.rules).graceMs - BEHIND_MS
  return planning && job.nextMs !== null && job.nextMs < boundMs
    ? { kind: 'planning-behind' }
    : null
}

/** The first slot behind the cursor; null when there is none. Not for jobs that wait for their runs to end. */
function firstUndecided(job: AuditedJob, timings: TimingCache): number | null {
  const { anchorMs, createdMs, cursorMs, rules } = job
  if (rules.when.kind === 'once') {
    // In the past meant now.
    const onceMs = Math.max(anchorMs ?? 0, createdMs)
    return onceMs > cursorMs ? onceMs : null
  }
  return nextSlotOf(job, rules, timings)(Math.max(cursorMs, (anchorMs ?? 0) - 1))
}

/** Slots of a job up to here must have a decision; those behind it are decided when their time comes. */
export function decidedUntil(job: AuditedJob): number {
  if (job.nextMs !== null) return job.nextMs - 1
  if (job.paused || job.setAside || job.runsLeft === 0) return job.cursorMs
  return Number.POSITIVE_INFINITY
}

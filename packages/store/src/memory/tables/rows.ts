/** The rows of the store in memory: the columns of the real tables that affect behaviour. */
import { limits } from '@punctual/core/errors'
import { traits } from '@punctual/core/run'
import type { flowFields } from '../../submit/flow-keys.ts'

/** The flow control of a run or a job, as it is stored. */
export type StoredFlow = ReturnType<typeof flowFields>

/** The columns that travel with a run from place to place. */
export interface Carried {
  readonly runId: string
  readonly tenantId: number
  readonly lane: number
  readonly attempt: number
  readonly crashes: number
  readonly traits: number
  readonly jobId: string | null
}

export interface RunRow {
  readonly id: string
  readonly tenantId: number
  readonly lane: number
  readonly dueMs: number
  readonly createdMs: number
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly traits: number
  readonly payload: string
  readonly key: string | null
  readonly policy: string | null
  readonly trace: string | null
  readonly jobId: string | null
  readonly slotMs: number | null
  readonly missedFromMs: number | null
  /** The dead run that this one replays; null for other runs. */
  readonly replayOf: string | null
  readonly flow: StoredFlow | null
}

export interface LaterRow extends Carried {
  readonly dueMs: number
}

/** A position is a millisecond and a sequence number within it. */
export interface QueueRow extends Carried {
  readonly posMs: number
  readonly seq: number
  /** The gate that admitted the run; null for runs that did not wait for one. */
  readonly gate: string | null
}

/** Waits for its gate, or without one for its job. */
export interface ParkedRow extends Carried {
  readonly parkedMs: number
  readonly gate: string | null
  readonly gateLimit: number | null
}

/** A run with a key of flow control; its booking is the instant at which it may start. */
export interface GatedRow {
  readonly runId: string
  readonly gate: string | null
  readonly gateLimit: number | null
  readonly rate: string | null
  readonly rateIntervalUs: number
  readonly rateBurst: number
  readonly bookedUs: number | null
}

/** The limits of a queue, or of all queues together. */
export interface LimitRow {
  readonly id: number
  readonly queue: string | null
  readonly concurrency: number | null
  readonly rate: { readonly intervalUs: number; readonly burst: number } | null
  /** When the next run may start if no burst was saved up. */
  readonly nextUs: number
}

export interface LeaseRow extends Carried {
  readonly fence: bigint
  readonly sessionId: string
  readonly claimedMs: number
  readonly startedMs: number | null
  readonly cancelReason: string | null
  readonly gate: string | null
  readonly gateSlot: number | null
  readonly queueLimit: number | null
  readonly tenantLimit: number | null
  /** Until when the report of its target is awaited, and when to look next; null otherwise. */
  readonly deadlineMs: number | null
  readonly wakeMs: number | null
}

export interface OutcomeRow {
  readonly runId: string
  readonly tenantId: number
  readonly fence: bigint | null
  readonly sessionId: string | null
  readonly state: number
  readonly attempt: number
  readonly crashes: number
  readonly attemptOutcome: number | null
  readonly startedMs: number | null
  readonly finishedMs: number
  readonly output: string | null
  readonly reason: string | null
}

/** A dead run, until a user has handled it. */
export interface DeadLetterRow {
  readonly runId: string
  readonly reason: string
  /** Null while it is open. */
  readonly handled: 'replayed' | 'discarded' | null
  readonly replayedAs: string | null
}

export interface AttemptRow {
  readonly runId: string
  readonly fence: bigint
  readonly attempt: number
  readonly outcome: number
  readonly startedMs: number | null
}

export interface SessionRow {
  readonly id: string
  readonly expiresMs: number
  readonly leaseMs: number
  readonly drains: boolean
}

export interface LaneRow {
  readonly id: number
  readonly tenantId: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
}

export interface JobRow {
  readonly id: string
  readonly name: string
  readonly createdMs: number
  readonly tenantId: number
  readonly lane: number
  readonly timing: number
  readonly timeoutMs: number
  readonly maxAttempts: number
  readonly traits: number
  readonly payload: string
  readonly policy: string | null
  readonly flow: StoredFlow | null
  readonly startMs: number | null
  readonly maxRuns: number | null
  readonly planningError: string | null
}

/** The rules of a job up to an edit or its deletion. */
export interface JobVersionRow {
  readonly jobId: string
  readonly version: number
  readonly timing: number
  readonly untilMs: number
  readonly anchorMs: number | null
  readonly endMs: number | null
}

export interface CursorRow {
  readonly jobId: string
  readonly tenantId: number
  readonly shard: number
  readonly timing: number
  readonly version: number
  readonly nextMs: number | null
  readonly cursorMs: number
  readonly anchorMs: number | null
  readonly endMs: number | null
  readonly runsLeft: number | null
  readonly failures: number
  readonly paused: boolean
}

export interface SlotRow {
  readonly slotMs: number
  readonly jobId: string
  readonly runId: string | null
  readonly fromMs: number | null
  readonly slots: number
  readonly reason: number
  readonly computed: boolean
}

/** A handler's write in the transaction that settled its run. */
export interface EffectRow {
  readonly runId: string
  readonly fence: bigint
}

/** A run that has left its place for good. */
export type Ended = Carried &
  Pick<
    OutcomeRow,
    'fence' | 'sessionId' | 'state' | 'attemptOutcome' | 'startedMs' | 'output' | 'reason'
  >

/** The columns of a row that travel with its run. */
export const carried = (row: Carried): Carried => ({
  runId: row.runId,
  tenantId: row.tenantId,
  lane: row.lane,
  attempt: row.attempt,
  crashes: row.crashes,
  traits: row.traits,
  jobId: row.jobId,
})

/** The end of a run that no worker held. */
export const waitingEnd = (row: Carried, state: number, reason: string): Ended => ({
  ...carried(row),
  fence: null,
  sessionId: null,
  state,
  attemptOutcome: null,
  startedMs: null,
  output: null,
  reason,
})

/** The overlap policy under which runs wait for each other, as it is stored in the traits. */
export const QUEUE_ALL_BITS = 3 << traits.overlapShift

export const withoutOverlap = (bits: number): number => bits & ~traits.overlap

/** Whether the run's job allows one running run at a time. */
export const isExclusive = (bits: number): boolean => (bits & traits.overlap) !== 0

/** The number of the attempt, or the crash, after these; it saturates. */
export const oneMore = (count: number): number => Math.min(count + 1, limits.attemptsCounted)

/** The claim is the start mark, unless the run needs a separate one. */
export function startMark({
  startedMs,
  claimedMs,
  crashes,
  traits: bits,
}: LeaseRow): number | null {
  return crashes > 0 || (bits & traits.atMostOnce) !== 0 ? startedMs : (startedMs ?? claimedMs)
}

export const overlapOf = (bits: number): number => (bits >> traits.overlapShift) & 7

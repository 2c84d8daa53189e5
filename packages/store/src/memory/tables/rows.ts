/** The rows of the store in memory: the columns of the real tables that affect behaviour. */
import { traits } from '@punctual/core/run'

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
}

export interface LaterRow extends Carried {
  readonly dueMs: number
}

/** A position is a millisecond and a sequence number within it. */
export interface QueueRow extends Carried {
  readonly posMs: number
  readonly seq: number
}

export interface ParkedRow extends Carried {
  readonly jobId: string
  readonly parkedMs: number
}

export interface LeaseRow extends Carried {
  readonly fence: bigint
  readonly sessionId: string
  readonly claimedMs: number
  readonly startedMs: number | null
  readonly cancelReason: string | null
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
  readonly planningError: string | null
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

/** Whether the run's job allows one running run at a time. */
export const isExclusive = (bits: number): boolean => (bits & traits.overlap) !== 0

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

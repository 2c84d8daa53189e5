/** What a worker asks of the store. One verb per transition; every answer is data. */
import type { Failure } from '../errors/failure.ts'
import type { Lane } from '../flow/lane.ts'
import type { AttemptOutcome } from '../run/run-state.ts'

/** A worker's lease on everything that it holds, and how it announces itself. */
export interface SessionAnnouncement {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly handlers: readonly string[]
  readonly queues: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly capacity: number
  readonly leaseMs: number
  /** It was asked to drain before it lost the session that this one takes the place of. */
  readonly drains?: boolean
  /** Whose runs it may have; those of all when it is null. @default null */
  readonly tenantId?: number | null
}

/** What others see of a worker that changes while it works. */
export interface SessionDescription {
  readonly state: 'active' | 'draining'
  readonly handlers: readonly string[]
  readonly stuck: readonly StuckHandler[]
}

/** A handler that goes on although its attempt has ended. */
export interface StuckHandler {
  /** The run that it was called for. */
  readonly runId: string
  /** Its name. */
  readonly handler: string
  /** The attempt that has ended. */
  readonly attempt: number
  /** How long it has been running. */
  readonly ranMs: number
}

export interface ClaimRequest {
  readonly sessionId: string
  /** The first fence: random, made before the claim is sent; each run takes the next number. */
  readonly fence: string
  readonly limit: number
  /** In the order in which they are to be taken from: by priority, rotated inside of one. */
  readonly lanes: readonly Lane[]
  /** How lanes of one priority that have something due share the claim, in the order of `lanes`. @default alike */
  readonly weights?: readonly number[]
  /** One of many that follow each other: hints and other claims are not to wait for it. */
  readonly bulk?: boolean
}

/** What a claim took from one lane. */
export interface LaneYield {
  readonly lane: number
  readonly runs: number
  /** It gave all that it was asked for: it may have more. */
  readonly full: boolean
}

/** What a lease itself tells of the run that it is on. */
export interface Lease {
  readonly id: string
  /** The fence: belongs to this lease of this run and to no other. */
  readonly fence: bigint
  readonly lane: number
  readonly tenantId: number
  readonly handler: string
  readonly queue: string
  readonly priority: number
  /** The part of its tenant. */
  readonly weight: number
  /** It counts towards a limit of its queue or its tenant: others may wait for its end. */
  readonly limited: boolean
  /** Attempts that have ended before this one. */
  readonly attempt: number
  readonly crashes: number
  readonly traits: number
  /** The job whose slot this is; null for a run that was submitted. */
  readonly jobId: string | null
  /** Of its concurrency key; null when it has none. */
  readonly gate: bigint | null
}

/** What a run is to do, and how. */
export interface Assignment {
  /** How long after the claim it is not worth starting any more; null for one that always is. */
  readonly expiresInMs: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly payload: string
  readonly policy: string | null
  readonly trace: string | null
  readonly dueMs: number
  /** The slot; null when the job was triggered by hand. */
  readonly slotMs: number | null
  /** The first slot that this run makes up for together with its own; null when it is the only one. */
  readonly missedFromMs: number | null
}

export interface ClaimedRun extends Lease, Assignment {}

/** What proves that a run is held: all that giving it back needs. */
export type Fence = Pick<ClaimedRun, 'id' | 'fence'>

export interface ClaimResult {
  /** The lanes that gave something. */
  readonly gave: readonly LaneYield[]
  /** False when the session is no longer valid: nothing was claimed and a new one must be opened. */
  readonly sessionAlive: boolean
  readonly runs: readonly ClaimedRun[]
  /** True when a lane gave all that was asked of it: more may be due now. */
  readonly more: boolean
  /** Milliseconds until the next known run of these lanes is due; null when none is known. */
  readonly nextDueInMs: number | null
  /** Runs that may not start while another run of their job goes on; `resolveParked` decides about them. */
  readonly parked: readonly string[]
}

interface SettlementBase {
  readonly run: ClaimedRun
  /**
   * How long ago the handler was called and how long it took, by the worker's monotonic clock; null when it was never
   * called: it was cancelled before, or the transaction that it was to run in could not begin.
   */
  readonly startedAgoMs: number | null
}

export type Settlement =
  | (SettlementBase & { readonly kind: 'succeeded'; readonly output: string | null })
  | (SettlementBase & {
      readonly kind: 'retry'
      readonly outcome: AttemptOutcome
      readonly failure: Failure
      readonly delayMs: number
    })
  | (SettlementBase & {
      readonly kind: 'dead'
      readonly outcome: AttemptOutcome
      readonly failure: Failure
      readonly reason: string
    })
  | (SettlementBase & {
      /** It was not started, because it is not worth running any more. */
      readonly kind: 'skipped'
      readonly reason: string
    })
  | (SettlementBase & {
      /** It ended because it was asked to. */
      readonly kind: 'cancelled'
      readonly failure: Failure | null
      readonly reason: string
    })

export interface LogEntry {
  readonly runId: string
  readonly attempt: number
  readonly seq: number
  readonly agoMs: number
  readonly level: number
  readonly message: string
  readonly data: string | null
}

export interface WorkStore {
  /** The lanes that these handlers and queues can take from; an empty list of queues means all. */
  lanes(handlers: readonly string[], queues: readonly string[]): Promise<readonly Lane[]>
  openSession(session: SessionAnnouncement): Promise<void>
  /** Extends the lease; null when the session was fenced. */
  renewSession(sessionId: string): Promise<{ readonly drains: boolean } | null>
  describeSession(sessionId: string, now: SessionDescription): Promise<void>
  closeSession(sessionId: string): Promise<void>
  claim(request: ClaimRequest): Promise<ClaimResult>
  /** Keeps how far a run has come for its next attempt; false when it belongs to somebody else by now. */
  saveCheckpoint(run: Fence, state: string): Promise<boolean>
  /** What earlier attempts of these runs have kept, as JSON. */
  checkpoints(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Commits that these are about to start; returns the ids that are still ours. */
  markStarted(runs: readonly Fence[]): Promise<ReadonlySet<string>>
  /** Gives runs back that were not started. */
  giveBack(runs: readonly Fence[]): Promise<void>
  /** Returns the ids whose outcome was refused because the lease is gone. None of a run may be given twice. */
  settle(sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]>
  /** Runs leased to the session under other claims than those known: replies that were lost. */
  strayLeases(sessionId: string, known: readonly bigint[]): Promise<readonly Fence[]>
  /** Starts, skips, or leaves waiting runs that would have overlapped, as their jobs say. */
  resolveParked(runIds: readonly string[]): Promise<void>
  /** Which of these runs are asked to end, and why; null when they belong to somebody else by now. */
  cancelRequests(runs: readonly Fence[]): Promise<ReadonlyMap<bigint, string | null>>
  reportProgress(progress: readonly { run: Fence; value: string }[]): Promise<void>
  appendLogs(entries: readonly LogEntry[]): Promise<void>
  /** How many bytes the log of each of these runs has; none for one that has logged nothing. */
  logBytes(runIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** How many bytes the log of a run of this tenant may have. @default limits.logBytesPerRun */
  logBytesMax?(tenantId: number): Promise<number>
}

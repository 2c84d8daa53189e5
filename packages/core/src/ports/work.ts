/** The store port of a worker. One verb per transition; every result is data. */
import type { Failure } from '../errors/failure.ts'
import type { Lane } from '../flow/lane.ts'
import type { AttemptOutcome } from '../run/run-state.ts'

/** A worker's registration: its lease on everything that it holds, and its description. */
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
  /** Whether it was draining when it lost the session that this one replaces. */
  readonly drains?: boolean
  /** The tenant whose runs it may claim; null for all tenants. @default null */
  readonly tenantId?: number | null
  /** How many sessions the tenant may have; null for any number. @default null */
  readonly sessionsMax?: number | null
}

/** The visible properties of a worker that change while it works. */
export interface SessionDescription {
  readonly state: 'active' | 'draining'
  readonly handlers: readonly string[]
  readonly stuck: readonly StuckHandler[]
}

/** A handler that is running although its attempt has ended. */
export interface StuckHandler {
  /** The id of the run for which it was called. */
  readonly runId: string
  /** The name of the handler. */
  readonly handler: string
  /** The number of the attempt that has ended. */
  readonly attempt: number
  /** How long it has been running. */
  readonly ranMs: number
}

export interface ClaimRequest {
  readonly sessionId: string
  /**
   * The first fence: random, generated before the claim is sent; each run takes the next number.
   */
  readonly fence: string
  readonly limit: number
  /** In the order of claiming: by priority, rotated within one priority. */
  readonly lanes: readonly Lane[]
  /**
   * How lanes of one priority with due runs share the claim, in the order of `lanes`.
   * @default equally
   */
  readonly weights?: readonly number[]
  /**
   * Whether this is one of many consecutive claims: hints and other claims must not wait for it.
   */
  readonly bulk?: boolean
  /**
   * How many bytes of payloads to load: runs beyond go back to the queue unchanged, except the
   * first. @default limits.claimBytes
   */
  readonly bytes?: number
}

/** The yield of one lane in a claim. */
export interface LaneYield {
  readonly lane: number
  readonly runs: number
  /** Whether it yielded as many runs as requested: it may have more. */
  readonly full: boolean
}

/** The part of a claimed run that its lease stores. */
export interface Lease {
  readonly id: string
  /** The fence: belongs to this lease of this run and to no other. */
  readonly fence: bigint
  readonly lane: number
  readonly tenantId: number
  readonly handler: string
  readonly queue: string
  readonly priority: number
  /** The weight of its tenant. */
  readonly weight: number
  /** Whether it counts towards a limit of its queue or tenant: other runs may wait for its end. */
  readonly limited: boolean
  /** The number of finished attempts before this one. */
  readonly attempt: number
  readonly crashes: number
  readonly traits: number
  /** The job of the run; null for a submitted run. */
  readonly jobId: string | null
  /** The identifier of its concurrency key; null when it has none. */
  readonly gate: bigint | null
}

/** The work of a run, and how to do it. */
export interface Assignment {
  /** Milliseconds after the claim at which it expires; null when it never expires. */
  readonly expiresInMs: number | null
  readonly maxAttempts: number
  readonly timeoutMs: number
  readonly payload: string
  readonly policy: string | null
  readonly trace: string | null
  readonly dueMs: number
  /** The slot; null when the job was triggered by hand. */
  readonly slotMs: number | null
  /**
   * The first missed slot that the run catches up together with its own; null without missed slots.
   */
  readonly missedFromMs: number | null
}

export interface ClaimedRun extends Lease, Assignment {}

/** The proof that a run is held: all that returning it needs. */
export type Fence = Pick<ClaimedRun, 'id' | 'fence'>

export interface ClaimResult {
  /** The lanes that yielded runs. */
  readonly gave: readonly LaneYield[]
  /**
   * False when the session is no longer valid: nothing was claimed and a new one must be opened.
   */
  readonly sessionAlive: boolean
  readonly runs: readonly ClaimedRun[]
  /** Whether a lane yielded as many runs as requested: more may be due now. */
  readonly more: boolean
  /** Milliseconds until the next known run of these lanes is due; null when none is known. */
  readonly nextDueInMs: number | null
  /**
   * Runs that may not start while another run of their job is running; `resolveParked` decides
   * about them.
   */
  readonly parked: readonly string[]
}

interface SettlementBase {
  readonly run: ClaimedRun
  /**
   * How long ago the handler was called, and so how long it took, by the worker's monotonic clock;
   * null when it was never called: the run was cancelled before, or its transaction could not
   * begin.
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
      /** Its target accepted the work and reports the outcome later: the run has not ended. */
      readonly kind: 'awaiting'
      /** How long to wait for the report. */
      readonly timeoutMs: number
      /** Where people can look up the state of the work; null when the target named no address. */
      readonly statusUrl: string | null
    })
  | (SettlementBase & {
      /** It must not run twice, and nobody knows what its target did. */
      readonly kind: 'unknown'
      readonly outcome: AttemptOutcome
      readonly failure: Failure
      readonly reason: string
    })
  | (SettlementBase & {
      /** It was not started because it has expired. */
      readonly kind: 'skipped'
      readonly reason: string
    })
  | (SettlementBase & {
      /** It ended because it was cancelled. */
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

/** A lane in which runs wait. */
export interface LaneWithRuns {
  readonly lane: number
  /** Milliseconds until the first of them is due; negative when it is due already. */
  readonly dueInMs: number
}

export interface WorkStore {
  /**
   * Returns the lanes from which these handlers and queues can claim; an empty list of queues means
   * all. `tenantId`: only those of this tenant.
   */
  lanes(
    handlers: readonly string[],
    queues: readonly string[],
    tenantId?: number | null,
  ): Promise<readonly Lane[]>
  /** Returns the lanes in which runs wait, due or not, of all handlers and queues. */
  lanesWithRuns(): Promise<readonly LaneWithRuns[]>
  /** @throws `quota_exceeded` when the tenant has as many sessions as it may have */
  openSession(session: SessionAnnouncement): Promise<void>
  /** Extends the lease; null when the session was fenced. */
  renewSession(sessionId: string): Promise<{ readonly drains: boolean } | null>
  describeSession(sessionId: string, now: SessionDescription): Promise<void>
  closeSession(sessionId: string): Promise<void>
  /**
   * Claims due runs. Payloads beyond the bytes of the request are not loaded: their runs go back to
   * the queue unchanged, and `more` is true.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>
  /**
   * Saves the progress of a run for its next attempt; false when the run belongs to another session
   * by now.
   */
  saveCheckpoint(run: Fence, state: string): Promise<boolean>
  /**
   * Returns the checkpoints that earlier attempts of these runs saved, as JSON, in the order of the
   * ids. A checkpoint beyond `limits.claimBytes` of them is null; the first one never is.
   */
  checkpoints(runIds: readonly string[]): Promise<ReadonlyMap<string, string | null>>
  /**
   * Commits that these runs are about to start; returns the ids of runs that the session still
   * holds.
   */
  markStarted(runs: readonly Fence[]): Promise<ReadonlySet<string>>
  /** Returns runs that were not started to the queue. */
  giveBack(runs: readonly Fence[]): Promise<void>
  /**
   * Returns the ids whose outcome was refused because the lease is gone. A run may occur only once.
   */
  settle(sessionId: string, settlements: readonly Settlement[]): Promise<readonly string[]>
  /**
   * Returns runs leased to the session under claims that the worker does not know: their replies
   * were lost.
   */
  strayLeases(sessionId: string, known: readonly bigint[]): Promise<readonly Fence[]>
  /** Starts, skips, or leaves waiting runs that would have overlapped, as their jobs require. */
  resolveParked(runIds: readonly string[]): Promise<void>
  /**
   * Returns why each of these runs is to be cancelled; null for a run that belongs to another
   * session by now.
   */
  cancelRequests(runs: readonly Fence[]): Promise<ReadonlyMap<bigint, string | null>>
  reportProgress(progress: readonly { run: Fence; value: string }[]): Promise<void>
  appendLogs(entries: readonly LogEntry[]): Promise<void>
  /** Returns the log size of each of these runs in bytes; a run without a log is left out. */
  logBytes(runIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * Returns the maximum log size of a run of this tenant in bytes. @default limits.logBytesPerRun
   */
  logBytesMax?(tenantId: number): Promise<number>
}

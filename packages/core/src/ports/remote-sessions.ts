/**
 * The store port for serving workers without a database connection, in addition to the port of a
 * worker.
 */
import type { AttemptOutcome, FinalState } from '../run/run-state.ts'
import type { ClaimedRun, Fence, Lease } from './work.ts'

export interface OpenSession {
  readonly id: string
  /** The tenant whose runs it may claim; null for all tenants. */
  readonly tenantId: number | null
  readonly handlers: readonly string[]
  readonly queues: readonly string[]
  readonly leaseMs: number
  /** Whether it is draining: it may claim nothing more. */
  readonly drains: boolean
  /** How long it has been open: none of its work is older. */
  readonly openMs: number
}

/** The end of a lease: how it was settled, or taken from the session. */
export interface LeaseEnd {
  readonly id: string
  readonly fence: bigint
  /** Null when no attempt was made. */
  readonly outcome: AttemptOutcome | null
  readonly state: FinalState | 'retrying' | 'awaiting'
}

export interface RemoteSessions {
  /** Returns the current session, even if it has expired and was not reaped yet. */
  find(sessionId: string): Promise<OpenSession | null>
  /** Renews the lease of a session; null when it has ended. */
  renew(sessionId: string): Promise<{ readonly drains: boolean } | null>
  /** How many sessions the tenant may have. */
  sessionsMax(tenantId: number): Promise<number>
  /** Returns the runs among these that the session holds. */
  leases(sessionId: string, runIds: readonly string[]): Promise<readonly Lease[]>
  /**
   * Puts the leases that the session still holds on these runs under new fences, those after
   * `fence`.
   */
  fenceAgain(sessionId: string, runs: readonly Fence[], fence: string): Promise<readonly Lease[]>
  /** Returns the holders of these runs: sessions by run. */
  holders(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Adds to leases what their runs are to do, for as many as `limits.claimBytes` of payloads allow;
   * at least one, and the others are left out.
   */
  define(leases: readonly Lease[]): Promise<readonly ClaimedRun[]>
  /** Adds to leases how their runs are to be done, with `null` in the place of each payload. */
  policies(leases: readonly Lease[]): Promise<readonly ClaimedRun[]>
  /** Returns how leases of the session on these runs ended. */
  ends(sessionId: string, runIds: readonly string[]): Promise<readonly LeaseEnd[]>
}

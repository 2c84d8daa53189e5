/** What serving workers that have no connection of their own asks of the store, beyond what a worker asks for itself. */
import type { AttemptOutcome, FinalState } from '../run/run-state.ts'
import type { ClaimedRun, Fence, Lease } from './work.ts'

export interface OpenSession {
  readonly id: string
  /** Whose runs it may have; those of all when it is null. */
  readonly tenantId: number | null
  readonly handlers: readonly string[]
  readonly queues: readonly string[]
  readonly leaseMs: number
  /** It is asked to take nothing more. */
  readonly drains: boolean
  /** For how long it has been open: nothing of what it does is older. */
  readonly openMs: number
}

/** How a lease of a session was settled, or taken from it. */
export interface LeaseEnd {
  readonly id: string
  readonly fence: bigint
  /** Null when no attempt was made. */
  readonly outcome: AttemptOutcome | null
  readonly state: FinalState | 'retrying'
}

export interface RemoteSessions {
  /** The session as it is now; also one that has run out and was not yet taken. */
  find(sessionId: string): Promise<OpenSession | null>
  /** Those of these runs that the session holds. */
  leases(sessionId: string, runIds: readonly string[]): Promise<readonly Lease[]>
  /** Puts leases of the session under new fences, those after `claim`; of those that it still held. */
  fenceAgain(sessionId: string, runs: readonly Fence[], fence: string): Promise<readonly Lease[]>
  /** Who holds these runs: sessions by run. */
  holders(runIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The same with what the runs are to do. */
  define(leases: readonly Lease[]): Promise<readonly ClaimedRun[]>
  /** How leases of the session on these runs ended. */
  ends(sessionId: string, runIds: readonly string[]): Promise<readonly LeaseEnd[]>
}

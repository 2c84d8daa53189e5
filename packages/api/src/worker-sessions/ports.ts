/** What serving remote workers needs of the process around it. */
import type { Clock, Random } from '@punctual/core/clock'
import type { Caller } from '@punctual/core/identity'
import type { RemoteSessions, WorkStore } from '@punctual/core/ports'

/** Something may be due, or somebody is asked for something. */
export interface WorkHint {
  /** Null when it may be any. */
  readonly lanes: readonly number[] | null
  readonly newLane: boolean
  /** Runs that are asked to end. */
  readonly cancels?: readonly string[]
  /** Workers that are asked to drain, or to take work again. */
  readonly sessions?: readonly string[]
}

/** Who asks: a key of a tenant, or one of the installation, which is of none. */
export type WorkerCaller = Pick<Caller, 'tenantId'>

export interface WorkerPorts {
  readonly work: WorkStore
  readonly remoteSessions: RemoteSessions
  readonly clock: Clock
  readonly random: Random
  /** The value of a secret of a tenant. */
  secret(tenantId: number, name: string): Promise<string>
  /** The largest output that is kept. */
  readonly outputBytes: number
  /** Calls back at each hint; returns how to stop listening. */
  onHint(listener: (hint: WorkHint) => void): () => void
  /** Whether hints of other nodes arrive: then polling is slow. */
  hintsArrive(): boolean
  /** Aborted when this node stops: whoever waits is answered, and asks another one. */
  readonly draining: AbortSignal
}

/** Whoever waits for an answer. */
export interface Waiting {
  /** Aborted when the client goes away before it is answered. */
  readonly gone: AbortSignal
  /** Refuses when the caller may not do this any more. */
  readonly recheck: () => Promise<void>
}

/** The parts of the process that remote workers need. */
import type { Clock, Random } from '@punctual/core/clock'
import type { Caller } from '@punctual/core/identity'
import type { RemoteSessions, WorkStore } from '@punctual/core/ports'

/** Runs may be due, or workers are asked for something. */
export interface WorkHint {
  /** Lanes with due runs; null when it may be any. */
  readonly lanes: readonly number[] | null
  readonly newLane: boolean
  /** Runs that are asked to end. */
  readonly cancels?: readonly string[]
  /** Workers that are asked to drain, or to claim again. */
  readonly sessions?: readonly string[]
}

/** The caller: a key of a tenant, or one of the installation, which has no tenant. */
export type WorkerCaller = Pick<Caller, 'tenantId'>

export interface WorkerPorts {
  readonly work: WorkStore
  /** Claims in turn with those of other tenants. */
  readonly claim: WorkStore['claim']
  readonly remoteSessions: RemoteSessions
  readonly clock: Clock
  readonly random: Random
  /** The value of a secret of a tenant. */
  secret(tenantId: number, name: string): Promise<string>
  /** The largest output that is stored. */
  readonly outputBytes: number
  /** Calls back at each hint; returns a function that stops listening. */
  onHint(listener: (hint: WorkHint) => void): () => void
  /** Whether hints of other nodes arrive; polling is slow then. */
  hintsArrive(): boolean
  /** Aborted when this node stops: waiting requests are answered, and workers call another node. */
  readonly draining: AbortSignal
}

/** A request that may wait for its answer. */
export interface Waiting {
  /** Aborted when the client disconnects before it is answered. */
  readonly gone: AbortSignal
  /** Rejects when the caller would no longer be admitted. */
  readonly recheck: () => Promise<void>
  /** Calls back when the client has read the answer, or never will. */
  readonly whenSent: (done: () => void) => void
}

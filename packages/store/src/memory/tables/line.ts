/**
 * How a node reaches the server. Each call is one server transaction; the line injects the faults.
 */
import type { Clock } from '@punctual/core/clock'
import type { MemoryDatabase } from './memory-database.ts'

export interface Line {
  call<T>(what: string, work: () => T): Promise<T>
}

/** Hints from the stores to other nodes; they may be lost. */
export interface Hints {
  queued(lanes: Iterable<number>): void
  cancels(runIds: readonly string[]): void
  /** Notifies workers of a drain request, or of its withdrawal. */
  sessions(ids: readonly string[]): void
  jobsChanged(): void
}

export const noHints: Hints = {
  queued: () => undefined,
  cancels: () => undefined,
  sessions: () => undefined,
  jobsChanged: () => undefined,
}

/** What every store of a node needs. */
export interface MemoryStoreOptions {
  readonly db: MemoryDatabase
  readonly line: Line
  /** The node's clock. */
  readonly clock: Clock
  readonly horizonMs: number
  readonly hints: Hints
}

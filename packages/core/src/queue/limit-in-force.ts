/** The limits of a queue or of a tenant, and their current use. */
import type { QueueLimits } from '../flow/queue-limits.ts'

/** A limit in force, and how much of it is used. */
export interface LimitInForce extends QueueLimits {
  /** Null for the limit of the whole tenant, all queues together. */
  readonly queue: string | null
  /** How many runs are running under it; counted only for a limit of concurrency. */
  readonly running: number
  /** When the next run may start; null when one may start now, or without a rate. */
  readonly freeAt: Date | null
  /** When the limit was set. */
  readonly setAt: Date
  /** Who set it; null if unknown. */
  readonly setBy: string | null
}

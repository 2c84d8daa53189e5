import type { Submission } from '@punctual/core/submit'

/** A submission with the id, the lane and the due time of its run. */
export interface Prepared {
  readonly id: string
  readonly tenantId: number
  readonly lane: number
  /** The generation of the lane registry when the lane was looked up. */
  readonly generation: number
  readonly dueMs: number | null
  readonly submission: Submission
  /** The gate of its concurrency key. */
  readonly gate: bigint | null
}

/**
 * A lane is a stream of runs that are claimed alike: one tenant, one queue, one handler, one priority.
 * Lanes are interned to small integers, so that a claim names exactly the streams it may take from.
 */
export interface LaneKey {
  readonly tenantId: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
}

export interface Lane extends LaneKey {
  readonly id: number
  /** The part that its tenant has where others have as much to do. @default 1 */
  readonly weight?: number
  /** After waiting so long its first run counts as of the next higher priority, and so on. @default never */
  readonly ageingMs?: number | null
}

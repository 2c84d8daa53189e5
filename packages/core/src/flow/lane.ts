/**
 * A lane is a stream of runs that are claimed alike: one tenant, queue, handler and priority. Lanes
 * are interned to small integers, so that a claim names exactly the streams from which it may take
 * runs.
 */
export interface LaneKey {
  readonly tenantId: number
  readonly queue: string
  readonly handler: string
  readonly priority: number
}

export interface Lane extends LaneKey {
  readonly id: number
  /**
   * The share of worker capacity of its tenant relative to other tenants with due runs. @default 1
   */
  readonly weight?: number
  /**
   * After waiting this long its first run counts as one priority higher, after twice as long two,
   * and so on. @default never
   */
  readonly ageingMs?: number | null
}

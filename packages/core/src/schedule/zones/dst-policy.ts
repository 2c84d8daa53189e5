/** Policies for local times that a clock change skips or repeats. */

/** For a time that does not exist because the clocks went forward over it. */
export const gapPolicies = ['run-after', 'shift', 'skip'] as const
/** For a time that exists twice because the clocks went back over it. */
export const foldPolicies = ['first', 'last', 'both'] as const

/**
 * For a time that does not exist because the clocks went forward over it. `run-after`: at the first
 * instant after the gap. `shift`: later by the length of the gap, so that 02:30 becomes 03:30.
 * `skip`: not at all.
 */
export type GapPolicy = (typeof gapPolicies)[number]
/**
 * For a time that exists twice because the clocks went back over it. `first`: in the first pass
 * only. `last`: in the second only. `both`: in each.
 */
export type FoldPolicy = (typeof foldPolicies)[number]

export interface DstPolicy {
  /**
   * `run-after`: at the first instant after the gap. `shift`: later by the length of the gap, so
   * that 02:30 becomes 03:30. `skip`: not at all. @default 'run-after'
   */
  readonly gap: GapPolicy
  /**
   * `first`: in the first pass only. `last`: in the second only. `both`: in each. @default 'first'
   */
  readonly fold: FoldPolicy
}

export const defaultDstPolicy: DstPolicy = Object.freeze({ gap: 'run-after', fold: 'first' })

/** Follows the clock face without regard to clock changes: the policy of interval patterns. */
export const clockFacePolicy: DstPolicy = Object.freeze({ gap: 'skip', fold: 'both' })

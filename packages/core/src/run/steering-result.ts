/** The answers to changes of runs. */
import type { RunResolution } from './run.ts'
import type { FinalState, RunState } from './run-state.ts'

/** A live run holds the key that the new run needs, so no run was created. */
export interface KeyBusy {
  /** Distinguishes this answer from the others. */
  readonly result: 'key_busy'
  /** The key that is held. */
  readonly key: string
  /** The run that holds it; null when that run has just ended. */
  readonly heldBy: string | null
}

/** The answer to a cancel, and the state that the run has now. */
export type CancelAnswer =
  | { readonly result: 'cancelled'; readonly state: 'cancelled' }
  | { readonly result: 'cancelling'; readonly state: 'cancelling' }
  | { readonly result: 'already_finished'; readonly state: FinalState }

/** Why a run could not be changed: a worker is executing it, or it has ended. */
export type TooLate = 'running' | 'already_finished'

/**
 * The answer to `runs.resolve`. `already_resolved`: the run was resolved before, and the first
 * resolution stays. `not_unknown`: the run has not ended, or its outcome is known.
 */
export type ResolveResult =
  | { readonly result: 'resolved'; readonly replayedAs: string | null }
  | KeyBusy
  | {
      readonly result: 'already_resolved'
      readonly resolved: RunResolution
      readonly replayedAs: string | null
    }
  | { readonly result: 'not_unknown'; readonly state: RunState }

/** The result of a change of many runs. */
export interface BulkResult<Answer extends string> {
  /** True when nothing was changed, only counted. */
  readonly dryRun: boolean
  /** How many runs matched. */
  readonly matched: number
  /** Matching runs by state, as read before the change. */
  readonly states: Partial<Record<RunState, number>>
  /** Runs by outcome; all 0 in a dry run. */
  readonly answers: Readonly<Record<Answer, number>>
  /** The ids of the first ten matching runs. */
  readonly sample: readonly string[]
  /** False when the limit or the signal ended it before all runs were checked. */
  readonly complete: boolean
}

/** A dead letter in full, and the answers to handling one or many. */
import type { FinishedRun, LogLine } from '../run/run.ts'
import type { KeyBusy } from '../run/steering-result.ts'
import type { DeadLetter, DeadLetterHandling } from './dead-letter.ts'

/** A dead letter with its run, log and checkpoint. */
export interface DeadLetterDetails extends DeadLetter {
  /** The run that died, with its attempts. */
  readonly run: FinishedRun
  /** The last 100 lines of its log, oldest first. */
  readonly log: readonly LogLine[]
  /** The data of its last checkpoint; null when it has none. */
  readonly checkpoint: unknown
}

/**
 * The result of a replay. `already_handled`: it was replayed or discarded before, and no run was
 * created.
 */
export type ReplayResult =
  | { readonly result: 'replayed'; readonly id: string }
  | { readonly result: 'already_handled'; readonly handled: DeadLetterHandling }
  | KeyBusy

/** The result of `discardMany`. */
export interface DiscardManyResult {
  /** How many open dead letters matched the filter. */
  readonly matching: number
  /** How many of them were discarded. */
  readonly discarded: number
}

/** Progress of a replay of many dead letters. */
export interface ReplayProgress {
  /** How many open dead letters matched the filter. */
  readonly matching: number
  /** How many of them are to be replayed: at most the limit. */
  readonly wanted: number
  /** How many were replayed so far. */
  readonly replayed: number
  /** Dead letters that another caller handled first. */
  readonly alreadyHandled: number
  /** Dead letters whose key a live run has; they stay open. */
  readonly keyBusy: number
  /** Replays that have ended; counted only with a canary or a failure bound. */
  readonly ended: number
  /** Ended replays that are dead or unknown. */
  readonly failed: number
}

/** The result of `replayMany`. */
export interface ReplayManyResult extends ReplayProgress {
  /** Why it stopped before all were replayed; null when all were. */
  readonly stopped: 'failure_rate' | 'aborted' | null
  /** The new runs, in the order of their creation. */
  readonly runIds: readonly string[]
}

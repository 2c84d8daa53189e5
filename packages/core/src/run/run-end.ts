/** The end of a run, as it is reported to listeners. */
import type { Failure } from '../errors/failure.ts'
import type { FinalState } from './run-state.ts'

/** A run that was cancelled, skipped or lost. */
export interface RunEnd {
  readonly runId: string
  readonly at: Date
  readonly state: FinalState
  readonly handler: string
  readonly queue: string
  /** How many attempts the run has had. */
  readonly attempt: number
  readonly jobId: string | null
  readonly error: Failure | null
  readonly reason: string | null
}

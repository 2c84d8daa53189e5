/**
 * The states of a run. Numbers are what the database stores.
 *
 * - `waiting`: for a key, a lock or a dependency; moved on by the transaction that frees it.
 * - `scheduled`: not due yet; becomes `queued` when its time comes.
 * - `queued`: due, and waiting for a worker that has its handler.
 * - `running`: leased to a session; ended by settling, or by the reaper when the session dies.
 * - `cancelling`: like `running`, and its handler was signalled to stop.
 * - `awaiting`: its target accepted the work and reports the outcome; no session holds it.
 * - `succeeded`, `dead`, `cancelled`, `skipped`: final.
 * - `unknown`: an at-most-once attempt started, and no outcome was stored; final unless resolved.
 */
import { namesOfCodes } from '../check/names-of-codes.ts'

export const finalStates = {
  succeeded: 1,
  dead: 2,
  cancelled: 3,
  skipped: 4,
  unknown: 5,
} as const

/**
 * How a run can end.
 *
 * - `succeeded`: its handler returned.
 * - `dead`: it failed and is not retried; it is a dead letter.
 * - `cancelled`: a user cancelled it, or a newer run of its job replaced it.
 * - `skipped`: it did not run, and will not.
 * - `unknown`: an at-most-once attempt started, and no outcome was stored; a user may resolve it.
 */
export type FinalState = keyof typeof finalStates
/**
 * The states of a run that has not ended.
 *
 * - `waiting`: for another run of its job, or for a place of its concurrency key.
 * - `scheduled`: not due yet.
 * - `queued`: due, and waiting for a worker that has its handler.
 * - `running`: a worker holds it.
 * - `cancelling`: a worker holds it, and its handler was signalled to stop.
 * - `awaiting`: its target has accepted the work and reports the outcome; no worker holds it.
 */
export type LiveState = 'waiting' | 'scheduled' | 'queued' | 'running' | 'cancelling' | 'awaiting'
/** The state of a run. */
export type RunState = LiveState | FinalState

export const runStates = [
  'waiting',
  'scheduled',
  'queued',
  'running',
  'cancelling',
  'awaiting',
  'succeeded',
  'dead',
  'cancelled',
  'skipped',
  'unknown',
] as const satisfies readonly RunState[]

/** The outcomes of an attempt. The numbers are stored. */
export const attemptOutcomes = {
  succeeded: 1,
  failed: 2,
  timed_out: 3,
  crashed: 4,
  cancelled: 5,
  terminated: 6,
} as const

/**
 * How one attempt ended. `crashed`: its worker died, or sent no heartbeat for a whole lease.
 * `terminated`: a newer run of its job replaced it while it ran.
 */
export type AttemptOutcome = keyof typeof attemptOutcomes

export const finalStateOf = namesOfCodes(finalStates)
export const attemptOutcomeOf = namesOfCodes(attemptOutcomes)

/** Whether an attempt is in progress: a worker holds the run, or its target works on it. */
export function isStarted(state: RunState): state is 'running' | 'cancelling' | 'awaiting' {
  return state === 'running' || state === 'cancelling' || state === 'awaiting'
}

export function isFinal(state: RunState): state is FinalState {
  return Object.hasOwn(finalStates, state)
}

/**
 * Properties of a run that affect its start or its end. The bits are stored with the row in every
 * place, so that a run without any of them costs nothing extra.
 */
export const traits = {
  /** It holds a live key that its end frees. */
  keyed: 1,
  /** Its start is marked before the handler is called, and silence after that is `unknown`. */
  atMostOnce: 2,
  /** Its end determines when its job fires next. */
  rearms: 4,
  /** Its end counts towards pausing its job. */
  failuresCounted: 8,
  /**
   * Three bits from here: what to do when another run of its job is running (see job/job-rules.ts).
   */
  overlapShift: 4,
  overlap: 112,
  /** An earlier attempt has left a checkpoint. */
  checkpointed: 128,
  /** It has a key of flow control: of concurrency, of a rate, or both. */
  gated: 256,
  /** No attempt begins after the instant in its policy. The last bit that fits into a claim. */
  expires: 512,
} as const

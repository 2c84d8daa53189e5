/**
 * Where a run is, is its state. Numbers are what the database stores.
 *
 * - `waiting`: on a key, a lock or a dependency; moved on by whoever frees it.
 * - `scheduled`: its time has not come; becomes `queued` by the passing of time alone.
 * - `queued`: due, and waiting for a worker that has its handler.
 * - `running`: leased to a session; left by settling, or by the reaper when the session dies.
 * - `cancelling`: like `running`, and its handler is asked to end.
 * - `succeeded`, `dead`, `cancelled`, `skipped`: final.
 * - `unknown`: an at-most-once attempt that started and was never heard of again; final unless resolved.
 */
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
 * - `dead`: it failed, and is not tried again; it is a dead letter.
 * - `cancelled`: somebody cancelled it.
 * - `skipped`: it did not run, and will not.
 * - `unknown`: an at-most-once attempt started and was never heard of again; left when somebody resolves it.
 */
export type FinalState = keyof typeof finalStates
/**
 * Where a run can be that has not ended.
 *
 * - `waiting`: for another run of its job, or for a place of its concurrency key.
 * - `scheduled`: its time has not come.
 * - `queued`: due, and waiting for a worker that has its handler.
 * - `running`: a worker has it.
 * - `cancelling`: a worker has it, and its handler is asked to end.
 */
export type LiveState = 'waiting' | 'scheduled' | 'queued' | 'running' | 'cancelling'
/** Where a run is. */
export type RunState = LiveState | FinalState

export const runStates = [
  'waiting',
  'scheduled',
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'dead',
  'cancelled',
  'skipped',
  'unknown',
] as const satisfies readonly RunState[]

/** How one attempt ended. */
export const attemptOutcomes = {
  succeeded: 1,
  failed: 2,
  timed_out: 3,
  crashed: 4,
  cancelled: 5,
  terminated: 6,
} as const

/**
 * How one attempt ended. `crashed`: its worker died, or was not heard of for a whole lease. `terminated`: a newer run of
 * its job took its place while it ran.
 */
export type AttemptOutcome = keyof typeof attemptOutcomes

function inverse<K extends string>(table: Record<K, number>): ReadonlyMap<number, K> {
  return new Map((Object.entries(table) as [K, number][]).map(([name, code]) => [code, name]))
}

export const finalStateOf = inverse(finalStates)
export const attemptOutcomeOf = inverse(attemptOutcomes)

export function isFinal(state: RunState): state is FinalState {
  return Object.hasOwn(finalStates, state)
}

/**
 * What a run carries that its end, or its start, has consequences for. The bits travel with the row
 * from place to place, so that a run without any of them pays for none.
 */
export const traits = {
  /** It holds a live key that its end frees. */
  keyed: 1,
  /** Its start is marked before the handler is called, and silence after that is `unknown`. */
  atMostOnce: 2,
  /** Its end decides when its job fires next. */
  rearms: 4,
  /** Its end counts towards pausing its job. */
  failuresCounted: 8,
  /** From this bit, three of them: what to do when another run of its job goes on (see jobs/job-rules.ts). */
  overlapShift: 4,
  overlap: 112,
  /** An earlier attempt has left a checkpoint. */
  checkpointed: 128,
  /** It has a key of flow control: of concurrency, of a rate, or both. */
  gated: 256,
  /** After a moment that its policy names, no attempt begins. The last bit that a claim has room for. */
  expires: 512,
} as const

/**
 * The resolution of an unknown run: an at-most-once attempt started, and its worker sent no further
 * heartbeat. Only a human can know, or decide, what happened.
 *
 * - `succeeded`: its effects happened.
 * - `failed`: its effects did not happen; the run is dead, and a dead letter.
 * - `run-again`: a new run repeats it, in any case. The unknown run stays unknown.
 */
import { finalStates } from './run-state.ts'

export const resolutionNames = ['succeeded', 'failed', 'run-again'] as const

/** Each resolution with the state that the run gets. */
export const resolutions = {
  succeeded: finalStates.succeeded,
  failed: finalStates.dead,
  'run-again': finalStates.unknown,
} as const satisfies Record<Resolution, number>

/**
 * The resolution of an unknown run. `succeeded`: its effects happened. `failed`: its effects did
 * not happen; the run is dead, and a dead letter. `run-again`: a new run repeats it, in any case.
 */
export type Resolution = (typeof resolutionNames)[number]

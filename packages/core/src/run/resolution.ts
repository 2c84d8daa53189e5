/**
 * What somebody says became of an unknown run: at-most-once, started, and its worker was never heard of again. Only
 * people can know, or decide.
 *
 * - `succeeded`: what it does was done.
 * - `failed`: it was not; the run is dead, and a dead letter.
 * - `run-again`: whatever became of it, a new run does it again. The unknown run stays unknown.
 */
import { finalStates } from './run-state.ts'

/** Each with the state that the run has from then on. */
export const resolutions = {
  succeeded: finalStates.succeeded,
  failed: finalStates.dead,
  'run-again': finalStates.unknown,
} as const

/**
 * What somebody says became of an unknown run. `succeeded`: what it does was done. `failed`: it was not; the run is
 * dead, and a dead letter. `run-again`: whatever became of it, a new run does it again.
 */
export type Resolution = keyof typeof resolutions

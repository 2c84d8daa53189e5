/**
 * Decides what follows an interrupted attempt: its worker stopped before the handler had ended, so
 * the attempt has no result and the run has not failed.
 */
import { limits } from '../errors/limits.ts'
import { traits } from './run-state.ts'

export interface InterruptedAttempt {
  /** The attempts before this one. */
  readonly attempt: number
  /** How many of them crashed. */
  readonly crashes: number
  readonly maxAttempts: number
  readonly traits: number
}

export type AfterInterruption =
  | { readonly kind: 'retry' }
  | { readonly kind: 'dead'; readonly reason: 'interrupted' | 'interrupted_too_often' }

/**
 * A run that must not run twice is dead. Any other run is retried at once, a bounded number of
 * times: attempts are counted in 16 bits, and a worker that only ever interrupts makes no progress.
 * Fewer than `maxAttempts` attempts of a live run failed, so the others were interrupted.
 */
export function decideAfterInterruption(run: InterruptedAttempt): AfterInterruption {
  if ((run.traits & traits.atMostOnce) !== 0) return { kind: 'dead', reason: 'interrupted' }
  const interruptions = run.attempt + 1 - run.crashes - (run.maxAttempts - 1)
  if (interruptions < limits.interruptionsMax) return { kind: 'retry' }
  return { kind: 'dead', reason: 'interrupted_too_often' }
}

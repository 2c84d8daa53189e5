/** Decodes the codes of runs: the names that the numbers of core stand for. */
import { invariant } from '@punctual/core/errors'
import {
  type AttemptOutcome,
  attemptOutcomeOf,
  type FinalState,
  finalStateOf,
} from '@punctual/core/run'
import { type Cell, number } from './cells.ts'

export function finalState(cell: Cell): FinalState {
  const state = finalStateOf.get(number(cell))
  invariant(state, `${cell} is the code of a final state`)
  return state
}

export function attemptOutcome(cell: Cell): AttemptOutcome {
  const outcome = attemptOutcomeOf.get(number(cell))
  invariant(outcome, `${cell} is the code of the outcome of an attempt`)
  return outcome
}

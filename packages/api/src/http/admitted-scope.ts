/** The demands of a route on its caller. */
import { PunctualError } from '@punctual/core/errors'
import { type Caller, checkReporter, checkScope, type Scope } from '@punctual/core/identity'

/**
 * A scope; `any`: every valid key; `report`: the callback token of the run, or a key that may operate
 * runs.
 */
export type RouteScope = Scope | 'any' | 'report'

export function checkAdmitted(caller: Caller, needed: RouteScope): void {
  if (needed === 'report') checkReporter(caller)
  else if (needed !== 'any') checkScope(caller, needed)
  else if (caller.attempt)
    throw new PunctualError('forbidden', 'This request needs an API key, not a callback token.')
}

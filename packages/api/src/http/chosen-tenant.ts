/** The tenant of a call to a route that can also be called for the installation itself. */
import type { Call } from './define-route.ts'

/**
 * The tenant of the key, or the one that a system key names in a header; null when it names none.
 */
export function chosenTenant(call: Call<unknown, unknown, unknown>): number | null {
  const { caller, tenant, request } = call
  const chosen = caller.tenantId !== null || request.headers['x-punctual-tenant'] !== undefined
  return chosen ? tenant.tenantId : null
}

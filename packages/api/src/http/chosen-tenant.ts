/** Whom a call was made for, where what belongs to the installation itself can be asked for as well. */
import type { Call } from './define-route.ts'

/** The tenant of the key, or the one that a key of the installation has named; null: it has named none. */
export function chosenTenant(call: Call<unknown, unknown, unknown>): number | null {
  const { caller, tenant, request } = call
  const chosen = caller.tenantId !== null || request.headers['x-punctual-tenant'] !== undefined
  return chosen ? tenant.tenantId : null
}

/**
 * Claims of remote workers take turns between tenants: a claim that loads many large payloads takes
 * its time on connections that all of them use, and a tenant may send any number of claims.
 */
import type { ClaimRequest, ClaimResult, WorkStore } from '@punctual/core/ports'
import { FairShares } from '@punctual/store'

/** Claims that are sent to the database at the same time. */
const AT_ONCE = 4
/** Of one tenant; half of all while another tenant waits. */
const OF_TENANT = 3
const WAIT_MS = 30_000
const WAITERS_OF_TENANT = 10_000

export function sharingClaims(work: Pick<WorkStore, 'claim'>): WorkStore['claim'] {
  const shares = new FairShares({
    ...{ permits: AT_ONCE, permitsOfTenant: OF_TENANT, what: 'claims' },
    ...{ waitMs: WAIT_MS, waitersOfTenant: WAITERS_OF_TENANT },
  })
  return async (request: ClaimRequest): Promise<ClaimResult> => {
    // A session that serves all tenants claims for the installation.
    const tenants = new Set(request.lanes.map(({ tenantId }) => tenantId))
    const [first] = tenants
    const party = tenants.size === 1 && first !== undefined ? first : null
    const turn = shares.take(party)
    if (turn) await turn
    try {
      return await work.claim(request)
    } finally {
      shares.release(party)
    }
  }
}

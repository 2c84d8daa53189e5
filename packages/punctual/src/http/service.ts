/** Implements the ports of the HTTP API with a `Punctual`. */
import type { Service } from '@punctual/api'
import { PunctualError } from '@punctual/core/errors'
import { RecentGuarantees, systemClock } from '@punctual/store'
import { feedBegin, feedOf } from '../activity/event-feed.ts'
import { fleetActivity } from '../activity/event-types.ts'
import type { Punctual } from '../punctual.ts'
import type { TenantScope } from '../tenant-scope.ts'

const SCOPES_MAX = 10_000
const OF_INSTALLATION: readonly string[] = ['worker.lost']

export function serviceOf(punctual: Punctual): Service {
  const { store } = punctual
  const scopes = new Map<number, TenantScope>()
  const guarantees = new RecentGuarantees(systemClock, () => punctual.guarantees())
  return {
    requests: store.requests,
    digests: (text) => store.secrets.digests(text),
    ...{ tenants: punctual.tenants, apiKeys: punctual.apiKeys, audit: punctual.audit },
    ...{ workers: punctual.workers, guarantees: () => guarantees.read() },
    authenticate: (key) => store.authenticator.authenticate(key),
    async authenticateTarget(token) {
      const attempt = await store.callbackTokens.read(token)
      if (!attempt)
        throw new PunctualError(
          'callback_token_invalid',
          'The callback token was altered, or another installation has made it. Send the one that the request to the target carried.',
          { field: 'Punctual-Callback-Token' },
        )
      const { tenantId } = attempt
      return {
        ...{ keyId: `callback ${tenantId}`, keyName: 'callback token', tenantId },
        ...{ tenantName: null, tenantSuspended: false, scopes: [], attempt },
      }
    },
    async tenantId(name) {
      const tenant = await punctual.tenants.get(name)
      if (tenant) return tenant.id
      const message = `No tenant is named ${JSON.stringify(name)}. GET /v1/tenants lists the tenants.`
      throw new PunctualError('tenant_not_found', message, { field: 'X-Punctual-Tenant' })
    },
    tenant(id) {
      let scope = scopes.get(id)
      if (!scope) {
        if (scopes.size >= SCOPES_MAX) scopes.clear()
        scope = punctual.tenant(id)
        scopes.set(id, scope)
      }
      return scope
    },
    holdJob: (nameOrId, tenantId) => store.schedules.steering.held(nameOrId, tenantId),
    activity: {
      ofTenants: fleetActivity.filter((type) => !OF_INSTALLATION.includes(type)),
      ofInstallation: OF_INSTALLATION,
      begin: (mark) => feedBegin(store, mark),
      feed: (tenantId, start) => feedOf(store, tenantId, start),
    },
    deciding: (work) => store.database.ambient.deciding(work),
    transaction: (work) => store.transaction(work),
    asTenant: (tenantId, work) => store.asTenant(tenantId, work),
    asSystemKey: (work) => store.asSystemKey(work),
    as: (actor, work) => punctual.as(actor, work),
  }
}

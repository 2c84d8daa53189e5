/** Records changes of tenants and API keys, without keys or their hashes. */
import type { ApiKey, Tenant } from '@punctual/core/identity'
import type { ApiKeys } from '../tenants/api-keys.ts'
import type { Tenants } from '../tenants/tenants.ts'
import type { Recorded } from './control-writes.ts'
import type { WriteScope, WritesOf } from './recorded-methods.ts'

type Facts = Record<string, unknown>

function factsOf({ note, quotas, suspendedAt, suspendedNote }: Tenant): Facts {
  return { note, quotas, suspendedAt, suspendedNote }
}

const target = ({ id, name }: Tenant) => ({ kind: 'tenant', id: String(id), name })

/** For methods that return the tenant as it is after the change. */
async function changed(
  { store }: WriteScope,
  action: string,
  reference: unknown,
  work: () => Promise<Tenant>,
) {
  const known = typeof reference === 'string' || typeof reference === 'number'
  const was = known ? await store.tenants.find(reference) : null
  const result = await work()
  const [before, after] = [was ? factsOf(was) : null, factsOf(result)]
  if (JSON.stringify(before) === JSON.stringify(after)) return { result, entries: [] }
  const note = action === 'tenant.suspend' ? result.suspendedNote : null
  return { result, entries: [{ action, target: target(result), before, after, note }] }
}

export const tenantWrites: WritesOf<Tenants> = {
  create: {
    one: async (_, __, work) => {
      const result = await work()
      const entry = { action: 'tenant.create', target: target(result), after: factsOf(result) }
      return { result, entries: [entry] }
    },
  },
  update: { one: (scope, [tenant], work) => changed(scope, 'tenant.update', tenant, work) },
  suspend: { one: (scope, [tenant], work) => changed(scope, 'tenant.suspend', tenant, work) },
  resume: { one: (scope, [tenant], work) => changed(scope, 'tenant.resume', tenant, work) },
}

/** Entries about a key belong to the chain of the key's tenant. */
function ofKey(action: string, key: ApiKey, more: Omit<Recorded, 'action' | 'target'>): Recorded {
  const { id, name, tenantId } = key
  return { action, target: { kind: 'api_key', id, name }, tenantId, ...more }
}

export const apiKeyWrites: WritesOf<ApiKeys> = {
  create: {
    one: async (_, __, work) => {
      const result = await work()
      const { scopes, expiresAt } = result
      return {
        result,
        entries: [ofKey('api_key.create', result, { after: { scopes, expiresAt } })],
      }
    },
  },
  rotate: {
    one: async (_, [id], work) => {
      const result = await work()
      const { scopes, expiresAt } = result
      const after = { id: result.id, scopes, expiresAt }
      return { result, entries: [ofKey('api_key.rotate', result, { before: { id }, after })] }
    },
  },
  revoke: {
    one: async ({ store }, [id], work) => {
      const was = /^[0-9a-f-]{36}$/i.test(String(id)) ? await store.apiKeys.find(id, null) : null
      const result = await work()
      const { revokedAt } = result
      const entry = ofKey('api_key.revoke', result, {
        ...{ before: { revokedAt: null }, after: { revokedAt } },
      })
      return { result, entries: was?.revokedAt ? [] : [entry] }
    },
  },
}

/** Records changes of tenants and API keys, without keys or their hashes. */
import type { ApiKey, Tenant } from '@punctual/core/identity'
import type { TenantReference } from '@punctual/store'
import type { Recorded, WriteScope } from '../audit/control-writes.ts'

/** Most changes of tenants and keys are made by an operator of the installation. */
export type InstallationScope = WriteScope<null>

function factsOf({ note, quotas, suspendedAt, suspendedNote }: Tenant) {
  return { note, quotas, suspendedAt, suspendedNote }
}

const target = ({ id, name }: Tenant) => ({ kind: 'tenant', id: String(id), name })

/** Records a new tenant. */
export function recordTenant(
  { writes, tenantId }: InstallationScope,
  create: () => Promise<Tenant>,
): Promise<Tenant> {
  return writes.record(tenantId, async () => {
    const result = await create()
    const entry = { action: 'tenant.create', target: target(result), after: factsOf(result) }
    return { result, entries: [entry] }
  })
}

/** Records a change that returns the tenant as it is afterwards, unless nothing changed. */
export function recordTenantChange(
  { store, writes, tenantId }: InstallationScope,
  action: 'tenant.update' | 'tenant.suspend' | 'tenant.resume',
  reference: TenantReference,
  change: () => Promise<Tenant>,
): Promise<Tenant> {
  return writes.record(tenantId, async () => {
    const was = await store.tenants.find(reference)
    const result = await change()
    const [before, after] = [was ? factsOf(was) : null, factsOf(result)]
    if (JSON.stringify(before) === JSON.stringify(after)) return { result, entries: [] }
    const note = action === 'tenant.suspend' ? result.suspendedNote : null
    return { result, entries: [{ action, target: target(result), before, after, note }] }
  })
}

/**
 * Records a change of an API key, unless the states are null. The entry belongs to the chain of the
 * key's tenant.
 */
export function recordApiKey<Key extends ApiKey>(
  { writes, tenantId }: InstallationScope,
  action: 'api_key.create' | 'api_key.rotate' | 'api_key.revoke',
  change: () => Promise<Key>,
  statesOf: (key: Key) => Pick<Recorded, 'before' | 'after'> | null,
): Promise<Key> {
  return writes.record(tenantId, async () => {
    const result = await change()
    const { id, name } = result
    const states = statesOf(result)
    if (states === null) return { result, entries: [] }
    const entry = { action, target: { kind: 'api_key', id, name }, tenantId: result.tenantId }
    return { result, entries: [{ ...entry, ...states }] }
  })
}

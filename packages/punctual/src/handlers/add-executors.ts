/** Adds the executors of the targets that a process performs to its handlers. */
import { PunctualError } from '@punctual/core/errors'
import type { TargetKindName } from '@punctual/core/target'
import { systemClock } from '@punctual/store'
import { type EgressPolicy, executorHandler, makeExecutor, systemResolve } from '@punctual/worker'
import type { Handlers } from './handlers.ts'

interface Settings {
  readonly targets: ReadonlySet<TargetKindName>
  readonly egress: EgressPolicy
}

interface TenantNames {
  /** Returns the name of a tenant; null when it does not exist. */
  tenantName(tenantId: number): Promise<string | null>
}

/**
 * Returns whether there are any, so that the worker has something to do without handlers.
 * `names` is null where names of tenants are unknown.
 */
export function addExecutors(
  handlers: Handlers,
  { targets, egress: policy }: Settings,
  names: TenantNames | null,
): boolean {
  const egress = !policy.namesTenants
    ? () => policy.shared
    : async (tenantId: number) => policy.rulesOf(await known(names).tenantName(tenantId))
  if (policy.namesTenants) known(names)
  const services = { clock: systemClock, egress, resolve: systemResolve }
  const kinds = [...targets].filter((kind) => kind !== 'handler')
  for (const kind of kinds) {
    const executor = makeExecutor(kind, services)
    handlers.add(executorHandler(executor), () => executor.close())
  }
  return kinds.length > 0
}

function known(names: TenantNames | null): TenantNames {
  if (names) return names
  throw new PunctualError(
    'invalid_config',
    'egressAllow must not name tenants in a worker without a database connection, which does not know them.',
    { field: 'egressAllow' },
  )
}

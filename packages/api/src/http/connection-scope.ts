/** Whose share of the connections a request uses, and whether row security restricts it. */
import type { Service } from '../ports/service.ts'

/**
 * - `tenant`: the rows and the share of its tenant
 * - `system key`: all rows, and the share that keys of the installation have together
 * - `process`: neither
 */
export type ConnectionScope = 'tenant' | 'system key' | 'process'

interface Place {
  readonly service: Service
  readonly tenantId: number
}

export function within<T>(
  scope: ConnectionScope,
  { service, tenantId }: Place,
  work: () => Promise<T>,
): Promise<T> {
  if (scope === 'tenant') return service.asTenant(tenantId, work)
  return scope === 'system key' ? service.asSystemKey(work) : work()
}

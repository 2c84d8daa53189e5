/** The default tenant of the library and the command line, and the check of tenant numbers. */
import { integer } from '@punctual/core/check'

export const TENANT = 1
const TENANT_MAX = 2_147_483_647

export function checkTenantId(id: unknown): number {
  return integer('tenant', id, 1, TENANT_MAX)
}

export { type ApiKey, makeApiKey, prefixOfApiKey } from './api-key.ts'
export { type Caller, checkScope, tenantSuspended } from './caller.ts'
export { limitsAfterQuotas, limitsWithin } from './limits-within.ts'
export {
  compileQuotas,
  type QuotaChanges,
  type QuotaName,
  type Quotas,
  quotaExceeded,
} from './quotas.ts'
export { holdsScope, type Scope, scopeNames, scopes } from './scope.ts'
export { checkTenantName, DEFAULT_TENANT, type Tenant } from './tenant.ts'

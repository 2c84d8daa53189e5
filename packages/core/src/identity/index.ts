export { type ApiKey, type CreatedApiKey, makeApiKey, prefixOfApiKey } from './api-key.ts'
export { boundReached } from './bound-reached.ts'
export {
  type CallbackAttempt,
  type Caller,
  checkReporter,
  checkScope,
  tenantSuspended,
} from './caller.ts'
export { limitsAfterQuotas, limitsWithin } from './limits-within.ts'
export {
  compileQuotas,
  type QuotaChanges,
  type QuotaName,
  type Quotas,
  quotaExceeded,
} from './quotas.ts'
export { holdsScope, type Scope, scopeNames, scopes } from './scope.ts'
export type { SecretInfo, SecretSet } from './secret.ts'
export {
  checkTenantName,
  DEFAULT_TENANT,
  type EraseResult,
  type Tenant,
  type UsageDay,
} from './tenant.ts'

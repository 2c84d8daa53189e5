/** Authenticates a caller by API key, and checks the scope that the operation needs. */
import { type Caller, checkScope, type Scope } from '@punctual/core/identity'
import type { PostgresStore } from '@punctual/store'

export async function authenticate(
  store: PostgresStore,
  key: string,
  needed?: Scope,
): Promise<Caller> {
  const caller = await store.authenticator.authenticate(key)
  if (needed !== undefined) checkScope(caller, needed)
  return caller
}

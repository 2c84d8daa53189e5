/** Who calls, once a key has been recognised, and whether it may do what it asks for. */
import { PunctualError } from '../errors/errors.ts'
import { holdsScope, type Scope, scopeNames } from './scope.ts'

/** Who calls: what is known of the holder of a key. */
export interface Caller {
  /** The id of the key. */
  readonly keyId: string
  /** What people call the key. */
  readonly keyName: string
  /** The tenant that the key belongs to; null for a key of the whole installation. */
  readonly tenantId: number | null
  /** The name of that tenant. */
  readonly tenantName: string | null
  /** That tenant is suspended: its keys may read, and end what runs. */
  readonly tenantSuspended: boolean
  /** What the key may do. */
  readonly scopes: readonly Scope[]
}

/** @throws `PunctualError` with `forbidden`, or with `tenant_suspended` where it would be allowed otherwise. */
export function checkScope(caller: Caller, needed: Scope): void {
  if (!holdsScope(caller.scopes, needed)) {
    const enough = scopeNames.filter((scope) => holdsScope([scope], needed))
    throw new PunctualError(
      'forbidden',
      `This needs the scope ${enough.join(' or ')}, but the key ${JSON.stringify(caller.keyName)} has ${caller.scopes.join(', ')}.`,
      { id: caller.keyId },
    )
  }
  if (caller.tenantSuspended && !whileSuspended.includes(needed))
    throw tenantSuspended(caller.tenantName)
}

/** What keys of a suspended tenant may do: look, and end what runs; there is nothing to claim. */
const whileSuspended: readonly Scope[] = ['read', 'worker']

export function tenantSuspended(name: string | null): PunctualError {
  return new PunctualError(
    'tenant_suspended',
    `The tenant ${JSON.stringify(name)} is suspended: it can be read, and nothing is accepted for it. Whoever runs this installation can resume it.`,
    { ...(name !== null && { id: name }) },
  )
}

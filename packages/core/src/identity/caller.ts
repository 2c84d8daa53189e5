/** The caller behind a recognised key, and the check of its permissions. */
import { PunctualError } from '../errors/errors.ts'
import { holdsScope, type Scope, scopeNames } from './scope.ts'

/** The holder of an API key. */
export interface Caller {
  /** The id of the key. */
  readonly keyId: string
  /** The name of the key. */
  readonly keyName: string
  /** The number of the tenant that owns the key; null for a key of the whole installation. */
  readonly tenantId: number | null
  /** The name of that tenant. */
  readonly tenantName: string | null
  /** Whether that tenant is suspended: its keys may then only read, and end running work. */
  readonly tenantSuspended: boolean
  /** The scopes of the key. */
  readonly scopes: readonly Scope[]
  /** The attempt that a callback token speaks for; such a caller has no scope. */
  readonly attempt?: CallbackAttempt
}

/** An attempt of a run, whose target may report its outcome. */
export interface CallbackAttempt {
  /** The id of the run. */
  readonly runId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
}

/**
 * Checks that the caller may report: the target of the run, or a key with the scope `operate`.
 * @throws `PunctualError` with `forbidden` or `tenant_suspended`
 */
export function checkReporter(caller: Caller): void {
  if (!caller.attempt) checkScope(caller, 'operate')
}

/**
 * @throws `PunctualError` with `forbidden`, or with `tenant_suspended` if the scopes suffice but
 * the tenant is suspended.
 */
export function checkScope(caller: Caller, needed: Scope): void {
  if (caller.attempt) refuseToken()
  if (!holdsScope(caller.scopes, needed)) {
    const enough = scopeNames.filter((scope) => holdsScope([scope], needed))
    throw new PunctualError(
      'forbidden',
      `This request needs the scope ${enough.join(' or ')}, but the key ${JSON.stringify(caller.keyName)} has ${caller.scopes.join(', ')}.`,
      { id: caller.keyId },
    )
  }
  if (caller.tenantSuspended && !whileSuspended.includes(needed))
    throw tenantSuspended(caller.tenantName)
}

function refuseToken(): never {
  throw new PunctualError(
    'forbidden',
    'A callback token can only report on its own run: complete, fail, progress. Send an API key for everything else.',
  )
}

/**
 * The scopes usable while a tenant is suspended: reading, and ending running work; there is nothing
 * to claim.
 */
const whileSuspended: readonly Scope[] = ['read', 'worker']

export function tenantSuspended(name: string | null): PunctualError {
  return new PunctualError(
    'tenant_suspended',
    `The tenant ${JSON.stringify(name)} is suspended: its data can be read, but it accepts no writes. The operator of this installation can resume it.`,
    { ...(name !== null && { id: name }) },
  )
}

/**
 * Admits requests: authenticates the caller, checks the scope and limits the rate. Each key may
 * send a fixed number of requests a second to each node, and so may all keys of a tenant together.
 * An address that keeps sending invalid API
 * keys has to wait; a valid key from that address is still admitted, so that one client behind a
 * shared proxy cannot lock out the others. Counts are dropped after a second, and their number is
 * bounded.
 */
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import type { Caller } from '@punctual/core/identity'
import type { FastifyRequest } from 'fastify'
import { checkAdmitted, type RouteScope } from './admitted-scope.ts'
import { callerOf, type Performing } from './perform.ts'
import { RateCounter } from './rate-counter.ts'

/** Refusals of a caller that nobody vouches for. */
const REFUSED: ReadonlySet<string> = new Set(['unauthenticated', 'callback_token_invalid'])

/** Query parameters that may hold a key: URLs end up in logs. */
const SECRET_PARAMETERS = ['api_key', 'apikey', 'access_token', 'key_secret', 'authorization']

export interface Rates {
  /** Requests a second that one key may send. @default 1000 */
  readonly ratePerKey?: number
  /** Requests a second that all keys of a tenant may send. @default 5000 */
  readonly ratePerTenant?: number
  /** Requests a second without a valid key that one address may send. @default 10 */
  readonly failuresPerAddress?: number
}

/** Calls `next` once the request is admitted, or with the refusal. */
export type Admit = (
  request: FastifyRequest,
  scope: RouteScope,
  next: (refusal?: Error) => void,
) => void

function refuseSecrets({ query }: FastifyRequest): void {
  if (typeof query !== 'object' || query === null) return
  for (const name of SECRET_PARAMETERS)
    if (Object.hasOwn(query, name))
      throw new PunctualError(
        'unauthenticated',
        `API keys are not accepted in URLs, which end up in logs. Send \`Authorization: Bearer …\` instead of ${name}, and revoke a key that was sent this way.`,
        { field: name },
      )
}

function tooMany(problem: string, retryAfterMs: number): Error {
  return Object.assign(new Error(`${problem} Retry in 1 s.`), {
    ...{ statusCode: 429, retryAfterMs },
  })
}

/** Returns the check that every request passes before its body is read. */
export function admitting(
  performing: Performing,
  {
    ratePerKey = defaults.httpRate,
    ratePerTenant = defaults.tenantHttpRate,
    failuresPerAddress = limits.httpFailuresPerSecond,
  }: Rates,
): Admit {
  const byTenant = new RateCounter<number>(ratePerTenant, limits.httpCounted)
  const byKey = new RateCounter(ratePerKey, limits.httpCounted)
  const byAddress = new RateCounter(failuresPerAddress, limits.httpCounted)
  const refusal = (error: unknown, request: FastifyRequest): Error => {
    const fault = error instanceof Error ? error : new Error(String(error))
    if (!(error instanceof PunctualError) || !REFUSED.has(error.code)) return fault
    const waitMs = byAddress.take(request.ip)
    return waitMs === null
      ? fault
      : tooMany('Too many requests with an invalid API key from this address.', waitMs)
  }
  const accept = (caller: Caller, request: FastifyRequest, scope: RouteScope) => {
    request.caller = caller
    const waitMs = byKey.take(caller.keyId)
    if (waitMs !== null)
      throw tooMany(`The key sent more than ${ratePerKey} requests in a second.`, waitMs)
    const { tenantId } = caller
    const tenantWaitMs = tenantId === null ? null : byTenant.take(tenantId)
    if (tenantWaitMs !== null)
      throw tooMany(
        `The keys of the tenant sent more than ${ratePerTenant} requests in a second.`,
        tenantWaitMs,
      )
    checkAdmitted(caller, scope)
  }
  return (request, scope, next) => {
    const admitted = (caller: Caller) => {
      try {
        accept(caller, request, scope)
      } catch (error) {
        return next(refusal(error, request))
      }
      next()
    }
    const refused = (error: unknown) => next(refusal(error, request))
    let caller: Caller | Promise<Caller>
    try {
      refuseSecrets(request)
      caller = callerOf(request, performing)
    } catch (error) {
      return refused(error)
    }
    if (caller instanceof Promise) caller.then(admitted, refused)
    else admitted(caller)
  }
}

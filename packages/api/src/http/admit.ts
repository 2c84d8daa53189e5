/**
 * Lets requests in: who calls, whether that may do this, and not too often. A key has so many requests a second at each
 * node. An address that keeps sending keys that are none is told to wait; a good key from there is let in all the same,
 * so that nobody behind one proxy can shut the others out. What is counted is forgotten after a second, and bounded.
 */
import { defaults, limits, PunctualError } from '@punctual/core/errors'
import { checkScope, type Scope } from '@punctual/core/identity'
import type { FastifyRequest } from 'fastify'
import { callerOf, type Performing } from './perform.ts'
import { RateCounter } from './rate-counter.ts'

/** A query is where keys end up in logs. */
const SECRET_PARAMETERS = ['api_key', 'apikey', 'access_token', 'key_secret', 'authorization']

export interface Rates {
  /** Requests that one key may send in a second. @default 1000 */
  readonly ratePerKey?: number
  /** Requests without a good key that one address may send in a second. @default 10 */
  readonly failuresPerAddress?: number
}

export type Admit = (request: FastifyRequest, scope: Scope | 'any') => Promise<void>

function refuseSecrets(request: FastifyRequest): void {
  for (const name of SECRET_PARAMETERS)
    if (Object.hasOwn(request.query as object, name))
      throw new PunctualError(
        'unauthenticated',
        `Keys are not taken from addresses, which end up in logs: send \`Authorization: Bearer …\` instead of ${name}. Revoke a key that was sent so.`,
        { field: name },
      )
}

function tooMany(what: string, retryAfterMs: number): Error {
  return Object.assign(new Error(`${what} Try again in a second.`), {
    ...{ statusCode: 429, retryAfterMs },
  })
}

/** How requests are let in. */
export function admitting(
  performing: Performing,
  { ratePerKey = defaults.httpRate, failuresPerAddress = limits.httpFailuresPerSecond }: Rates,
): Admit {
  const ofKey = new RateCounter(ratePerKey, limits.httpCounted)
  const ofAddress = new RateCounter(failuresPerAddress, limits.httpCounted)
  return async (request, scope) => {
    try {
      refuseSecrets(request)
      request.caller = await callerOf(request, performing)
    } catch (error) {
      if (!(error instanceof PunctualError) || error.code !== 'unauthenticated') throw error
      const waitMs = ofAddress.take(request.ip)
      if (waitMs !== null)
        throw tooMany('Too many keys that are none came from this address.', waitMs)
      throw error
    }
    const waitMs = ofKey.take(request.caller.keyId)
    if (waitMs !== null)
      throw tooMany(`The key sends more than ${ratePerKey} requests a second.`, waitMs)
    if (scope !== 'any') checkScope(request.caller, scope)
  }
}

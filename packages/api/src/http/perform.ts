/**
 * Performs a route: finds the caller and the tenant, opens the transaction, applies the idempotency
 * key.
 */
import type { Actor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import type { Caller } from '@punctual/core/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, Service } from '../ports/service.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import { checkAdmitted } from './admitted-scope.ts'
import { type ConnectionScope, within } from './connection-scope.ts'
import type { AnyRoute } from './define-route.ts'
import { fingerprintOf, idempotencyKeyOf, type RequestKey } from './idempotency.ts'
import { Pieces } from './pieces.ts'
import type { SharedTransactions } from './shared-transactions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    caller: Caller
  }
}

const TENANT_HEADER = 'x-punctual-tenant'
/** With it the target of a run reports on its attempt, in place of an API key. */
const TOKEN_HEADER = 'punctual-callback-token'
const BEARER = /^Bearer +(\S+)$/i

export interface Performing {
  readonly service: () => Service
  readonly admission: Admission
  readonly streams: OpenStreams
  readonly transactions: SharedTransactions
}

function keyOf(request: FastifyRequest): string {
  const { authorization } = request.headers
  const key = BEARER.exec(authorization ?? '')?.[1]
  if (key) return key
  throw new PunctualError(
    'unauthenticated',
    authorization === undefined
      ? 'Send an API key: `Authorization: Bearer punctual_…`. `punctual api-keys create` creates one.'
      : 'Authorization must be `Bearer` and an API key.',
    { field: 'Authorization' },
  )
}

/**
 * Authenticates the request. Without API keys every request has the same caller. A caller that is
 * known is returned without a promise: every request waits for this.
 */
export function callerOf(
  request: FastifyRequest,
  { service, admission }: Performing,
): Caller | Promise<Caller> {
  const token = request.headers[TOKEN_HEADER]
  if (token !== undefined) return service().authenticateTarget(String(token))
  return admission.everybody ?? service().authenticate(keyOf(request))
}

/**
 * The tenant of a call: that of a tenant key, or the one a system key names; null when it names
 * none.
 */
export function namedTenant(
  request: FastifyRequest,
  caller: Caller,
  service: Service,
): number | null | Promise<number> {
  const named = request.headers[TENANT_HEADER]
  if (caller.tenantId !== null) {
    if (named !== undefined && named !== caller.tenantName && named !== String(caller.tenantId))
      throw new PunctualError(
        'forbidden',
        `The key ${JSON.stringify(caller.keyName)} belongs to the tenant ${JSON.stringify(caller.tenantName)} and cannot act for another tenant.`,
        { field: 'X-Punctual-Tenant' },
      )
    return caller.tenantId
  }
  return named === undefined ? null : service.tenantId(String(named))
}

function actorOf(request: FastifyRequest, caller: Caller): Actor {
  return {
    ...{ kind: 'api_key', id: caller.keyId, name: caller.keyName },
    ...{ ip: request.ip, requestId: request.id },
  }
}

interface KeyedRequest {
  readonly route: AnyRoute
  readonly service: Service
  readonly tenantId: number
  readonly request: FastifyRequest
}

export async function perform(
  route: AnyRoute,
  performing: Performing,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { caller } = request
  const service = performing.service()
  const named = namedTenant(request, caller, service)
  const tenantId = (typeof named === 'object' ? await named : named) ?? 1
  const { params, query, body } = request
  const actor = actorOf(request, caller)
  const tenant = service.tenant(tenantId)
  const { streams } = performing
  const recheck = async () => {
    // Throws while this process drains, also when API keys are disabled.
    performing.service()
    const now = await callerOf(request, performing)
    checkAdmitted(now, route.scope)
  }
  const context = { service, tenant, caller, actor, streams, recheck }
  const call = { ...context, params, query, body, request, reply, pieces: null }
  const scope = scopeOf(route, performing, caller)
  const behind = <T>(work: () => Promise<T>) => within(scope, { service, tenantId }, work)
  const decided = <T>(work: () => Promise<T>) => service.deciding(() => behind(work))
  // Only GET requests may be served from the replica.
  const shown = route.method === 'GET' && !wantsFresh(request) ? behind : decided
  if (!route.writes) return shown(() => route.handle(call))
  const work = () => service.as(actor, () => route.handle(call))
  const text = idempotencyKeyOf(request)
  const shared = { route, service, tenantId, scope, reply, call, work }
  const keyed = text === null ? null : keyOfRequest(text, { route, service, tenantId, request })
  if (route.inPieces?.(query)) {
    const { pieceTurns: turns } = performing.transactions
    const pieces = new Pieces({ service, tenantId, key: keyed, turns })
    const piecewise = () => service.as(actor, () => route.handle({ ...call, pieces }))
    return behind(() =>
      performing.transactions.performApart({ ...shared, work: piecewise, key: keyed }),
    )
  }
  if (keyed === null && route.writes === 'keyed') return behind(work)
  return performing.transactions.perform({ ...shared, key: keyed })
}

function keyOfRequest(
  text: string,
  { route, service, tenantId, request }: KeyedRequest,
): RequestKey {
  const fingerprint = fingerprintOf(request, route.path)
  // A plain hash of a secret could be attacked with guesses by a reader of the database. Tenant and
  // key are part of the digest, so that equal secrets have different digests.
  const fingerprints: RequestKey['fingerprints'] = route.secret
    ? service.digests(JSON.stringify([tenantId, text, fingerprint]))
    : [fingerprint]
  return { text, fingerprints }
}

/** A caller that refuses cached answers also refuses those of a replica that lags. */
function wantsFresh({ headers }: FastifyRequest): boolean {
  return /\bno-cache\b/i.test(headers['cache-control'] ?? '')
}

/**
 * Worker routes run outside row security: statements for claims and settlements serve many tenants
 * at once, and each row names its tenant or its fence. Without API keys, the only caller may use
 * every connection.
 */
function scopeOf(
  route: AnyRoute,
  { admission }: Performing,
  { tenantId }: Caller,
): ConnectionScope {
  if (route.scope === 'worker' || admission.everybody) return 'process'
  return tenantId === null ? 'system key' : 'tenant'
}

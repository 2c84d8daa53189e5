/** Performs a route for a caller: who, for whom, in which transaction, and under which idempotency key. */
import type { Actor } from '@punctual/core/audit'
import { PunctualError } from '@punctual/core/errors'
import { type Caller, checkScope } from '@punctual/core/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Admission, Service } from '../ports/service.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import type { AnyRoute } from './define-route.ts'
import { fingerprintOf, idempotencyKeyOf } from './idempotency.ts'
import type { KeyedRequests } from './keyed-requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once that is known. */
    caller: Caller
  }
}

const TENANT_HEADER = 'x-punctual-tenant'
const BEARER = /^Bearer +(\S+)$/i

export interface Performing {
  readonly service: () => Service
  readonly admission: Admission
  readonly streams: OpenStreams
  readonly keyed: KeyedRequests
}

function keyOf(request: FastifyRequest): string {
  const { authorization } = request.headers
  const key = BEARER.exec(authorization ?? '')?.[1]
  if (key) return key
  throw new PunctualError(
    'unauthenticated',
    authorization === undefined
      ? 'Send an API key: `Authorization: Bearer punctual_…`. `punctual api-keys create` makes one.'
      : 'Authorization must be `Bearer` and an API key.',
    { field: 'Authorization' },
  )
}

/** Who calls. Without keys everybody is the same. */
export async function callerOf(request: FastifyRequest, { service, admission }: Performing) {
  return admission.everybody ?? service().authenticate(keyOf(request))
}

/** Whom a call is for: keys of a tenant act for it, those of the installation say for whom; null when they do not. */
export async function askedTenant(
  request: FastifyRequest,
  caller: Caller,
  service: Service,
): Promise<number | null> {
  const asked = request.headers[TENANT_HEADER]
  if (caller.tenantId !== null) {
    if (asked !== undefined && asked !== caller.tenantName && asked !== String(caller.tenantId))
      throw new PunctualError(
        'forbidden',
        `The key ${JSON.stringify(caller.keyName)} belongs to the tenant ${JSON.stringify(caller.tenantName)}, and acts for no other.`,
        { field: 'X-Punctual-Tenant' },
      )
    return caller.tenantId
  }
  return asked === undefined ? null : service.tenantId(String(asked))
}

async function tenantOf(request: FastifyRequest, caller: Caller, service: Service) {
  return (await askedTenant(request, caller, service)) ?? 1
}

function actorOf(request: FastifyRequest, caller: Caller): Actor {
  return {
    ...{ kind: 'api_key', id: caller.keyId, name: caller.keyName },
    ...{ ip: request.ip, requestId: request.id },
  }
}

export async function perform(
  route: AnyRoute,
  performing: Performing,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { caller } = request
  const service = performing.service()
  const tenantId = await tenantOf(request, caller, service)
  const { params, query, body } = request
  const actor = actorOf(request, caller)
  const tenant = service.tenant(tenantId)
  const { streams } = performing
  const recheck = async () => {
    // Refuses while this process drains, also where there are no keys.
    performing.service()
    const now = await callerOf(request, performing)
    if (route.scope !== 'any') checkScope(now, route.scope)
  }
  const about = { service, tenant, caller, actor, streams, recheck }
  const call = { ...about, params, query, body, request, reply }
  const walled = isBehindWall(route, caller)
  const behind = <T>(work: () => Promise<T>) => (walled ? service.asTenant(tenantId, work) : work())
  const decided = <T>(work: () => Promise<T>) => service.deciding(() => behind(work))
  // Only what is asked for with GET may be shown as a standby has it.
  const shown = route.method === 'GET' && !asksAnew(request) ? behind : decided
  if (!route.writes) return shown(() => route.handle(call))
  const work = () => service.as(actor, () => route.handle(call))
  const key = idempotencyKeyOf(request)
  if (key === null)
    return decided(() => (route.writes === 'always' ? service.transaction(work) : work()))
  const fingerprint = fingerprintOf(request, route.path)
  // Whoever reads the database could try guesses of a secret on a plain hash. Tenant and key are in it, so that two that
  // are equal cannot be told from two that are not.
  const fingerprints = route.secret
    ? service.digests(JSON.stringify([tenantId, key, fingerprint]))
    : [fingerprint]
  const asked = { route, service, tenantId, walled, key, fingerprints, reply, call, work }
  return performing.keyed.perform(asked)
}

/** Whoever wants nothing that was kept wants nothing that is behind. */
function asksAnew({ headers }: FastifyRequest): boolean {
  return /\bno-cache\b/i.test(headers['cache-control'] ?? '')
}

/** Claims and settlements of many tenants share statements, each with its tenant or its fence, and have one wall. */
function isBehindWall(route: AnyRoute, caller: Caller): boolean {
  return caller.tenantId !== null && route.scope !== 'worker'
}

/** Performs a route for a caller: who, for whom, in which transaction, and under which idempotency key. */
import { type Actor, type Caller, checkScope, PunctualError } from '@punctual/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRoute } from './define-route.ts'
import { fingerprintOf, idempotencyKeyOf, keyInUse, keyOfAnother } from './idempotency.ts'
import type { Admission, Service } from './service.ts'
import type { OpenStreams } from './streams/open-streams.ts'

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
    if (asked !== undefined && asked !== caller.tenantName)
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
  const handle = () => route.handle({ ...about, params, query, body, request, reply })
  const work = async () => {
    if (!route.writes) return handle()
    const key = idempotencyKeyOf(request)
    const within = () => service.as(actor, handle)
    if (key !== null) return keyed(route, { service, tenantId, key, request, reply }, within)
    return route.writes === 'always' ? service.transaction(within) : within()
  }
  const walled = () => (isBehindWall(route, caller) ? service.asTenant(tenantId, work) : work())
  // Only what is asked for with GET may be shown as a standby has it.
  return route.method === 'GET' && !asksAnew(request) ? walled() : service.deciding(walled)
}

/** Whoever wants nothing that was kept wants nothing that is behind. */
function asksAnew({ headers }: FastifyRequest): boolean {
  return /\bno-cache\b/i.test(headers['cache-control'] ?? '')
}

/** Claims and settlements of many tenants share statements, each with its tenant or its fence, and have one wall. */
function isBehindWall(route: AnyRoute, caller: Caller): boolean {
  return caller.tenantId !== null && route.scope !== 'worker'
}

interface KeyedRequest {
  readonly service: Service
  readonly tenantId: number
  readonly key: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** The first time it is done and kept; after that what was kept is the answer. */
function keyed(route: AnyRoute, asked: KeyedRequest, work: () => Promise<unknown>) {
  const { service, tenantId, key, request, reply } = asked
  const fingerprint = fingerprintOf(request, route.path)
  return service.transaction(async () => {
    const before = await service.requests.take(tenantId, key)
    if (before === 'busy') throw keyInUse(key)
    if (before !== null) {
      if (before.fingerprint !== fingerprint) throw keyOfAnother(key)
      reply.code(before.status).header('idempotent-replayed', 'true')
      return JSON.parse(before.body) as unknown
    }
    const answer = await work()
    const { statusCode: status } = reply
    const kept = route.keep && answer !== undefined ? route.keep(answer) : answer
    const body = JSON.stringify(kept ?? null)
    await service.requests.answered(tenantId, key, { fingerprint, status, body })
    return answer
  })
}

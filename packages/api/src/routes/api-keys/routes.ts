/**
 * API keys: admins manage those of their tenant, system keys all. A key is shown only when created.
 */
import { PunctualError } from '@punctual/core/errors'
import { scopeNames } from '@punctual/core/identity'
import Type, { type Static } from 'typebox'
import { chosenTenant } from '../../http/chosen-tenant.ts'
import { type Call, defineRoute } from '../../http/define-route.ts'
import { answer, exactly, instant, name, nullable, oneOf, text } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const apiKey = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'Identifies the key, but does not authenticate.' }),
  tenant_name: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  created_at: Type.String(),
  created_by: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  revoked_at: nullable(Type.String()),
  revoked_by: nullable(Type.String()),
  rotated_to: nullable(Type.String()),
  last_used_at: nullable(Type.String({ description: 'To the minute.' })),
}
const shown = answer(apiKey)
const created = answer({
  ...apiKey,
  key: nullable(
    Type.String({
      description: 'Shown only once; null when an idempotent request is repeated.',
    }),
  ),
})
/** Only the hash of a key is stored, also under an idempotency key. */
const keep = (made: Static<typeof created>) => ({ ...made, key: null })

const keys = answer({ api_keys: Type.Array(shown) })
const params = exactly({ id: text(64) })
const tag = 'API keys'

/** The owner of the keys: the tenant that the caller acts for, or the installation. */
function ownerOf(call: Call<unknown, unknown, unknown>) {
  const tenant = chosenTenant(call)
  return tenant === null ? {} : { tenant }
}

export const createApiKey = defineRoute({
  ...{ method: 'POST', path: '/api-keys', scope: 'admin', tag, status: 201, writes: 'always' },
  summary: 'Creates an API key, which is shown only in this answer',
  body: exactly({
    name,
    scopes: Type.Array(oneOf(scopeNames), { minItems: 1, maxItems: 6 }),
    expires_at: Type.Optional(instant),
  }),
  answer: created,
  keep,
  async handle(call) {
    const { service, body, caller } = call
    if (body.scopes.includes('system') && caller.tenantId !== null)
      throw new PunctualError(
        'forbidden',
        'A key of a tenant cannot create one with the scope system.',
        {
          field: 'scopes',
        },
      )
    const { expires_at: expiresAt, ...rest } = body
    const options = { ...rest, ...ownerOf(call), by: caller.keyName }
    const made = await service.apiKeys.create({
      ...options,
      ...(expiresAt !== undefined && { expiresAt }),
    })
    return toWire(made)
  },
})

export const listApiKeys = defineRoute({
  ...{
    method: 'GET',
    path: '/api-keys',
    scope: 'admin',
    tag,
    summary: 'Lists API keys, without their secrets',
  },
  query: exactly({
    after: Type.Optional(text(64)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  }),
  answer: keys,
  async handle(call) {
    const found = await call.service.apiKeys.list({ ...call.query, ...ownerOf(call) })
    return toWire({ apiKeys: found })
  },
})

export const rotateApiKey = defineRoute({
  ...{
    method: 'POST',
    path: '/api-keys/:id/rotate',
    scope: 'admin',
    tag,
    status: 201,
    writes: 'always',
  },
  summary: 'Creates a key that replaces this one, which stays valid for the overlap',
  params,
  body: exactly({
    overlap_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'How long the old key stays valid. Default: one day.',
      }),
    ),
    expires_at: Type.Optional(instant),
  }),
  answer: created,
  keep,
  problems: ['api_key_not_found'],
  async handle(call) {
    const { overlap_ms: overlapMs, expires_at: expiresAt } = call.body
    const made = await call.service.apiKeys.rotate(call.params.id, {
      ...ownerOf(call),
      by: call.caller.keyName,
      ...(overlapMs !== undefined && { overlapMs }),
      ...(expiresAt !== undefined && { expiresAt }),
    })
    return toWire(made)
  },
})

export const revokeApiKey = defineRoute({
  ...{ method: 'DELETE', path: '/api-keys/:id', scope: 'admin', tag, writes: 'always' },
  summary: 'Revokes an API key, on every node within seconds',
  params,
  answer: shown,
  problems: ['api_key_not_found'],
  async handle(call) {
    const owner = { ...ownerOf(call), by: call.caller.keyName }
    return toWire(await call.service.apiKeys.revoke(call.params.id, owner))
  },
})

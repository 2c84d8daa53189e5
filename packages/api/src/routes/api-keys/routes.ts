/** API keys: a tenant's own by its admins, any by keys of the installation. The key itself is shown once. */
import { PunctualError } from '@punctual/core/errors'
import { scopeNames } from '@punctual/core/identity'
import Type, { type Static } from 'typebox'
import { chosenTenant } from '../../http/chosen-tenant.ts'
import { type Call, defineRoute } from '../../http/define-route.ts'
import { wireOf } from '../../wire/described.ts'
import { answer, exactly, moment, name, nullable, oneOf, text } from '../../wire/schemas.ts'

const apiKey = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'Enough to recognise it, too little to use it.' }),
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
      description: 'Shown this once; null when the same request is answered again.',
    }),
  ),
})
/** Of a key only its hash is kept, also under an idempotency key. */
const keep = (made: Static<typeof created>) => ({ ...made, key: null })

const keys = answer({ api_keys: Type.Array(shown) })
const params = exactly({ id: text(64) })
const tag = 'API keys'

/** Whose keys the caller may see: those of the tenant that it acts for, or of the installation. */
function ownerOf(call: Call<unknown, unknown, unknown>) {
  const tenant = chosenTenant(call)
  return tenant === null ? {} : { tenant }
}

export const createApiKey = defineRoute({
  ...{ method: 'POST', path: '/api-keys', scope: 'admin', tag, status: 201, writes: 'always' },
  summary: 'Make a key; it is shown this once',
  body: exactly({
    name,
    scopes: Type.Array(oneOf(scopeNames), { minItems: 1, maxItems: 6 }),
    expires_at: Type.Optional(moment),
  }),
  answer: created,
  keep,
  async handle(call) {
    const { service, body, caller } = call
    if (body.scopes.includes('system') && caller.tenantId !== null)
      throw new PunctualError(
        'forbidden',
        'A key of a tenant cannot make one of the installation.',
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
    return wireOf(created, made)
  },
})

export const listApiKeys = defineRoute({
  ...{
    method: 'GET',
    path: '/api-keys',
    scope: 'admin',
    tag,
    summary: 'Keys, without their secrets',
  },
  query: exactly({
    after: Type.Optional(text(64)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
  }),
  answer: keys,
  async handle(call) {
    const found = await call.service.apiKeys.list({ ...call.query, ...ownerOf(call) })
    return wireOf(keys, { apiKeys: found })
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
  summary: 'Make a key in place of this one, which is accepted for a while yet',
  params,
  body: exactly({
    overlap_ms: Type.Optional(Type.Integer({ minimum: 0, description: 'A day unless said.' })),
    expires_at: Type.Optional(moment),
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
    return wireOf(created, made)
  },
})

export const revokeApiKey = defineRoute({
  ...{ method: 'DELETE', path: '/api-keys/:id', scope: 'admin', tag, writes: 'always' },
  summary: 'Refuse a key from now on, on every node within seconds',
  params,
  answer: shown,
  problems: ['api_key_not_found'],
  async handle(call) {
    const owner = { ...ownerOf(call), by: call.caller.keyName }
    return wireOf(shown, await call.service.apiKeys.revoke(call.params.id, owner))
  },
})

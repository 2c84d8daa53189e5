/** Secrets: set and deleted here, read by handlers, never shown. */
import type { SecretInfo } from '@punctual/core/identity'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, exactly, name, unlisted } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const secrets = answer({ secrets: Type.Array(unlisted<SecretInfo>()) })
const params = exactly({ name })
const tag = 'Secrets'

export const listSecrets = defineRoute({
  ...{ method: 'GET', path: '/secrets', scope: 'admin', tag },
  summary: 'Lists the names of secrets, without their values',
  answer: secrets,
  async handle({ tenant }) {
    return toWire({ secrets: await tenant.secrets.list() })
  },
})

export const setSecret = defineRoute({
  ...{ method: 'PUT', path: '/secrets/:name', scope: 'admin', tag, writes: 'always' },
  summary: 'Creates a secret, or replaces its value',
  secret: true,
  params,
  // The value is not in the schema, because validation errors repeat what they received.
  body: exactly({ value: Type.Unknown({ description: 'A string of at least 8 characters.' }) }),
  answer: answer({ name: Type.String(), version: Type.Integer() }),
  problems: ['quota_exceeded'],
  async handle({ tenant, params: { name: secret }, body }) {
    const { version } = await tenant.secrets.set(secret, body.value)
    return { name: secret, version }
  },
})

export const deleteSecret = defineRoute({
  ...{ method: 'DELETE', path: '/secrets/:name', scope: 'admin', tag, writes: 'always' },
  summary: 'Deletes a secret; runs that read it fail',
  params,
  answer: answer({ removed: Type.Boolean() }),
  async handle({ tenant, params: { name: secret } }) {
    return { removed: await tenant.secrets.delete(secret) }
  },
})

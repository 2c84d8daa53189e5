/**
 * POST /worker-sessions/:id/secret: returns a secret of the session's tenant, for a run that it
 * holds.
 */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { refuseReadable } from '../../http/readable-connection.ts'
import { answer } from '../../wire/schemas.ts'
import { body, fenceFields, workerRoute } from '../define-route.ts'

export const readSecret = workerRoute({
  method: 'POST',
  path: '/secret',
  summary: 'Returns a secret for a run',
  body: body({
    ...fenceFields,
    name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
  }),
  answer: answer({ name: Type.String(), value: Type.String() }),
  problems: ['lease_lost', 'forbidden', 'insecure_connection', 'secret_not_found'],
  async handle({ sessions, session, body: { name, ...run }, reply }) {
    refuseReadable(reply.request)
    return { name, value: await sessions.secret(session, run, name) }
  },
})

/**
 * POST /worker-sessions/:id/renew: the heartbeat. Returns requests to the worker and the runs it
 * lost.
 */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, fence, workerRoute } from '../define-route.ts'

export const renewSession = workerRoute({
  method: 'POST',
  path: '/renew',
  summary: 'Renews the lease',
  body: body({
    runs: Type.Optional(Type.Array(fence, { maxItems: 2 * limits.concurrencyMax })),
  }),
  answer: answer({
    lease_ms: Type.Integer(),
    drains: Type.Boolean({ description: 'The worker is asked to claim nothing more.' }),
    cancels: Type.Array(
      answer({ run_id: Type.String(), fence: Type.String(), reason: Type.String() }),
      { description: 'Runs that are asked to end.' },
    ),
    lost: Type.Array(answer({ run_id: Type.String(), fence: Type.String() }), {
      description: 'Runs that the session no longer holds.',
    }),
  }),
  handle: ({ sessions, session, body }) => sessions.renew(session, body.runs),
})

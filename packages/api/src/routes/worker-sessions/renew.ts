/** POST /worker-sessions/:id/renew: the heartbeat. Tells what is asked of the worker, and which runs it has lost. */
import { limits } from '@punctual/core'
import { Type } from 'typebox'
import { body, fence, workerRoute } from '../../worker-sessions/define-route.ts'

export const renewSession = workerRoute({
  method: 'POST',
  path: '/renew',
  summary: 'Extend the lease',
  body: body({
    runs: Type.Optional(Type.Array(fence, { maxItems: 2 * limits.concurrencyMax })),
  }),
  handle: ({ sessions, session, body }) => sessions.renew(session, body.runs),
})

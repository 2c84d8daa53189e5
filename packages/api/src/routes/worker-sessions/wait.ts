/** POST /worker-sessions/:id/wait: what a worker that claims by itself is to look at; a long poll. */
import { limits } from '@punctual/core'
import { Type } from 'typebox'
import { body, workerRoute } from '../../worker-sessions/define-route.ts'

export const waitForHints = workerRoute({
  method: 'POST',
  path: '/wait',
  summary: 'Wait for hints',
  body: body({
    after: Type.Optional(Type.String({ maxLength: 64 })),
    wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.claimWaitMsMax })),
  }),
  handle: ({ sessions, session, body, gone }) =>
    sessions.hints.wait(session, body.after, body.wait_ms ?? 0, gone),
})

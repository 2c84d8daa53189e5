/**
 * POST /worker-sessions/:id/wait: a long poll for hints, for a worker that schedules its claims
 * itself.
 */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer, nullable } from '../../wire/schemas.ts'
import { body, workerRoute } from '../define-route.ts'

export const waitForHints = workerRoute({
  method: 'POST',
  path: '/wait',
  summary: 'Waits for hints',
  waits: true,
  problems: ['too_many_waits'],
  body: body({
    after: Type.Optional(Type.String({ maxLength: 64 })),
    wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.claimWaitMsMax })),
  }),
  answer: answer({
    cursor: Type.String({ description: 'The next `after`.' }),
    lanes: nullable(Type.Array(Type.Integer(), { description: 'Null when it may be any lane.' })),
    new_lane: Type.Boolean(),
    cancels: Type.Array(Type.String(), { description: 'Runs that are asked to end.' }),
    drains: Type.Boolean(),
  }),
  handle: ({ sessions, session, body, gone }) =>
    sessions.hints.wait(session, body.after, body.wait_ms ?? 0, gone),
})

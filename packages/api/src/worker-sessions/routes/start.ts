/**
 * POST /worker-sessions/:id/start: marks runs as started before they start. Refused ones must not
 * start.
 */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { body, fence, results, workerRoute } from '../define-route.ts'

export const startRuns = workerRoute({
  method: 'POST',
  path: '/start',
  summary: 'Marks runs as started',
  body: body({ runs: Type.Array(fence, { maxItems: limits.runsPerClaim }) }),
  answer: results,
  handle: ({ sessions, session, body }) => sessions.start(session, body.runs),
})

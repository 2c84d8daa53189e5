/** POST /worker-sessions/:id/give-back: returns runs that were not started to the queue. */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { body, fence, results, workerRoute } from '../define-route.ts'

export const giveBackRuns = workerRoute({
  method: 'POST',
  path: '/give-back',
  summary: 'Returns runs that were not started to the queue',
  body: body({ runs: Type.Array(fence, { maxItems: limits.batchSize }) }),
  answer: results,
  handle: ({ sessions, session, body }) => sessions.giveBack(session, body.runs),
})

/** POST /worker-sessions/:id/give-back: runs that were not started go back as they were. */
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { body, fence, results, workerRoute } from '../define-route.ts'

export const giveBackRuns = workerRoute({
  method: 'POST',
  path: '/give-back',
  summary: 'Give runs back that were not started',
  body: body({ runs: Type.Array(fence, { maxItems: limits.batchSize }) }),
  answer: results,
  handle: ({ sessions, session, body }) => sessions.giveBack(session, body.runs),
})

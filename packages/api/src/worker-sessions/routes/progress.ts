/** POST /worker-sessions/:id/progress: how far runs have come, for those who look. */
import { encodeJson } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { body, fenceFields, results, workerRoute } from '../define-route.ts'

const item = body({ ...fenceFields, value: Type.Unknown() })

export const reportProgress = workerRoute({
  method: 'POST',
  path: '/progress',
  summary: 'Report progress',
  body: body({ runs: Type.Array(item, { maxItems: limits.runsPerClaim }) }),
  answer: results,
  handle: ({ sessions, session, body: { runs } }) =>
    sessions.progress(
      session,
      runs.map((run) => ({
        ...run,
        value: encodeJson(run.value, 'value', limits.logMessageLength),
      })),
    ),
})

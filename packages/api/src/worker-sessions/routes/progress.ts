/** POST /worker-sessions/:id/progress: reports the progress of runs, for display. */
import { encodeJson } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { body, fenceFields, results, workerRoute } from '../define-route.ts'

const item = body({ ...fenceFields, value: Type.Unknown() })

export const reportProgress = workerRoute({
  method: 'POST',
  path: '/progress',
  summary: 'Reports progress',
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

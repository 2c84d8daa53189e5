/** POST /worker-sessions/:id/logs: lines of attempts that are under way. A line that is there already stays. */
import { encodeJson } from '@punctual/core/check'
import { limits, storableText } from '@punctual/core/errors'
import { type Static, Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, runId, workerRoute } from '../define-route.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const

const line = body({
  run_id: runId,
  attempt: Type.Integer({ minimum: 1, maximum: 32_767 }),
  seq: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
  ago_ms: Type.Optional(Type.Number({ minimum: 0 })),
  level: Type.Optional(Type.Union(levels.map((it) => Type.Literal(it)))),
  message: Type.String(),
  data: Type.Optional(Type.Unknown()),
})

export const appendLogs = workerRoute({
  method: 'POST',
  path: '/logs',
  summary: 'Append lines to logs',
  body: body({ lines: Type.Array(line, { maxItems: limits.linesPerLogRequest }) }),
  answer: answer({ kept: Type.Integer(), refused: Type.Integer() }),
  handle: ({ sessions, session, body: { lines } }) => sessions.log(session, lines.map(toEntry)),
})

function toEntry(it: Static<typeof line>) {
  const { data = null } = it
  return {
    runId: it.run_id,
    attempt: it.attempt,
    seq: it.seq,
    agoMs: it.ago_ms ?? 0,
    level: levels.indexOf(it.level ?? 'info'),
    message: storableText(it.message, limits.logMessageLength),
    data: data === null ? null : encodeJson(data, 'data', limits.logMessageLength),
  }
}

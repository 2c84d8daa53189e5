/**
 * POST /worker-sessions/:id/logs: appends lines of running attempts; a repeated line is ignored.
 */
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
  level: Type.Optional(Type.Union(levels.map((level) => Type.Literal(level)))),
  message: Type.String(),
  data: Type.Optional(Type.Unknown()),
})

export const appendLogs = workerRoute({
  method: 'POST',
  path: '/logs',
  summary: 'Appends log lines',
  body: body({ lines: Type.Array(line, { maxItems: limits.linesPerLogRequest }) }),
  answer: answer({ kept: Type.Integer(), refused: Type.Integer() }),
  handle: ({ sessions, session, body: { lines } }) => sessions.log(session, lines.map(toEntry)),
})

function toEntry(entry: Static<typeof line>) {
  const { data = null } = entry
  return {
    runId: entry.run_id,
    attempt: entry.attempt,
    seq: entry.seq,
    agoMs: entry.ago_ms ?? 0,
    level: levels.indexOf(entry.level ?? 'info'),
    message: storableText(entry.message, limits.logMessageLength),
    data: data === null ? null : encodeJson(data, 'data', limits.logMessageLength),
  }
}

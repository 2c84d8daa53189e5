/** GET /runs/:id/logs: the log lines of a run, in pages, or as a stream. */
import { limits, PunctualError } from '@punctual/core/errors'
import { isFinal, type LogPosition } from '@punctual/core/run'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import type { TenantService } from '../../ports/service.ts'
import { pause } from '../../streams/pause.ts'
import type { EventWriter } from '../../streams/sse-writer.ts'
import { lastEventId, stream, wantsStream } from '../../streams/stream.ts'
import { logLine } from '../../wire/run-answer.ts'
import { answer, exactly, idParam, nullable } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'
import { findRun } from './find-run.ts'

const POLL_MS = 500
const LINES_AT_ONCE = 500
const POSITION = /^(\d{1,5})\.(\d{1,10})$/

const positionText = ({ attempt, seq }: LogPosition): string => `${attempt}.${seq}`

function positionOf(field: string, given: string): LogPosition {
  const [, attempt, seq] = POSITION.exec(given) ?? []
  if (attempt !== undefined && seq !== undefined)
    return { attempt: Number(attempt), seq: Number(seq) }
  throw new PunctualError(
    'invalid_cursor',
    `${field} must be the position of a line, such as 1.57 for line 57 of the first attempt.`,
    { field },
  )
}

/** Sends lines as they are written, until the run has ended and all of them were sent. */
async function tail(
  { runs }: TenantService,
  id: string,
  from: LogPosition | undefined,
  out: EventWriter,
  signal: AbortSignal,
): Promise<void> {
  let after = from
  while (!signal.aborted) {
    // Read before the lines: a run writes all of its lines before it ends.
    const run = await runs.get(id)
    const lines = await runs.logs(id, { limit: LINES_AT_ONCE, ...(after && { after }) })
    for (const line of lines) {
      if (!(await out.send({ id: positionText(line), event: 'log', data: toWire(line) }))) return
      after = line
    }
    if (lines.length === LINES_AT_ONCE) continue
    if (run === null || isFinal(run.state)) {
      await out.send({ event: 'end', data: { id, state: run?.state ?? null } })
      return
    }
    await pause(POLL_MS, signal)
  }
}

export const getLogs = defineRoute({
  method: 'GET',
  path: '/runs/:id/logs',
  scope: 'read',
  tag: 'Runs',
  summary: 'Lists the log lines of a run, oldest first',
  description:
    'With `Accept: text/event-stream`, lines are sent as they are written: `log` events until the run has ended, then one `end` event. `Last-Event-ID` resumes after that line.',
  params: idParam,
  query: exactly({
    after: Type.Optional(
      Type.String({ maxLength: 20, description: '`next` of the previous page.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.logLinesPerPage, default: 1_000 }),
    ),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.logLinesPerPage,
        description: 'Returns the last N lines instead; excludes `after` and `limit`.',
      }),
    ),
  }),
  answer: answer({ lines: Type.Array(logLine), next: nullable(Type.String()) }),
  problems: ['run_not_found', 'invalid_cursor', 'too_many_streams'],
  async handle(call) {
    const { tenant, params, query, request } = call
    const { id } = await findRun(tenant, params.id)
    const resumed = wantsStream(request) ? lastEventId(request) : undefined
    const field = resumed === undefined ? 'after' : 'Last-Event-ID'
    const from = resumed ?? query.after
    const after = from === undefined ? undefined : positionOf(field, from)
    if (wantsStream(request)) {
      return stream(call, (out, signal) => tail(tenant, id, after, out, signal))
    }
    const { last } = query
    const limit = query.limit ?? (last === undefined ? 1_000 : undefined)
    const lines = await tenant.runs.logs(id, {
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
      ...(last !== undefined && { last }),
    })
    const end = lines.at(-1)
    const more = end !== undefined && last === undefined && lines.length === limit
    return { lines: toWire(lines), next: more ? positionText(end) : null }
  },
})

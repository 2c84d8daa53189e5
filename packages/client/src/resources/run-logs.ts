/** The log of a run: existing lines in pages, or new ones as they are written. */
import { addressOf, type Connection } from '../http/connection.ts'
import { follow } from '../http/follow.ts'
import type { AnswerOf } from '../http/operation.ts'

type LogPage = AnswerOf<'GET /runs/{id}/logs'>
export type LogLine = LogPage['lines'][number]

export interface LogOptions {
  /** Also yields lines as they are written, until the run has ended. @default false */
  readonly follow?: boolean | undefined
  /** Only lines after this one: `1.57` is line 57 of the first attempt. */
  readonly after?: string | undefined
  /** Only the last N lines, up to 10,000; excludes the other options. */
  readonly last?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export async function* logLines(
  connection: Connection,
  id: string,
  options: LogOptions,
): AsyncGenerator<LogLine, void, undefined> {
  if (options.follow) yield* followed(connection, id, options)
  else yield* present(connection, id, options)
}

async function* present(connection: Connection, id: string, options: LogOptions) {
  const { signal, last } = options
  let after = options.after
  for (;;) {
    const input = { params: { id }, query: { after, last } }
    const page: LogPage = await connection.call('GET /runs/{id}/logs', input, { signal })
    yield* page.lines
    if (page.next === null) return
    after = page.next
  }
}

async function* followed(connection: Connection, id: string, { after, signal }: LogOptions) {
  const path = addressOf('/runs/{id}/logs', { id }, {})
  for await (const event of follow(connection, path, { signal, lastEventId: after })) {
    if (event.type === 'end') return
    if (event.type === 'log') yield JSON.parse(event.data) as LogLine
  }
}

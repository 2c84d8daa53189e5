/**
 * Follows a stream of events. When it ends or falls silent, it is reopened at its last position:
 * events may then be repeated, and none is missed that the server still has.
 */
import type { Connection } from './connection.ts'
import { PunctualHttpError } from './http-error.ts'
import { isTransient, pause } from './retrying.ts'
import { EventReader, linesOf, type ServerSentEvent } from './server-sent-events.ts'

/** The server sends a comment every 15 s. */
const SILENCE_MS = 45_000
const AGAIN_MS = 1_000

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
  /** Resumes after the event with this id. @default new events only */
  readonly lastEventId?: string | undefined
  /** The silence after which the stream is reopened. @default 45000 */
  readonly silenceMs?: number | undefined
}

/** Ends by `break`, by the signal, or by an error that reconnecting would not solve. */
export async function* follow(
  connection: Connection,
  path: string,
  options: FollowOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = new EventReader(options.lastEventId ?? '')
  for (;;) {
    const live = new AbortController()
    const abort = () => live.abort(options.signal?.reason)
    options.signal?.throwIfAborted()
    options.signal?.addEventListener('abort', abort)
    try {
      yield* once(connection, path, reader, live, options.silenceMs ?? SILENCE_MS)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof PunctualHttpError && !isTransient(error)) throw error
    } finally {
      options.signal?.removeEventListener('abort', abort)
      live.abort()
    }
    await pause(reader.retryMs ?? AGAIN_MS * Math.random(), options.signal)
  }
}

async function* once(
  connection: Connection,
  path: string,
  reader: EventReader,
  live: AbortController,
  silenceMs: number,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { lastEventId } = reader
  const response = await connection.open({
    ...{ method: 'GET', path, signal: live.signal },
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
    },
  })
  reader.begin()
  const silent = () => live.abort(new Error('silence'))
  let timer = setTimeout(silent, silenceMs)
  try {
    for await (const line of linesOf(response.body as ReadableStream<Uint8Array>)) {
      clearTimeout(timer)
      const event = reader.line(line)
      if (event) yield event
      timer = setTimeout(silent, silenceMs)
    }
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Follows a stream of events for as long as it is wanted: when it ends or nothing comes any more, it is opened again
 * where it ended. Events may come twice then, and none is missed that the server still has.
 */
import type { Connection } from './connection.ts'
import { PunctualHttpError } from './http-error.ts'
import { isTransient, pause } from './retrying.ts'
import { EventReader, linesOf, type ServerSentEvent } from './server-sent-events.ts'

/** The server says every 15 s that it is there. */
const SILENCE_MS = 45_000
const AGAIN_MS = 1_000

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
  /** Goes on after the event of this id. @default from now on */
  readonly lastEventId?: string | undefined
  /** How long nothing may come before the stream is opened again. @default 45000 */
  readonly silenceMs?: number | undefined
}

/** Ends by `break`, by the signal, or by an error that coming back would not mend. */
export async function* follow(
  connection: Connection,
  path: string,
  options: FollowOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = new EventReader(options.lastEventId ?? '')
  for (;;) {
    const live = new AbortController()
    const give = () => live.abort(options.signal?.reason)
    options.signal?.throwIfAborted()
    options.signal?.addEventListener('abort', give)
    try {
      yield* once(connection, path, reader, live, options.silenceMs ?? SILENCE_MS)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof PunctualHttpError && !isTransient(error)) throw error
    } finally {
      options.signal?.removeEventListener('abort', give)
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

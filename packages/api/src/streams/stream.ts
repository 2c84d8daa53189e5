/**
 * Answers a request with a stream of events: it ends when the client leaves, when the server closes or drains, when
 * the key is revoked or loses its scope, and when there is nothing more to tell.
 */
import { PunctualError } from '@punctual/core/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenStreams } from './open-streams.ts'
import { EventWriter } from './sse-writer.ts'

/** What a stream needs of the call that it answers. */
export interface Streaming {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: { readonly keyId: string }
  readonly streams: OpenStreams
  /** Rejects when the caller would not be let in any more. */
  readonly recheck: () => Promise<void>
}

const OVER: readonly PunctualError['code'][] = [
  'unauthenticated',
  'forbidden',
  'tenant_suspended',
  'stopped',
]

/** Whether a client asks for a stream. */
export function wantsStream({ headers }: FastifyRequest): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(headers.accept ?? '')
}

/** Where a client would go on; undefined when it begins. */
export function lastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  return given === undefined || given === '' ? undefined : String(given)
}

/** The work ends when its signal is aborted; what it throws ends the stream, and the client comes back. */
export async function stream(
  { request, reply, caller, streams, recheck }: Streaming,
  work: (out: EventWriter, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ending = new AbortController()
  const release = streams.admit(caller.keyId, () => ending.abort())
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // The end of the stream is that of the connection: a server that closes waits for none.
    connection: 'close',
    // Proxies that collect answers would keep these back.
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  const out = new EventWriter(raw, streams.settings)
  ending.signal.addEventListener('abort', () => out.end(), { once: true })
  const again = setInterval(() => {
    recheck().catch((error: unknown) => {
      // That the database does not answer says nothing of the key.
      if (error instanceof PunctualError && OVER.includes(error.code)) out.end()
    })
  }, streams.settings.recheckMs)
  try {
    await work(out, out.ended)
  } catch (error) {
    if (!out.ended.aborted) request.log.error(error)
  } finally {
    clearInterval(again)
    out.end()
    release()
  }
}

/**
 * Answers a request with a stream of events. It ends when the client disconnects, when the server
 * closes or drains, when the key is revoked or loses its scope, and when there are no more events.
 */
import { PunctualError } from '@punctual/core/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenStreams } from './open-streams.ts'
import { EventWriter } from './sse-writer.ts'

/** The parts of a call that a stream uses. */
export interface Streaming {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: { readonly keyId: string; readonly tenantId: number | null }
  readonly streams: OpenStreams
  /** Rejects when the caller would no longer be admitted. */
  readonly recheck: () => Promise<void>
}

const streamed = Symbol('streamed')
/** The result of a handler that answered with a stream; the server sends nothing more. */
export type Streamed = typeof streamed

const OVER: readonly PunctualError['code'][] = [
  'unauthenticated',
  'forbidden',
  'tenant_suspended',
  'stopped',
]

/** Whether the client requests a stream. */
export function wantsStream({ headers }: FastifyRequest): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(headers.accept ?? '')
}

/** The position from which the client resumes; undefined for a new stream. */
export function lastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  return given === undefined || given === '' ? undefined : String(given)
}

/**
 * The work must end when its signal is aborted; an error in it ends the stream, and the client
 * reconnects.
 */
export async function stream(
  { request, reply, caller, streams, recheck }: Streaming,
  work: (out: EventWriter, signal: AbortSignal) => Promise<void>,
): Promise<Streamed> {
  const ending = new AbortController()
  const release = streams.admit(caller, () => ending.abort())
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    // The stream ends with its connection: a closing server does not wait for an idle one.
    connection: 'close',
    // Keeps proxies from buffering the events.
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  const out = new EventWriter(raw, streams.settings)
  ending.signal.addEventListener('abort', () => out.end(), { once: true })
  const again = setInterval(() => {
    recheck().catch((error: unknown) => {
      // An unavailable database does not mean that the key is invalid.
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
  return streamed
}

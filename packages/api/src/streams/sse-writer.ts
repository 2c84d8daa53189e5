/**
 * Writes server-sent events to one client. Each write waits until the client has read enough, so
 * nothing accumulates here. A client that reads nothing for too long is disconnected, and resumes
 * with `Last-Event-ID`.
 */
import type { FastifyReply } from 'fastify'
import type { StreamSettings } from './open-streams.ts'
import { pause } from './pause.ts'

export interface ServerSentEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: unknown
}

/** A block of the stream; one with only an id moves the position from which the client resumes. */
function eventText({ id, event, data }: ServerSentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    // JSON text contains no line breaks.
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ]
  return `${lines.join('\n')}\n\n`
}

export class EventWriter {
  readonly #raw: FastifyReply['raw']
  readonly #settings: StreamSettings
  readonly #ended = new AbortController()
  #heartbeat: NodeJS.Timeout
  #id: string | null = null
  #sentId: string | null = null

  constructor(raw: FastifyReply['raw'], settings: StreamSettings) {
    this.#raw = raw
    this.#settings = settings
    this.#heartbeat = setInterval(() => this.#beat(), settings.heartbeatMs)
    raw.once('close', () => this.end())
    raw.on('error', () => this.end())
    if (raw.destroyed) this.end()
  }

  /** Aborted when nothing more can be sent: the client disconnected, or the stream ended. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Sets the position from which the client would resume; it is sent with the next heartbeat. */
  reached(id: string): void {
    this.#id = id
  }

  /** Resolves to true when the client can take more, to false when it has disconnected. */
  async send(event: ServerSentEvent): Promise<boolean> {
    if (event.id !== undefined) {
      this.#id = event.id
      this.#sentId = event.id
    }
    this.#heartbeat.refresh()
    return this.#write(eventText(event))
  }

  #beat(): void {
    if (this.#raw.writableNeedDrain) return
    const id = this.#id === this.#sentId || this.#id === null ? '' : `id: ${this.#id}\n`
    this.#sentId = this.#id
    void this.#write(`: alive\n${id}\n`)
  }

  async #write(text: string): Promise<boolean> {
    if (this.#ended.signal.aborted) return false
    if (this.#raw.write(text)) return true
    const drained = new AbortController()
    const { signal } = this.#ended
    this.#raw.once('drain', () => drained.abort())
    const stalled = await pause(this.#settings.stallMs, AbortSignal.any([signal, drained.signal]))
    // An orderly end would only wait for the same slow reader.
    if (stalled) this.#raw.destroy()
    return !signal.aborted && !stalled
  }

  end(): void {
    if (this.#ended.signal.aborted) return
    clearInterval(this.#heartbeat)
    this.#ended.abort()
    this.#raw.end()
  }
}

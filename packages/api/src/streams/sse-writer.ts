/**
 * Writes server-sent events to one client. What is written waits for the client to take it: nothing piles up here, and
 * a client that takes nothing for too long is left, to come back with `Last-Event-ID`.
 */
import type { FastifyReply } from 'fastify'
import type { StreamSettings } from './open-streams.ts'
import { pause } from './pause.ts'

export interface ServerSentEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: unknown
}

/** A block of the stream; one with nothing but an id moves on where the client would go on. */
function eventText({ id, event, data }: ServerSentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    // JSON has no line breaks of its own.
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
  #toldId: string | null = null

  constructor(raw: FastifyReply['raw'], settings: StreamSettings) {
    this.#raw = raw
    this.#settings = settings
    this.#heartbeat = setInterval(() => this.#beat(), settings.heartbeatMs)
    raw.once('close', () => this.end())
    raw.on('error', () => this.end())
    if (raw.destroyed) this.end()
  }

  /** Aborted when nothing more can be sent: the client has left, or the stream has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  /** Where the client would go on from now on; it is told with the next heartbeat. */
  reached(id: string): void {
    this.#id = id
  }

  /** Resolves when there is room for more; false when there is nobody any more. */
  async send(event: ServerSentEvent): Promise<boolean> {
    if (event.id !== undefined) {
      this.#id = event.id
      this.#toldId = event.id
    }
    this.#heartbeat.refresh()
    return this.#write(eventText(event))
  }

  #beat(): void {
    if (this.#raw.writableNeedDrain) return
    const id = this.#id === this.#toldId || this.#id === null ? '' : `id: ${this.#id}\n`
    this.#toldId = this.#id
    void this.#write(`: alive\n${id}\n`)
  }

  async #write(text: string): Promise<boolean> {
    if (this.#ended.signal.aborted) return false
    if (this.#raw.write(text)) return true
    const drained = new AbortController()
    const { signal } = this.#ended
    this.#raw.once('drain', () => drained.abort())
    const stalled = await pause(this.#settings.stallMs, AbortSignal.any([signal, drained.signal]))
    // A reader that is too slow has no use of an orderly end.
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

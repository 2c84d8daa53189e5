/** Reads server-sent events from the body of an answer, as the HTML standard defines them. */

export interface ServerSentEvent {
  /** `message`, unless the server names the type. */
  readonly type: string
  readonly data: string
  /** The position to resume from: the id of this event, or of the last one that had an id. */
  readonly lastEventId: string
}

/** Assembles lines into events; a block without data only moves the position to resume from. */
export class EventReader {
  #data: string[] = []
  #type = ''
  /** The id of the block being read; it counts when the block is complete. */
  #nextId: string
  #id: string
  /** The reconnection delay that the server asked for. */
  retryMs: number | undefined

  constructor(lastEventId: string) {
    this.#id = lastEventId
    this.#nextId = lastEventId
  }

  /** Starts a new stream: an incomplete block is dropped. */
  begin(): void {
    this.#data = []
    this.#type = ''
    this.#nextId = this.#id
  }

  get lastEventId(): string {
    return this.#id
  }

  /** Reads a line; returns the event that it completes. */
  line(line: string): ServerSentEvent | null {
    if (line === '') return this.#dispatch()
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#type = value
    else if (name === 'id' && !value.includes('\0')) this.#nextId = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value)
    return null
  }

  #dispatch(): ServerSentEvent | null {
    const event = { type: this.#type || 'message', data: this.#data.join('\n') }
    const empty = this.#data.length === 0
    this.#id = this.#nextId
    this.begin()
    return empty ? null : { ...event, lastEventId: this.#id }
  }
}

/** The lines of a body, with any kind of line break, and however its pieces were cut. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      // A carriage return at the end may be the first half of a line break.
      const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest
      const lines = whole.split(/\r\n|\n|\r/)
      rest = (lines.pop() as string) + rest.slice(whole.length)
      yield* lines
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

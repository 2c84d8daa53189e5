/** Reads a stream of server-sent events as the HTML standard says, from the body of an answer. */

export interface ServerSentEvent {
  /** `message` unless the server names it. */
  readonly type: string
  readonly data: string
  /** Where to go on after it; of this event or the last that had one. */
  readonly lastEventId: string
}

/** Gathers lines into events; a block without data only moves the place where one would go on. */
export class EventReader {
  #data: string[] = []
  #type = ''
  /** Of the block that is being read: it counts when the block is whole. */
  #nextId: string
  #id: string
  /** How long the server asks to wait before coming back. */
  retryMs: number | undefined

  constructor(lastEventId: string) {
    this.#id = lastEventId
    this.#nextId = lastEventId
  }

  /** A new stream: what was read of a block that was cut is forgotten. */
  begin(): void {
    this.#data = []
    this.#type = ''
    this.#nextId = this.#id
  }

  get lastEventId(): string {
    return this.#id
  }

  /** An event, when this line ends one. */
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

/** The lines of a body, whichever way they end and wherever its pieces were cut. */
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

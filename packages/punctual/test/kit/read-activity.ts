/** Reads server-sent events like a client: block by block, from a real connection. */

export interface ReadEvent {
  readonly id?: string
  readonly event?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member
  readonly data?: any
  /** The comment lines of the block. */
  readonly comments: readonly string[]
}

interface ReadOptions {
  readonly key: string
  readonly lastEventId?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

function blockOf(text: string): ReadEvent {
  const lines = text.split('\n')
  const textOf = (field: string) =>
    lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2)
  const [id, event, data] = [textOf('id'), textOf('event'), textOf('data')]
  return {
    ...(id !== undefined && { id }),
    ...(event !== undefined && { event }),
    ...(data !== undefined && { data: JSON.parse(data) }),
    comments: lines.filter((line) => line.startsWith(':')),
  }
}

/** An open stream; ends when the server ends it, or by `leave`. */
export class EventReader {
  readonly status: number
  readonly headers: Headers
  readonly events: ReadEvent[] = []
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  readonly #leave: AbortController

  private constructor(response: Response, leave: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#leave = leave
    this.ended = this.#read(response).catch(() => undefined)
  }

  static async open(url: string, options: ReadOptions): Promise<EventReader> {
    const leave = new AbortController()
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${options.key}`,
        accept: 'text/event-stream',
        ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
        ...options.headers,
      },
      signal: leave.signal,
    })
    return new EventReader(response, leave)
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      this.events.push(...blocks.map(blockOf))
    }
  }

  /** The events that have data. */
  get messages(): ReadEvent[] {
    return this.events.filter(({ data }) => data !== undefined)
  }

  /** The id that a client would resume from. */
  get lastId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id
  }

  leave(): void {
    this.#leave.abort()
  }
}

/** All events of a stream that the server ends. */
export async function readEvents(url: string, options: ReadOptions): Promise<ReadEvent[]> {
  const reader = await EventReader.open(url, options)
  await reader.ended
  return reader.messages
}

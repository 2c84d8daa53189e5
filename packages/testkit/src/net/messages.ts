/**
 * Splits one direction of a PostgreSQL connection into its messages. A message is a type byte, a
 * length that counts itself, and a body; only the first message of a client has no type.
 */
export interface Message {
  /** Empty for the first message of a client. */
  readonly type: string
  readonly body: Buffer
  /** The message as received. */
  readonly bytes: Buffer
}

const LENGTH_BYTES = 4

export class Messages {
  #rest: Buffer = Buffer.alloc(0)
  #untyped: boolean

  constructor(from: 'client' | 'server') {
    this.#untyped = from === 'client'
  }

  /** Returns the messages that this piece completes. */
  take(piece: Buffer): Message[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    const messages: Message[] = []
    for (let message = this.#next(); message; message = this.#next()) messages.push(message)
    return messages
  }

  #next(): Message | null {
    const typeBytes = this.#untyped ? 0 : 1
    const headBytes = typeBytes + LENGTH_BYTES
    if (this.#rest.length < headBytes) return null
    const size = typeBytes + this.#rest.readInt32BE(typeBytes)
    if (this.#rest.length < size) return null
    const bytes = this.#rest.subarray(0, size)
    const type = this.#untyped ? '' : String.fromCharCode(bytes[0] as number)
    this.#rest = this.#rest.subarray(size)
    this.#untyped = false
    return { type, body: bytes.subarray(headBytes), bytes }
  }
}

/** Returns the text up to a zero byte, and where it ends. */
export function textAt(body: Buffer, from: number): { text: string; end: number } {
  const zero = body.indexOf(0, from)
  const end = zero < 0 ? body.length : zero
  return { text: body.toString('utf8', from, end), end: end + 1 }
}

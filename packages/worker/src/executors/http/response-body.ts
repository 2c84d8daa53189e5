/**
 * Collects the body of a response up to a limit, which counts decoded bytes: a small compressed body
 * can decode to gigabytes.
 */
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

const SLACK_BYTES = 65_536

export interface CollectedBody {
  readonly text: string
  /** The body as sent was longer, or ended early. */
  readonly truncated: boolean
}

export class ResponseBody {
  readonly #limit: number
  readonly #decoder: Transform | null
  readonly #chunks: Buffer[] = []
  /** As sent. */
  #received = 0
  /** As kept, after decoding. */
  #bytes = 0
  #truncated = false

  /** `encoding`: the content encoding to decode; null leaves the body as it was sent. */
  constructor(limit: number, encoding: string | null) {
    this.#limit = limit
    const make = encoding === null ? undefined : decoders[encoding.trim().toLowerCase()]
    this.#decoder = make?.() ?? null
    this.#decoder?.on('data', (chunk: Buffer) => this.#add(chunk))
    this.#decoder?.on('error', () => {
      this.#truncated = true
    })
  }

  /** Whether more would be cut: the rest need not be read. */
  get full(): boolean {
    return this.#truncated
  }

  write(chunk: Buffer): void {
    if (this.#truncated) return
    this.#received += chunk.length
    // A decoder that is slower than the connection must not make this process hold the rest.
    if (this.#received > this.#limit + SLACK_BYTES) this.#truncated = true
    if (this.#decoder === null) this.#add(chunk)
    else if (!this.#decoder.destroyed) this.#decoder.write(chunk)
  }

  /** The end of the body was not received. */
  cut(): void {
    this.#truncated = true
  }

  async collect(): Promise<CollectedBody> {
    await this.#flush()
    const text = Buffer.concat(this.#chunks).toString('utf8').replaceAll('\u0000', '\ufffd')
    return { text, truncated: this.#truncated }
  }

  #add(chunk: Buffer): void {
    const room = this.#limit - this.#bytes
    if (chunk.length > room) {
      this.#truncated = true
      this.#decoder?.destroy()
    }
    if (room <= 0) return
    const kept = chunk.subarray(0, room)
    this.#chunks.push(kept)
    this.#bytes += kept.length
  }

  /** Waits until what was written has been decoded. */
  #flush(): Promise<void> {
    const decoder = this.#decoder
    if (decoder === null || decoder.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      decoder.once('close', resolve)
      decoder.end()
    })
  }
}

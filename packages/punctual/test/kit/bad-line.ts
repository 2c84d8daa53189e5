/** A TCP relay with the faults of a bad line: latency, dripping, resets, and held directions. */
import { createServer, type Server, type Socket, connect as socketTo } from 'node:net'

/** The faults of the line; without members it has none. */
export interface Faults {
  /** The delay of each piece. */
  readonly latencyMs?: number
  /** Sends one byte a second. */
  readonly drips?: boolean
  /** Resets a connection after this many bytes. */
  readonly resetAfterBytes?: number
  /** Resets every Nth connection as it opens. */
  readonly resetEvery?: number
  /** Holds these directions: bytes arrive when the line is repaired. */
  readonly holds?: readonly ('up' | 'down')[]
  /** Affects only connections whose greeting contains this, or with `!` does not contain it. */
  readonly only?: string
}

interface Link {
  readonly client: Socket
  readonly server: Socket
  greeting: string
  bytes: number
}

export class BadLine {
  readonly url: string
  readonly #listener: Server
  readonly #links = new Set<Link>()
  #faults: Faults = {}
  #connections = 0

  private constructor(listener: Server, url: string) {
    this.#listener = listener
    this.url = url
  }

  static async to(databaseUrl: string): Promise<BadLine> {
    const url = new URL(databaseUrl)
    const port = Number(url.port)
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    url.port = String((listener.address() as { port: number }).port)
    const line = new BadLine(listener, url.href)
    listener.on('connection', (client) => line.#accept(client, port))
    return line
  }

  /** Applies faults from now on, also to open connections; without an argument repairs the line. */
  suffer(faults: Faults = {}): void {
    // Bytes in transit would be overtaken by later ones, which TCP rules out: they are lost
    // instead.
    if (this.#faults.drips || this.#faults.latencyMs)
      for (const { client, server } of this.#links) {
        client.resetAndDestroy()
        server.resetAndDestroy()
      }
    this.#faults = faults
    for (const link of this.#links) this.#flow(link)
  }

  #accept(client: Socket, port: number): void {
    const { resetEvery } = this.#faults
    if (resetEvery && ++this.#connections % resetEvery === 0) return void client.resetAndDestroy()
    const server = socketTo(port, '127.0.0.1')
    const link: Link = { client, server, greeting: '', bytes: 0 }
    this.#links.add(link)
    const end = () => {
      client.destroy()
      server.destroy()
      this.#links.delete(link)
    }
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', end).on('close', end)
    client.on('data', (piece: Buffer) => {
      if (link.greeting === '') {
        link.greeting = piece.toString('latin1')
        this.#flow(link)
      }
      this.#carry(link, piece, server)
    })
    server.on('data', (piece: Buffer) => this.#carry(link, piece, client))
    this.#flow(link)
  }

  #suffers({ greeting }: Link): boolean {
    const { only } = this.#faults
    if (only === undefined) return true
    return only.startsWith('!') ? !greeting.includes(only.slice(1)) : greeting.includes(only)
  }

  #flow(link: Link): void {
    const holds = this.#suffers(link) ? (this.#faults.holds ?? []) : []
    // The greeting must pass first, because it identifies the connection.
    if (holds.includes('up') && link.greeting !== '') link.client.pause()
    else link.client.resume()
    if (holds.includes('down')) link.server.pause()
    else link.server.resume()
  }

  #carry(link: Link, piece: Buffer, to: Socket): void {
    const { latencyMs, drips, resetAfterBytes } = this.#suffers(link) ? this.#faults : {}
    link.bytes += piece.length
    if (resetAfterBytes !== undefined && link.bytes > resetAfterBytes) {
      link.client.resetAndDestroy()
      link.server.resetAndDestroy()
    } else if (drips) this.#drip(piece, to)
    // waits: the latency is the fault
    else if (latencyMs) setTimeout(() => to.writable && to.write(piece), latencyMs)
    else to.write(piece)
  }

  #drip(piece: Buffer, to: Socket): void {
    let sent = 0
    // waits: the dripping is the fault
    const dripping = setInterval(() => {
      if (sent < piece.length && to.writable) to.write(piece.subarray(sent, ++sent))
      else clearInterval(dripping)
    }, 1_000)
    to.once('close', () => clearInterval(dripping))
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#listener.close(resolve))
    for (const { client, server } of this.#links) {
      client.destroy()
      server.destroy()
    }
    await closed
  }
}

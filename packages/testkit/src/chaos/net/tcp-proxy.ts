/**
 * What stands between one process and the servers: a TCP relay that can hold either direction back,
 * slow both down, reset connections, and keep the answer to one commit, or to one request of HTTP,
 * from the client. It lives in the process of the campaign, out of reach of the product.
 *
 * A direction that is held loses nothing by itself: bytes wait, as in a network that is cut, and
 * arrive when it is mended, which may be long after anybody expects them. `mend({ lose: true })`
 * resets the connections instead, and what was held is gone.
 */
import { createServer, type Server, Socket } from 'node:net'
import { AnswerWatch } from './answer-watch.ts'
import { CommitWatch } from './commit-watch.ts'
import { SlowLine } from './slow-line.ts'
import type { Watch } from './watch.ts'

type Direction = 'up' | 'down'
/** What speaks on a connection, and so what can be lost of it. */
type Protocol = 'postgres' | 'http'

interface Link {
  readonly client: Socket
  readonly server: Socket
  readonly watch: Watch
  readonly protocol: Protocol
  /** Where it leads. */
  readonly port: number
}

interface Loss {
  readonly matches: (what: string) => boolean
  readonly lost: (what: string) => void
}

/** Where a listener leads: asked for each connection, since a fail-over may change the answer. */
export type Target = () => number

export class TcpProxy {
  readonly #listeners: Server[] = []
  readonly #links = new Set<Link>()
  readonly #held = new Set<Direction>()
  /** Of whom it is held; null = of all. */
  #heldOf: RegExp | null = null
  readonly #losses = new Map<Protocol, Loss>()
  #latencyMs = 0
  readonly #lines = new WeakMap<Socket, SlowLine>()
  readonly #ports: number[] = []
  readonly #httpPorts: number[] = []

  /** Before servers of PostgreSQL, and before API nodes. */
  static async start(targets: readonly Target[], nodes: readonly Target[] = []): Promise<TcpProxy> {
    const proxy = new TcpProxy()
    for (const target of targets) proxy.#ports.push(await proxy.#listen(target, 'postgres'))
    for (const node of nodes) proxy.#httpPorts.push(await proxy.#listen(node, 'http'))
    return proxy
  }

  get ports(): readonly number[] {
    return this.#ports
  }

  get httpPorts(): readonly number[] {
    return this.#httpPorts
  }

  /** How many connections lead to a port. */
  countTo(port: number): number {
    return [...this.#links].filter((link) => link.port === port).length
  }

  #listen(target: Target, protocol: Protocol): Promise<number> {
    const listener = createServer({ pauseOnConnect: true }, (client) =>
      this.#accept(client, target(), protocol),
    )
    this.#listeners.push(listener)
    return new Promise((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(0, '127.0.0.1', () => {
        const address = listener.address()
        resolve(typeof address === 'object' && address ? address.port : 0)
      })
    })
  }

  #accept(client: Socket, port: number, protocol: Protocol): void {
    const server = new Socket()
    const watch = protocol === 'http' ? new AnswerWatch() : new CommitWatch()
    const link: Link = { client, server, watch, protocol, port }
    this.#links.add(link)
    client.setNoDelay(true)
    server.setNoDelay(true)
    client.on('data', (piece: Buffer) => {
      if (server.destroyed) return this.#ended(link, 'down')
      const isNew = link.watch.application === ''
      link.watch.sent(piece)
      this.#send(server, piece)
      if (isNew && this.#heldOf) this.#flow(link)
    })
    server.on('data', (piece: Buffer) => this.#answer(link, piece))
    for (const socket of [client, server]) socket.on('error', () => undefined)
    // A cut network hides the end of a peer too: it is told when the network is mended.
    client.on('close', () => this.#ended(link, 'up'))
    server.on('close', () => this.#ended(link, 'down'))
    server.connect(port, '127.0.0.1')
    server.pause()
    this.#flow(link)
  }

  #answer(link: Link, piece: Buffer): void {
    const loss = this.#losses.get(link.protocol)
    const armed = (what: string) => loss?.matches(what) ?? false
    const { forward, swallowed } = link.watch.answered(piece, armed)
    for (const bytes of forward) this.#send(link.client, bytes)
    if (swallowed === null) return
    this.#losses.delete(link.protocol)
    link.client.resetAndDestroy()
    link.server.destroy()
    loss?.lost(swallowed)
  }

  #send(to: Socket, bytes: Buffer): void {
    let line = this.#lines.get(to)
    if (!line) {
      line = new SlowLine((arrived) => to.write(arrived))
      this.#lines.set(to, line)
    }
    line.send(bytes, this.#latencyMs)
  }

  /** Everything takes so much longer from now on, in each direction. */
  slow(latencyMs: number): void {
    this.#latencyMs = latencyMs
  }

  #ended(link: Link, direction: Direction): void {
    // The `fetch` of Node 20 waits for ever on a connection that ends before it has sent anything.
    const isUnused = link.protocol === 'http' && link.client.bytesRead === 0
    if (isUnused && !link.client.destroyed) return
    if (!this.#isHeld(link, direction)) this.#drop(link)
  }

  #drop(link: Link): void {
    link.client.destroy()
    link.server.destroy()
    this.#links.delete(link)
  }

  #isHeld({ watch }: Link, direction: Direction): boolean {
    return this.#held.has(direction) && (this.#heldOf?.test(watch.application) ?? true)
  }

  #flow(link: Link): void {
    if (this.#isHeld(link, 'up')) link.client.pause()
    else link.client.resume()
    if (this.#isHeld(link, 'down')) link.server.pause()
    else link.server.resume()
  }

  /** Holds both directions of the connections back whose application has such a name. */
  holdOnly(application: RegExp): void {
    this.#heldOf = application
    this.hold('up', 'down')
  }

  /** Holds a direction back: `up` is from the process to the server. */
  hold(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#held.add(direction)
    for (const link of this.#links) this.#flow(link)
  }

  /** Lets everything through again: what was held arrives now, or is lost with its connection. */
  mend({ lose = false } = {}): void {
    this.#held.clear()
    this.#heldOf = null
    this.#latencyMs = 0
    if (lose) this.reset()
    for (const link of this.#links) {
      if (link.client.destroyed || link.server.destroyed) this.#drop(link)
      else this.#flow(link)
    }
  }

  /** Ends every connection with a reset, towards both sides. */
  reset(): void {
    for (const link of this.#links) {
      link.client.resetAndDestroy()
      link.server.resetAndDestroy()
      this.#links.delete(link)
    }
  }

  /** Keeps the answer to the next commit that matches from the client; tells what it was. */
  loseCommitReply(
    matches: (writes: string) => boolean,
    signal: AbortSignal,
  ): Promise<string | null> {
    return this.#lose('postgres', matches, signal)
  }

  /** Keeps the answer of a node to the next change that matches from the client; tells what it was. */
  loseAnswer(matches: (asked: string) => boolean, signal: AbortSignal): Promise<string | null> {
    return this.#lose('http', matches, signal)
  }

  #lose(protocol: Protocol, matches: Loss['matches'], signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve) => {
      const loss: Loss = { matches, lost: resolve }
      this.#losses.set(protocol, loss)
      signal.addEventListener('abort', () => {
        if (this.#losses.get(protocol) === loss) this.#losses.delete(protocol)
        resolve(null)
      })
    })
  }

  async close(): Promise<void> {
    for (const link of this.#links) this.#drop(link)
    await Promise.all(
      this.#listeners.map((it) => new Promise<void>((resolve) => it.close(() => resolve()))),
    )
  }
}

/**
 * A TCP relay between one process and the servers. It can hold back either direction, slow down
 * both, reset connections, and withhold the answer to one commit or HTTP request from the client. A
 * test may choose the fate of every HTTP request. The chaos campaign runs one for each process, out
 * of the product's reach.
 *
 * A held direction loses nothing by itself: as in a cut network, bytes wait and arrive after the
 * repair, possibly long after any timeout. `repair({ lose: true })` resets the connections instead
 * and drops the held bytes.
 */
import { createServer, type Server, Socket } from 'node:net'
import { AnswerWatch } from './answer-watch.ts'
import { CommitWatch } from './commit-watch.ts'
import { BUSY, type FateOf } from './fate.ts'
import { SlowLine } from './slow-line.ts'
import type { Watch } from './watch.ts'

type Direction = 'up' | 'down'
/** The protocol of a connection, which decides what can be lost on it. */
type Protocol = 'postgres' | 'http'

interface Link {
  readonly client: Socket
  readonly server: Socket
  readonly watch: Watch
  readonly protocol: Protocol
  /** The destination port. */
  readonly port: number
}

interface Loss {
  readonly matches: (what: string) => boolean
  readonly lost: (what: string) => void
}

/** The destination of a listener, resolved for each connection: a fail-over may change it. */
export type Target = () => number

export class TcpProxy {
  readonly #listeners: Server[] = []
  readonly #links = new Set<Link>()
  readonly #held = new Set<Direction>()
  /** The application names whose connections are held; null = all. */
  #heldOf: RegExp | null = null
  readonly #losses = new Map<Protocol, Loss>()
  #latencyMs = 0
  readonly #lines = new WeakMap<Socket, SlowLine>()
  readonly #ports: number[] = []
  readonly #httpPorts: number[] = []
  #fateOf: FateOf = () => 'pass'

  /** Starts listeners before PostgreSQL servers and before API nodes. */
  static async start(targets: readonly Target[], nodes: readonly Target[] = []): Promise<TcpProxy> {
    const proxy = new TcpProxy()
    for (const target of targets) proxy.#ports.push(await proxy.#listen(target, 'postgres'))
    for (const node of nodes) proxy.#httpPorts.push(await proxy.#listen(node, 'http'))
    return proxy
  }

  /** Starts a proxy in front of the server that a URL of PostgreSQL or HTTP names. */
  static to(url: string): Promise<TcpProxy> {
    const { protocol, port } = new URL(url)
    const target = () => Number(port)
    return protocol === 'http:' ? TcpProxy.start([], [target]) : TcpProxy.start([target])
  }

  /** The URL with the port of the proxy in front of its server. */
  through(url: string): string {
    const proxied = new URL(url)
    const [port] = proxied.protocol === 'http:' ? this.#httpPorts : this.#ports
    proxied.port = String(port)
    return proxied.href.replace(/\/$/, '')
  }

  /** Chooses the fate of every later HTTP request. */
  setFates(fateOf: FateOf): void {
    this.#fateOf = fateOf
  }

  get ports(): readonly number[] {
    return this.#ports
  }

  get httpPorts(): readonly number[] {
    return this.#httpPorts
  }

  /** The number of connections to a port. */
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
    const watch =
      protocol === 'http' ? new AnswerWatch((request) => this.#fateOf(request)) : new CommitWatch()
    const link: Link = { client, server, watch, protocol, port }
    this.#links.add(link)
    client.setNoDelay(true)
    server.setNoDelay(true)
    client.on('data', (piece: Buffer) => {
      if (server.destroyed) return this.#ended(link, 'down')
      const isNew = link.watch.application === ''
      const fate = link.watch.sent(piece)
      if (fate === 'refuse') return this.#drop(link)
      if (fate === 'busy') return void (client.writableEnded || client.end(BUSY))
      this.#send(server, piece)
      if (isNew && this.#heldOf) this.#flow(link)
    })
    server.on('data', (piece: Buffer) => this.#answer(link, piece))
    for (const socket of [client, server]) socket.on('error', () => undefined)
    // A cut network also hides the end of a peer; the other side learns of it after the repair.
    client.on('close', () => this.#ended(link, 'up'))
    server.on('close', () => this.#ended(link, 'down'))
    server.connect(port, '127.0.0.1')
    server.pause()
    this.#flow(link)
  }

  #answer(link: Link, piece: Buffer): void {
    const loss = this.#losses.get(link.protocol)
    const armed = (what: string) => loss?.matches(what) ?? false
    const { forward, swallowed, ends } = link.watch.answered(piece, armed)
    for (const bytes of forward) this.#send(link.client, bytes)
    if (ends) {
      link.client.destroySoon()
      link.server.destroy()
    }
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

  /** Sets the additional latency of each direction. */
  slow(latencyMs: number): void {
    this.#latencyMs = latencyMs
  }

  #ended(link: Link, direction: Direction): void {
    // The `fetch` of Node 20 waits for ever on a connection that ends before it sends anything.
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

  /** Holds both directions of connections with a matching application name. */
  holdOnly(application: RegExp): void {
    this.#heldOf = application
    this.hold('up', 'down')
  }

  /** Holds a direction; `up` is from the process to the server. */
  hold(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#held.add(direction)
    for (const link of this.#links) this.#flow(link)
  }

  /** Releases everything: held bytes arrive now, or are lost with their connection. */
  repair({ lose = false } = {}): void {
    this.#held.clear()
    this.#heldOf = null
    this.#latencyMs = 0
    if (lose) this.reset()
    for (const link of this.#links) {
      if (link.client.destroyed || link.server.destroyed) this.#drop(link)
      else this.#flow(link)
    }
  }

  /** Resets every connection on both sides. */
  reset(): void {
    for (const link of this.#links) {
      link.client.resetAndDestroy()
      link.server.resetAndDestroy()
      this.#links.delete(link)
    }
  }

  /** Withholds the answer to the next matching commit from the client; returns what it was. */
  loseCommitReply(
    matches: (writes: string) => boolean,
    signal: AbortSignal,
  ): Promise<string | null> {
    return this.#lose('postgres', matches, signal)
  }

  /** Withholds a node's answer to the next matching change from the client; returns what it was. */
  loseAnswer(matches: (request: string) => boolean, signal: AbortSignal): Promise<string | null> {
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
      this.#listeners.map(
        (listener) => new Promise<void>((resolve) => listener.close(() => resolve())),
      ),
    )
  }
}

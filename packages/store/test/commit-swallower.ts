/**
 * A way to the database that loses the answer to a commit: the commit reaches the server and takes place, then the
 * connection is gone. What a caller makes of that cannot be tested with an error that is only pretended.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A simple query of this text, as it goes over the wire. */
const COMMIT = Buffer.from('commit\0')

export class CommitSwallower {
  readonly url: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #armed = false
  swallowed = 0

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async before(url: string): Promise<CommitSwallower> {
    const target = new URL(url)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const host = target.hostname || '127.0.0.1'
    const [targetHost, targetPort] = [host, Number(target.port)]
    target.hostname = '127.0.0.1'
    target.port = String(port)
    const swallower = new CommitSwallower(server, target.href)
    server.on('connection', (client) => swallower.#serve(client, targetHost, targetPort))
    return swallower
  }

  /** The answer to the next commit is lost. */
  arm(): void {
    this.#armed = true
  }

  #serve(client: Socket, host: string, port: number): void {
    const server = connect({ host, port, noDelay: true })
    let doomed = false
    const end = () => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (sent) => {
      if (this.#armed && sent.includes(COMMIT)) {
        this.#armed = false
        doomed = true
      }
      server.write(sent)
    })
    server.on('data', (answer) => {
      if (!doomed) return void client.write(answer)
      this.swallowed++
      end()
    })
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

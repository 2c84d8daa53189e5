/** Stands before a server, and loses answers: what was asked has happened, and whoever asked does not know. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export class DroppingProxy {
  readonly #server: Server
  /** The next answers to addresses that end so are lost. */
  readonly drops: string[] = []
  /** How many were. */
  dropped = 0

  private constructor(target: () => string) {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { authorization = '', 'content-type': type = 'text/plain' } = request.headers
      const answer = await fetch(`${target()}${request.url}`, {
        method: request.method as string,
        headers: { authorization, ...(chunks.length > 0 && { 'content-type': type }) },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      const text = await answer.text()
      const at = this.drops.findIndex((end) => request.url?.endsWith(end))
      if (at >= 0) {
        this.drops.splice(at, 1)
        this.dropped++
        response.destroy()
      } else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })
  }

  static async before(target: () => string): Promise<DroppingProxy> {
    const proxy = new DroppingProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

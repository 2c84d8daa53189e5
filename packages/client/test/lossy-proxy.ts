/** A proxy before a real server that does to requests what networks do: what happens to each is said by a plan. */
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * `pass`: it is answered. `refuse`: it never arrives. `lose`: it arrives, and its answer is lost. `cut`: the same, in the
 * middle of the answer. `busy`: 503 from the proxy itself.
 */
export type Fate = 'pass' | 'refuse' | 'lose' | 'cut' | 'busy'

export class LossyProxy {
  readonly url: string
  readonly close: () => Promise<void>
  /** Of each request, in the order in which they came. */
  readonly seen: { method: string; path: string; key: string | undefined; fate: Fate }[] = []

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url
    this.close = close
  }

  static async open(target: string, fateOf: (n: number) => Fate): Promise<LossyProxy> {
    let proxy: LossyProxy
    const server = createServer((request, response) => {
      const fate = fateOf(proxy.seen.length)
      const { method = '', url = '', headers } = request
      const key = headers['idempotency-key'] as string | undefined
      proxy.seen.push({ method, path: url, key, fate })
      if (fate === 'refuse') return void request.socket.destroy()
      if (fate === 'busy') return void response.writeHead(503, { 'retry-after': '0' }).end('busy')
      pass(target, request, response, fate)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    proxy = new LossyProxy(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    })
    return proxy
  }
}

function pass(target: string, request: IncomingMessage, response: ServerResponse, fate: Fate) {
  const { method, url, headers } = request
  const onward = forward(`${target}${url}`, { method, headers }, (answer) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('end', () => {
      const body = Buffer.concat(parts)
      if (fate === 'lose') return void request.socket.destroy()
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      if (fate === 'pass') return void response.end(body)
      response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy())
    })
  })
  onward.on('error', () => request.socket.destroy())
  request.pipe(onward)
}

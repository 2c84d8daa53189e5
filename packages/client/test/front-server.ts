/** A server in front of the API for pages: serves the page and the client, forwards the rest. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const built = new URL('../dist/', import.meta.url)
const page = `<!doctype html><title>a page</title>
<script type="module">
  import { createClient } from '/client/index.js'
  globalThis.createClient = createClient
</script>`

export interface FrontServer {
  readonly port: number
  close(): Promise<void>
}

export async function startFrontServer(api: string): Promise<FrontServer> {
  const server = createServer((incoming, answer) => {
    const { pathname } = new URL(incoming.url ?? '/', api)
    if (pathname === '/') send(answer, 'text/html', page)
    else if (pathname.startsWith('/client/'))
      readFile(new URL(pathname.slice('/client/'.length), built), 'utf8').then(
        (text) => send(answer, 'text/javascript', text),
        () => answer.writeHead(404).end(),
      )
    else passOn(incoming, answer, api)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function send(answer: ServerResponse, type: string, text: string): void {
  answer.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text)
}

function passOn(incoming: IncomingMessage, answer: ServerResponse, api: string): void {
  const { method, headers, url = '/' } = incoming
  const onward = request(new URL(url, api), { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  incoming.pipe(onward)
}

/** A TCP relay that can be cut like a cable: bytes wait in both directions, and arrive when it is mended. */
import { createServer, type Socket, connect as socketTo } from 'node:net'

export interface CutProxy {
  /** The URL of the database, through the relay. */
  readonly url: string
  cut(): void
  mend(): void
  stop(): Promise<void>
}

export async function startCutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let cut = false
  const listener = createServer((client) => {
    const server = socketTo(Number(target.port), target.hostname)
    const pair = [client, server]
    for (const [from, to] of [pair, [server, client]] as [Socket, Socket][]) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (cut) from.pause()
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((listener.address() as { port: number }).port)
  return {
    url: url.href,
    cut() {
      cut = true
      for (const socket of sockets) socket.pause()
    },
    mend() {
      cut = false
      for (const socket of sockets) socket.resume()
    },
    async stop() {
      const closed = new Promise((resolve) => listener.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

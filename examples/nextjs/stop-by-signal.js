/**
 * On SIGTERM or SIGINT, finishes the open requests, calls `stop`, then exits. Next.js leaves
 * signals to the application when NEXT_MANUAL_SIG_HANDLE is set. Otherwise it exits once the
 * requests have ended and interrupts running handlers. It does not expose its HTTP server, but
 * Node.js reports the server of each request.
 */
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'

/** @param {() => Promise<void>} stop */
export function stopBySignal(stop) {
  const servers = new Set()
  const responses = new Set()
  subscribe('http.server.request.start', ({ server, response }) => {
    servers.add(server)
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
  const end = async () => {
    for (const server of servers) server.close()
    await Promise.all([...responses].map((response) => once(response, 'close')))
    await stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
}

/**
 * Ends connections that clients open in advance and never use: browsers do this, and `fetch` when a
 * request is aborted. Node does not count them as idle, so closing the server would wait until they
 * time out.
 */
import type { FastifyInstance } from 'fastify'

interface Connection {
  readonly bytesRead: number
  destroy(): void
  once(event: 'close', listener: () => void): void
}

export function endUnusedConnections(app: FastifyInstance): void {
  const connections = new Set<Connection>()
  app.server.on('connection', (connection: Connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  app.addHook('preClose', async () => {
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
  })
}

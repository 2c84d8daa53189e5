/**
 * Connections that clients open ahead and never use: browsers do, and `fetch` when a request is called off. The server
 * does not count them as idle, so that closing it would wait for them until they time out.
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

/**
 * GET /healthz: the process is alive. Never queries the database, whose failure must not restart
 * nodes.
 */
import type { FastifyInstance } from 'fastify'
import type { Ports } from '../../ports/probes.ts'

export async function getHealthz(app: FastifyInstance, { health }: Ports): Promise<void> {
  app.get('/healthz', async () => {
    const { version, uptimeSeconds } = health()
    return { status: 'ok', version, uptime_seconds: uptimeSeconds }
  })
}

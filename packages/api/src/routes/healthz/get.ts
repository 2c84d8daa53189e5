/** GET /healthz: the process is alive. Asks nothing of the database, so that its fault restarts nobody. */
import type { FastifyInstance } from 'fastify'
import type { Ports } from '../../ports/probes.ts'

export async function getHealthz(app: FastifyInstance, { health }: Ports): Promise<void> {
  app.get('/healthz', async () => {
    const { version, uptimeSeconds } = health()
    return { status: 'ok', version, uptime_seconds: uptimeSeconds }
  })
}

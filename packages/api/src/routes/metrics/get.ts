/** GET /metrics: the metrics of this process and its database, for Prometheus. */
import type { FastifyInstance } from 'fastify'
import { problem, problemType } from '../../http/problem.ts'
import type { Ports } from '../../ports/probes.ts'

const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

export async function getMetrics(app: FastifyInstance, { metrics }: Ports): Promise<void> {
  app.get('/metrics', async (request, reply) => {
    const text = await metrics()
    if (text !== null) return reply.type(TEXT_FORMAT).send(text)
    const detail = 'No metrics exist yet: this process is still starting.'
    return reply
      .code(503)
      .type(problemType)
      .send(problem('not_ready', detail, request.id, { reason: 'starting' }))
  })
}

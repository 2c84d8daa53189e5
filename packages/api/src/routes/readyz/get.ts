/**
 * GET /readyz: this node accepts work. Otherwise 503 with the reason, and load balancers skip it.
 */
import type { FastifyInstance } from 'fastify'
import { problem, problemType } from '../../http/problem.ts'
import type { Ports } from '../../ports/probes.ts'

export async function getReadyz(app: FastifyInstance, { ready }: Ports): Promise<void> {
  app.get('/readyz', async (request, reply) => {
    const readiness = await ready()
    if (readiness.ready) return { status: 'ready' }
    const { reason, detail } = readiness
    return reply
      .code(503)
      .type(problemType)
      .send(problem('not_ready', detail, request.id, { reason }))
  })
}

/**
 * GET /metrics: the metrics of this process and its database, for Prometheus. Queues and handlers
 * belong to tenants: metrics that name them are for scrapers with the token. It is not an API key,
 * because the keys of an installation may do everything, and because a scrape must work while the
 * database is away.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { PunctualError } from '@punctual/core/errors'
import type { FastifyInstance } from 'fastify'
import { problem, problemType } from '../../http/problem.ts'
import type { Ports } from '../../ports/probes.ts'
import type { Admission } from '../../ports/service.ts'

const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'
const HINT =
  '# Metrics that name queues or handlers need the token of --metrics-token (PUNCTUAL_METRICS_TOKEN).\n'

interface MetricsOptions extends Pick<Ports, 'metrics'> {
  readonly admission?: Admission
  readonly metricsToken?: string
}

export async function getMetrics(app: FastifyInstance, options: MetricsOptions): Promise<void> {
  app.get('/metrics', async ({ headers: { authorization }, id }, reply) => {
    const named = mayReadNames(authorization, options)
    const text = await options.metrics({ named })
    if (text !== null) return reply.type(TEXT_FORMAT).send(named ? text : `${text}${HINT}`)
    const detail = 'No metrics exist yet: this process is still starting.'
    return reply
      .code(503)
      .type(problemType)
      .send(problem('not_ready', detail, id, { reason: 'starting' }))
  })
}

/** @throws `PunctualError` for a wrong token, so that a scraper's wrong configuration is noticed. */
function mayReadNames(
  authorization: string | undefined,
  { admission, metricsToken }: MetricsOptions,
): boolean {
  if (admission?.everybody) return true
  if (authorization === undefined) return false
  if (metricsToken !== undefined && isSame(authorization, `Bearer ${metricsToken}`)) return true
  throw new PunctualError(
    'unauthenticated',
    metricsToken === undefined
      ? 'This process has no token for metrics. Start it with --metrics-token (PUNCTUAL_METRICS_TOKEN), or send no Authorization for the metrics that name no queue and no handler.'
      : 'Authorization must be `Bearer` and the token of --metrics-token (PUNCTUAL_METRICS_TOKEN), which is not an API key.',
    { field: 'Authorization' },
  )
}

/** Compares digests, whose equal lengths make the time independent of the texts. */
function isSame(received: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(received), digest(expected))
}

/**
 * The HTTP app that the REST API grows from: one file per route, every error a problem document, every
 * answer with a request id and headers that keep browsers from guessing. It owns no resource: closing it
 * ends connections that are idle and waits for requests that are under way.
 */
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import type { AppLogger, Ports } from './ports.ts'
import { type Problem, problem, problemFrom, problemType } from './problem.ts'
import { requestIdFrom } from './request-id.ts'
import { getHealthz } from './routes/healthz/get.ts'
import { getMetrics } from './routes/metrics/get.ts'
import { getReadyz } from './routes/readyz/get.ts'
import { securityHeaders } from './security-headers.ts'

export const httpDefaults = {
  /** A payload of 1 MiB, escaped and wrapped. */
  bodyLimitBytes: 2_097_152,
  /** How long a client may take to send a request. */
  requestTimeoutMs: 30_000,
} as const

export interface AppOptions extends Ports {
  /** @default nowhere */
  readonly logger?: AppLogger
  /** @default 2097152 */
  readonly bodyLimitBytes?: number
}

export function createApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: options.bodyLimitBytes ?? httpDefaults.bodyLimitBytes,
    requestTimeout: httpDefaults.requestTimeoutMs,
    // Scrapers and probes keep connections open; they must not hold up the end.
    forceCloseConnections: 'idle',
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true },
    // An address that cannot be decoded reaches no hook and no handler.
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders, 'x-request-id': request.id })
      // The type of this reply knows no bodies.
      send(reply as unknown as FastifyReply, problemFrom(error, request.id))
    },
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...securityHeaders, 'x-request-id': request.id })
  })
  addErrors(app, options.logger)
  for (const route of [getHealthz, getReadyz, getMetrics]) app.register(route, options)
  return app
}

function send(reply: FastifyReply, answer: Problem): FastifyReply {
  return reply.code(answer.status).type(problemType).send(answer)
}

function addErrors(app: FastifyInstance, logger: AppLogger | undefined): void {
  app.setNotFoundHandler((request, reply) => {
    const [path] = request.url.split('?')
    const detail = `${request.method} ${path?.slice(0, 200)} is not served here.`
    return send(reply, problem('route_not_found', detail, request.id))
  })
  app.setErrorHandler((error, request, reply) => {
    const answer = problemFrom(error, request.id)
    if (answer.status >= 500)
      logger?.error({ err: error, requestId: request.id, url: request.url }, 'a request failed')
    return send(reply, answer)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, id } = request
    const ms = Math.round(reply.elapsedTime)
    logger?.debug({ method, url, status: reply.statusCode, ms, requestId: id }, 'answered')
  })
}

/**
 * The HTTP app: one file per route, every error a problem document, every answer with a request id
 * and headers that keep browsers from guessing content types. It owns no resource: closing it ends
 * idle connections and waits for requests in progress.
 */
import swagger from '@fastify/swagger'
import { defaults } from '@punctual/core/errors'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerOptions,
} from 'fastify'
import { addRoutes } from './add-routes.ts'
import { admitting, type Rates } from './http/admit.ts'
import { httpDefaults } from './http/http-defaults.ts'
import { refuseForeignPages } from './http/local-pages.ts'
import { openApiOptions } from './http/openapi.ts'
import { type Problem, problem, problemFrom, problemType } from './http/problem.ts'
import { SharedTransactions } from './http/shared-transactions.ts'
import { type TrustedProxies, trusting } from './http/trusted-proxies.ts'
import { endUnusedConnections } from './http/unused-connections.ts'
import { validatorCompiler } from './http/validator.ts'
import type { AppLogger, Ports } from './ports/probes.ts'
import type { Admission, Service } from './ports/service.ts'
import { getHealthz } from './routes/healthz/get.ts'
import { getMetrics } from './routes/metrics/get.ts'
import { getReadyz } from './routes/readyz/get.ts'
import { OpenStreams } from './streams/open-streams.ts'
import { addBodies } from './wire/read-body.ts'
import type { WorkerPorts } from './worker-sessions/ports.ts'
import { addWorkerSessions } from './worker-sessions/routes/add-routes.ts'

export interface AppOptions extends Ports, Rates {
  /** @default no logging */
  readonly logger?: AppLogger
  /** @default 2097152 */
  readonly bodyLimitBytes?: number
  /** The service behind /v1; throws `stopped` while none runs. @default no routes under /v1 */
  readonly service?: () => Service
  /** Translates known errors of the layers below for clients. @default the error unchanged */
  readonly explain?: (error: unknown) => unknown
  /** The ports of remote workers; throws as `service` does. @default no routes for workers */
  readonly workers?: () => WorkerPorts
  /** How requests are authenticated. @default with API keys only */
  readonly admission?: Admission
  /** What a scraper sends to read metrics that name queues and handlers. @default none accepted */
  readonly metricsToken?: string
  /** The open event streams. @default a set for this app, with a heartbeat every 15 s */
  readonly streams?: OpenStreams
  /** Claims and waits of workers of a tenant that are in flight at once. @default 2000 */
  readonly waitsPerTenant?: number
  /** Version that the OpenAPI document names. @default '0.0.0' */
  readonly version?: string
  /** The proxies whose headers name the address of a client. @default none */
  readonly trustProxy?: TrustedProxies
  /** Certificate and key, as PEM. @default plain HTTP */
  readonly tls?: { readonly cert: string; readonly key: string }
}

/** Sent with every answer. A route that serves pages replaces the policy with a separate one. */
const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/**
 * Answers that report no fault of the server. A tenant that exceeds its share gets one for each of
 * its requests, and must not fill the log with them.
 */
const EXPECTED: ReadonlySet<string> = new Set(['stopped', 'server_busy'])

const HARMLESS = /^[\w.:-]{1,128}$/

/** The id of a request in logs and answers: the one that the caller sent, when it is safe. */
function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && HARMLESS.test(header) ? header : crypto.randomUUID()
}

export function createApp(options: AppOptions): FastifyInstance {
  const settings: FastifyServerOptions = {
    bodyLimit: options.bodyLimitBytes ?? httpDefaults.bodyLimitBytes,
    requestTimeout: httpDefaults.requestTimeoutMs,
    trustProxy: trusting(options.trustProxy ?? false),
    // Scrapers and probes keep connections open; they must not delay the shutdown.
    forceCloseConnections: 'idle',
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    // An address that cannot be decoded reaches no hook and no handler.
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...securityHeaders, 'x-request-id': request.id })
      send(reply, problemFrom(error, request.id))
    },
  }
  const { tls } = options
  const app: FastifyInstance = Fastify({ ...settings, ...(tls && { https: tls }) })
  app.setValidatorCompiler(validatorCompiler)
  addBodies(app)
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(securityHeaders).header('x-request-id', request.id)
    next()
  })
  addErrors(app, options)
  endUnusedConnections(app)
  const { service, admission = {} } = options
  if (admission.everybody)
    app.addHook('onRequest', async ({ headers }) => refuseForeignPages(headers))
  for (const route of [getHealthz, getReadyz, getMetrics]) app.register(route, options)
  if (service) {
    const { workers } = options
    app.register(swagger, openApiOptions(options.version ?? '0.0.0'))
    const { streams = new OpenStreams() } = options
    app.addHook('preClose', async () => streams.close())
    app.register((api, _, done) => {
      const performing = { service, admission, streams, transactions: new SharedTransactions() }
      const admit = admitting(performing, options)
      addRoutes(api, performing, admit)
      if (workers) {
        const { waitsPerTenant = defaults.tenantWaits } = options
        addWorkerSessions(api, { ...performing, workers, waitsPerTenant }, admit)
      }
      done()
    })
  }
  return app
}

function send(reply: FastifyReply, answer: Problem): FastifyReply {
  return reply.code(answer.status).type(problemType).send(answer)
}

function addErrors(app: FastifyInstance, { logger, explain = (error) => error }: AppOptions): void {
  app.setNotFoundHandler((request, reply) => {
    const [path] = request.url.split('?')
    const detail = `${request.method} ${path?.slice(0, 200)} is not served here.`
    return send(reply, problem('route_not_found', detail, request.id))
  })
  app.setErrorHandler((error, request, reply) => {
    const answer = problemFrom(explain(error), request.id)
    if (answer.status >= 500 && !EXPECTED.has(answer.code))
      logger?.error(
        { err: error, requestId: request.id, url: pathOf(request.url) },
        'a request failed',
      )
    if (answer.status === 503) reply.header('retry-after', '1')
    if (answer.status === 429) reply.header('retry-after', retryAfter(error))
    if (answer.status === 401) reply.header('www-authenticate', 'Bearer realm="punctual"')
    return send(reply, answer)
  })
  if (!logger) return
  app.addHook('onResponse', (request, reply, next) => {
    const { method, id } = request
    const ms = Math.round(reply.elapsedTime)
    const url = pathOf(request.url)
    logger.debug({ method, url, status: reply.statusCode, ms, requestId: id }, 'answered')
    next()
  })
}

/** The URL without its query string, which may contain an API key. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?')
  return path
}

function retryAfter(error: unknown): string {
  const ms = error instanceof Error && 'retryAfterMs' in error ? error.retryAfterMs : 0
  return String(Math.max(1, Math.ceil(typeof ms === 'number' ? ms / 1_000 : 0)))
}

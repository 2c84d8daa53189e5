/**
 * Punctual over HTTP: a node that serves, and a client that submits and works without a database.
 */
import Fastify from 'fastify'
import { validatorCompiler } from '../../packages/api/dist/http/validator.js'
import { createApp } from '../../packages/api/dist/index.js'
import { submitRun } from '../../packages/api/dist/routes/runs/submit.js'
import { createClient } from '../../packages/client/dist/index.js'
import { serviceOf } from '../../packages/punctual/dist/http/service.js'
import { workerPortsOf } from '../../packages/punctual/dist/http/worker-ports.js'
import { RemoteWorker } from '../../packages/punctual/dist/workers/remote-worker.js'

const HANDLER = 'noop'
const TENANT = 'bench'
/** A tenant's quotas in a typical service: each is checked, and none is reached. */
const QUOTAS = { jobs: 1_000_000, payloadBytes: 65_536, timeoutMs: 3_600_000 }

export async function serve(punctual) {
  const found = await punctual.tenants.get(TENANT)
  if (!found) await punctual.tenants.create({ name: TENANT, quotas: QUOTAS })
  const scopes = ['admin', 'worker']
  const { key } = await punctual.apiKeys.create({ name: 'bench', tenant: TENANT, scopes })
  const service = serviceOf(punctual)
  const ending = new AbortController()
  const workers = workerPortsOf(punctual, ending.signal)
  const app = createApp({
    health: () => ({ version: 'bench', uptimeSeconds: 0 }),
    ready: async () => ({ ready: true }),
    metrics: async () => null,
    service: () => service,
    workers: () => workers,
    ratePerKey: 1_000_000,
    ratePerTenant: 1_000_000,
  })
  const bare = answeringAtOnce(service)
  const urls = await Promise.all([app, bare].map(listen))
  const close = async () => {
    ending.abort()
    await Promise.all([app.close(), bare.close()])
    await punctual.stop()
  }
  return { url: urls[0], bareUrl: urls[1], key, close }
}

/** The floor of a single request: Fastify, with the schema and the authentication of POST /runs. */
function answeringAtOnce(service) {
  const app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.route({
    method: 'POST',
    url: '/v1/runs',
    schema: { body: submitRun.body, response: { 201: submitRun.answer } },
    onRequest: async ({ headers }) => {
      await service.authenticate(headers.authorization.slice('Bearer '.length))
    },
    handler: async (_, reply) => {
      reply.code(201)
      return { id: '01890a5d-ac96-774b-bcce-b302099a8057', created: true, outcome: 'created' }
    },
  })
  return app
}

async function listen(app) {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${app.server.address().port}`
}

export class HttpClient {
  /** A request takes six database round trips, the library one, so a request carries more runs. */
  bulk = { batchSize: 2_500, inFlight: 4 }

  constructor({ url, key }, role, probe) {
    this.client = createClient({ url, apiKey: key })
    this.url = url
    this.key = key
    this.role = role
    this.probe = probe
  }

  async submitMany(items) {
    await this.client.runs.submitMany(items.map(({ payload }) => ({ handler: HANDLER, payload })))
  }

  async submitOne({ payload }) {
    await this.client.runs.submit({ handler: HANDLER, payload })
  }

  async start(handler) {
    this.worker = RemoteWorker.start({
      ...{ server: [this.url], apiKey: this.key, logger: false },
      worker: { concurrency: 1000 },
    })
    this.worker.handler(HANDLER, async (payload, context) => handler(payload, context))
  }

  async settled() {
    const left = await this.probe.query(
      'select exists (select 1 from punctual.leases) or exists (select 1 from punctual.queue) as any',
    )
    return !left.rows[0].any
  }

  async close() {
    await this.worker?.stop()
    await this.probe.end()
  }
}

/**
 * Punctual over HTTP: a node that serves, and a client that submits and works without a database.
 */
import { createApp } from '../../packages/api/dist/index.js'
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
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${app.server.address().port}`
  const close = async () => {
    ending.abort()
    await app.close()
    await punctual.stop()
  }
  return { url, key, close }
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

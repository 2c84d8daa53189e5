/**
 * The routes of remote workers on a real HTTP server and a real PostgreSQL, with a small client.
 */
import type { AddressInfo } from 'node:net'
import { createApp, type Service, type WorkerPorts } from '@punctual/api'
import { limits, PunctualError } from '@punctual/core/errors'
import type { Caller } from '@punctual/core/identity'
import { type PostgresStore, systemClock, systemRandom } from '@punctual/store'

type FastifyInstance = ReturnType<typeof createApp>

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member
  readonly body: any
}

/** Revoked keys. */
export const revoked = new Set<string>()
const unnamed = { keyId: 'k', keyName: 'k', tenantName: null, tenantSuspended: false }

/** Test keys name their tenant and scope; the rest of authentication is the product's. */
const service = {
  async authenticate(key: string): Promise<Caller> {
    const [, tenant, scope = 'worker'] = /^tenant-(\d+)(?:-(\w+))?$/.exec(key) ?? []
    if (tenant === undefined || revoked.has(key))
      throw new PunctualError('unauthenticated', 'The API key is unknown.')
    return { ...unnamed, tenantId: Number(tenant), scopes: [scope as 'worker'] }
  },
} as unknown as Service

/** One API node. */
export class RemoteNode {
  readonly #app: FastifyInstance
  /** The number of claim requests received. */
  claims = 0

  private constructor(app: FastifyInstance) {
    this.#app = app
    app.addHook('preHandler', async ({ url }) => {
      if (url.endsWith('/claim')) this.claims++
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#app.server.address() as AddressInfo).port}`
  }

  static async open(store: PostgresStore): Promise<RemoteNode> {
    store.signals.listen()
    const draining = new AbortController()
    const ports: WorkerPorts = {
      work: store.work,
      claim: (request) => store.work.claim(request),
      remoteSessions: store.remoteSessions,
      clock: systemClock,
      random: systemRandom,
      outputBytes: limits.outputBytes,
      secret: (tenantId, name) => store.secrets.read(tenantId, name),
      onHint: (listener) => store.signals.onHint(listener),
      hintsArrive: () => store.signals.connected,
      draining: draining.signal,
    }
    const app = createApp({
      health: () => ({ version: '0', uptimeSeconds: 1 }),
      ready: async () => ({ ready: true }),
      metrics: async () => null,
      service: () => service,
      workers: () => ports,
      failuresPerAddress: 100_000,
    })
    app.addHook('preClose', async () => draining.abort())
    const node = new RemoteNode(app)
    await app.listen({ host: '127.0.0.1', port: 0 })
    return node
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    options: { tenant?: number; key?: string; signal?: AbortSignal } = {},
  ): Promise<Answer> {
    const { tenant = 1, key = `tenant-${tenant}`, signal } = options
    const answer = await fetch(`${this.url}/v1/worker-sessions${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** Opens a session and returns its id. */
  async session(more: object = {}, tenant = 1): Promise<string> {
    const worker = { host: 'test', handlers: ['test'], capacity: 10, lease_ms: 30_000, ...more }
    const { body } = await this.ask('POST', '', worker, { tenant })
    return body.id as string
  }

  /** Simulates a killed process: cuts every connection and accepts none. */
  kill(): void {
    this.#app.server.close()
    this.#app.server.closeAllConnections()
  }

  close(): Promise<void> {
    return this.#app.close()
  }
}

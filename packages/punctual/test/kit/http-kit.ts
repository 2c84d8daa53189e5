/** The HTTP API of a real Punctual on a real database, with a key for each scope of two tenants. */
import type { AddressInfo } from 'node:net'
import { createApp, OpenStreams } from '@punctual/api'
import type { Scope } from '@punctual/core/identity'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual, type PunctualOptions } from 'punctual'
import { serviceOf } from '../../src/http/service.ts'
import { workerPortsOf } from '../../src/http/worker-ports.ts'
import { DescribedAnswers } from './http-answers.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member
  readonly body: any
}

interface CallOptions {
  readonly key?: string | null
  readonly headers?: Record<string, string>
  /** The body text, instead of JSON. */
  readonly raw?: string
}

/** What the kit's server accepts from a scraper. */
export const METRICS_TOKEN = 'a-token-of-the-operators-prometheus'

export class HttpKit {
  readonly punctual: Punctual
  readonly url: string
  readonly database: TestDatabase
  /** A key of the installation. */
  readonly system: string
  /** An admin key of the tenant `acme`. */
  readonly admin: string
  /** Checks answers against the OpenAPI document. */
  readonly described: DescribedAnswers
  readonly #close: () => Promise<void>

  private constructor(
    parts: Omit<HttpKit, 'call' | 'post' | 'get' | 'close' | 'keyFor'>,
    close: () => Promise<void>,
  ) {
    this.punctual = parts.punctual
    this.url = parts.url
    this.database = parts.database
    this.system = parts.system
    this.admin = parts.admin
    this.described = parts.described
    this.#close = close
  }

  static async open(
    options: PunctualOptions = {},
    streams: OpenStreams = new OpenStreams(),
    limits: { ratePerTenant?: number; waitsPerTenant?: number } = {},
  ): Promise<HttpKit> {
    const database = await migratedDatabase()
    const punctual = await Punctual.start({ databaseUrl: database.url, ...options })
    await punctual.tenants.create({ name: 'acme' })
    await punctual.tenants.create({ name: 'rival' })
    const service = serviceOf(punctual)
    const draining = new AbortController()
    const workers = workerPortsOf(punctual, draining.signal)
    const app = createApp({
      health: () => ({ version: 'test', uptimeSeconds: 1 }),
      ready: async () => ({ ready: true }),
      metrics: ({ named }) => (named ? punctual.metrics.text() : punctual.metrics.openText()),
      metricsToken: METRICS_TOKEN,
      service: () => service,
      ...{ ratePerKey: 100_000, ratePerTenant: 100_000, failuresPerAddress: 100_000 },
      ...limits,
      logger: { error: ({ err }: { err: unknown }) => console.error(err), debug() {} } as never,
      streams,
      workers: () => workers,
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const { key: system } = await punctual.apiKeys.create({ name: 'root', scopes: ['system'] })
    const { key: admin } = await punctual.apiKeys.create({
      ...{ name: 'acme-admin', tenant: 'acme', scopes: ['admin'] },
    })
    const described = new DescribedAnswers(app.swagger())
    const parts = { punctual, database, system, admin, described, url: `http://127.0.0.1:${port}` }
    return new HttpKit(parts, async () => {
      draining.abort()
      await app.close()
      await punctual.stop()
      await database.drop()
    })
  }

  async keyFor(tenant: string, ...scopes: Scope[]): Promise<string> {
    const name = `${tenant}-${scopes.join('-')}-${Math.random().toString(36).slice(2, 8)}`
    return (await this.punctual.apiKeys.create({ name, tenant, scopes })).key
  }

  /** `path` is below /v1, unless it is a complete URL. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const { key = this.admin, headers = {}, raw } = options
    const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const url = path.startsWith('http') ? path : `${this.url}/v1${path}`
    const answer = await fetch(url, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    })
    const received = await answer.text()
    const json = /[/+]json/.test(answer.headers.get('content-type') ?? '')
    const { status } = answer
    const content = json && received !== '' ? JSON.parse(received) : received
    if (json) this.described.check({ method, url, status, body: content })
    return { status, headers: answer.headers, body: content }
  }

  get(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('GET', path, undefined, options)
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, body, options)
  }

  close(): Promise<void> {
    return this.#close()
  }
}

/**
 * Finds the server that takes writes, or a standby where one is wanted, and connects to it. With several hosts each
 * is tried in turn, the one that worked last first; one of the other kind is left alone. Fails with
 * `database_unavailable` naming each host and why, or at once for what no retry can mend (a wrong password, no such
 * database).
 */
import { PunctualError } from '@punctual/core/errors'
import pg from 'pg'
import { type ConnectionTarget, parseConnectionUrl, type ServerAddress } from './connection-url.ts'

/** Every value comes back as text; what a caller needs otherwise it converts itself. */
const asText = { getTypeParser: () => (value: string) => value }

/**
 * How long the server keeps what belongs to a client whose host is gone: a lock, an open transaction. Its own default
 * is two hours. Silent for `idle`, then asked `count` times; with an answer under way, `tcp_user_timeout`.
 */
const KEEPALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
}

/** Behind a pooler the process that answers is another one, and its connection belongs to others as well. */
const greeting = (processId: number) => {
  const settings = Object.entries(KEEPALIVE).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  )
  const all = settings.join(' || ')
  return `select pg_is_in_recovery(), case when pg_backend_pid() = ${processId} then ${all} end`
}

const HOPELESS = new Set(['28P01', '28000', '3D000', '42501'])

export interface EndpointOptions {
  readonly url: string
  readonly applicationName: string
  readonly connectTimeoutMs?: number
  /** Which of several hosts is meant. @default 'primary' */
  readonly wants?: 'primary' | 'standby'
}

export interface ConnectSettings {
  /** Calls are sent without waiting for the answers of those before. */
  readonly pipeline?: boolean
  /** Values come back as the driver's own types: for connections that users are handed. */
  readonly parsed?: boolean
  /** How long any statement may take, or the connection is given up. @default as long as it wants */
  readonly timeoutMs?: number
}

export class Endpoint {
  readonly target: ConnectionTarget
  readonly #options: EndpointOptions
  #preferred = 0

  constructor(options: EndpointOptions) {
    this.#options = options
    this.target = parseConnectionUrl(options.url)
  }

  /** A connected client on a writable server. The caller owns it, and listens for its errors. */
  async connect(settings: ConnectSettings): Promise<pg.Client> {
    const failures: string[] = []
    const { servers } = this.target
    for (let i = 0; i < servers.length; i++) {
      const index = (this.#preferred + i) % servers.length
      const server = servers[index] as ServerAddress
      try {
        const client = await this.#connectTo(server, settings)
        if (client === 'another') {
          const what = this.#options.wants === 'standby' ? 'no standby' : 'read-only'
          failures.push(`${server.host}:${server.port} is ${what}`)
          continue
        }
        this.#preferred = index
        return client
      } catch (cause) {
        const { code, message } = cause as { code?: string; message: string }
        if (code !== undefined && HOPELESS.has(code)) throw cause
        failures.push(`${server.host}:${server.port}: ${message || code}`)
      }
    }
    throw new PunctualError(
      'database_unavailable',
      `PostgreSQL cannot be reached: ${failures.join('; ')}.`,
    )
  }

  async #connectTo(
    server: ServerAddress,
    settings: ConnectSettings,
  ): Promise<pg.Client | 'another'> {
    const { user, password, database, parameters } = this.target
    const config = {
      host: server.host,
      port: server.port,
      user,
      password,
      database,
      ssl: sslFrom(parameters),
      application_name: this.#options.applicationName,
      connectionTimeoutMillis: this.#options.connectTimeoutMs ?? 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      ...(settings.parsed !== true && { types: asText }),
      pipeline: settings.pipeline === true,
      ...(settings.timeoutMs !== undefined && { query_timeout: settings.timeoutMs }),
    }
    const client = new pg.Client(config as unknown as pg.ClientConfig)
    // An error after connecting is reported by whoever is waiting; without a listener it ends the process.
    client.on('error', () => undefined)
    await client.connect()
    const { processID } = client as unknown as { processID: number | null }
    const query_timeout = config.connectionTimeoutMillis
    const query = { text: greeting(processID ?? 0), rowMode: 'array' as const, query_timeout }
    const answer = await client.query(query).catch((error) => {
      void client.end().catch(() => undefined)
      throw error
    })
    const isStandby = String(answer.rows[0]?.[0]).startsWith('t')
    const isWanted = isStandby === (this.#options.wants === 'standby')
    if (isWanted || this.target.servers.length === 1) return client
    await client.end()
    return 'another'
  }
}

function sslFrom(parameters: Readonly<Record<string, string>>): boolean | object | undefined {
  switch (parameters.sslmode) {
    case undefined:
    case 'disable':
    case 'prefer':
    case 'allow':
      return undefined
    case 'no-verify':
    case 'require':
      return { rejectUnauthorized: false }
    default:
      return { rejectUnauthorized: true }
  }
}

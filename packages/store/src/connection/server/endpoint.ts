/**
 * Finds the server that accepts writes, or a standby if one is wanted, and connects to it. Tries
 * several hosts in turn, first the one that worked last; leaves servers of the other kind alone.
 * Fails with `database_unavailable` naming each host and why, or at once for an error that no retry
 * can fix (wrong password, no such database).
 */
import { PunctualError } from '@punctual/core/errors'
import pg from 'pg'
import { type ConnectionTarget, parseConnectionUrl, type ServerAddress } from './connection-url.ts'

/** Every value comes back as text; callers convert what they need. */
const asText = { getTypeParser: () => (value: string) => value }

/**
 * How long the server keeps a lock or an open transaction of a client whose host is gone; the
 * server's default is two hours. It probes after `idle` seconds of silence, `count` times;
 * `tcp_user_timeout` applies while data is unacknowledged.
 */
const KEEPALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
}

/** Leaves a pooler's connections alone: another backend answers, and other clients share it. */
const greeting = (processId: number) => {
  const settings = Object.entries(KEEPALIVE).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  )
  const all = settings.join(' || ')
  return `select pg_is_in_recovery(), case when pg_backend_pid() = ${processId} then ${all} end`
}

const PERMANENT = new Set(['28P01', '28000', '3D000', '42501'])

export interface EndpointOptions {
  readonly url: string
  readonly applicationName: string
  readonly connectTimeoutMs?: number
  /** Which kind of server is wanted, among several hosts. @default 'primary' */
  readonly wants?: 'primary' | 'standby'
}

export interface ConnectSettings {
  /** Calls are sent without waiting for the answers of earlier calls. */
  readonly pipeline?: boolean
  /** Values come back as the driver's own types: for connections that are given to users. */
  readonly parsed?: boolean
  /** Limit for any statement, after which the connection is given up. @default none */
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

  /** Connects to a server of the wanted kind. The caller owns the client and listens for errors. */
  async connect(settings: ConnectSettings): Promise<pg.Client> {
    const failures: string[] = []
    const { servers } = this.target
    const inTurn = [...servers.slice(this.#preferred), ...servers.slice(0, this.#preferred)]
    for (const server of inTurn) {
      try {
        const client = await this.#connectTo(server, settings)
        if (client === 'another') {
          const what = this.#options.wants === 'standby' ? 'not a standby' : 'read-only'
          failures.push(`${server.host}:${server.port} is ${what}`)
          continue
        }
        this.#preferred = servers.indexOf(server)
        return client
      } catch (cause) {
        if (!(cause instanceof Error)) throw cause
        const code = 'code' in cause ? String(cause.code) : ''
        if (PERMANENT.has(code)) throw cause
        failures.push(`${server.host}:${server.port}: ${cause.message || code}`)
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
    const client = new pg.Client(config)
    // The pending call reports an error after connecting; without a listener it ends the process.
    client.on('error', () => undefined)
    await client.connect()
    const query_timeout = config.connectionTimeoutMillis
    const query = {
      text: greeting(client.processID ?? 0),
      rowMode: 'array' as const,
      query_timeout,
    }
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

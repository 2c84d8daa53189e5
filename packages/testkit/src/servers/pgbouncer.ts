import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startPrivateServer } from './private-server.ts'
import { requireServer } from './require-server.ts'

/** Not an upstream user: only the admin console knows it. */
const ADMIN_USER = 'admin'

export interface PgBouncerOptions {
  /** The server behind the pooler. Any of its databases can be reached. */
  readonly upstreamUrl: string
  readonly poolMode: 'session' | 'transaction' | 'statement'
  /** Additional `[pgbouncer]` settings; PgBouncer's defaults apply otherwise. */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface PgBouncer {
  /** The upstream URL with the pooler's address. */
  readonly url: string
  /** Runs one command of the admin console, such as `SHOW POOLS`. */
  admin(command: string): Promise<Record<string, unknown>[]>
  /** Kills the pooler and starts it on the same port: every connection breaks. */
  restart(): Promise<void>
  /** Holds new work back and waits until the transactions in progress have ended. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Kills the pooler and removes its directory. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts PgBouncer on a private port.
 *
 * Clients connect without a password and all reach the upstream as the user of `upstreamUrl`, so a
 * suite needs no list of users.
 */
export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { port, restart, stop } = await startPrivateServer({
    program: requireServer('pgbouncer').program('pgbouncer'),
    readyLine: /process up: PgBouncer/,
    async prepare({ port, directory }) {
      const file = join(directory, 'pgbouncer.ini')
      await writeFile(file, configuration(options, port))
      return [file]
    },
  })
  const admin = (command: string) => runAdminCommand(port, command)
  return {
    url: pooledUrl(options.upstreamUrl, port),
    admin,
    async pause() {
      await admin('PAUSE')
    },
    async resume() {
      await admin('RESUME')
    },
    restart,
    stop,
  }
}

function configuration(
  { upstreamUrl, poolMode, settings }: PgBouncerOptions,
  port: number,
): string {
  const upstream = new URL(upstreamUrl)
  const target = {
    host: hostOf(upstream),
    port: upstream.port === '' ? '5432' : upstream.port,
    user: decodeURIComponent(upstream.username),
    password: decodeURIComponent(upstream.password),
  }
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    admin_users: ADMIN_USER,
    pool_mode: poolMode,
    // By default clients wait 15 s after one login to the upstream was interrupted.
    server_login_retry: 0.1,
    ...settings,
  }
  return [
    '[databases]',
    `* = ${Object.entries(target).map(quotePair).join(' ')}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([key, value]) => `${key} = ${value}`),
    '',
  ].join('\n')
}

/** The host, or the socket directory when the URL says `?host=/directory`. */
function hostOf(upstream: URL): string {
  return upstream.searchParams.get('host') ?? decodeURIComponent(upstream.hostname)
}

function quotePair([key, value]: [string, string]): string {
  return `${key}='${value.replaceAll("'", "''")}'`
}

function pooledUrl(upstreamUrl: string, port: number): string {
  const url = new URL(upstreamUrl)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}

async function runAdminCommand(port: number, command: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: ADMIN_USER, database: 'pgbouncer' })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(command)
    return rows
  } finally {
    await client.end()
  }
}

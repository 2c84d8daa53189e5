/**
 * A real primary and a real synchronous standby that streams from it. The primary can be killed and
 * restarted with recovery. Alternatively the standby is promoted, and a new standby of it replaces
 * the old primary, so that another fail-over is possible.
 *
 * A fail-over happens only while the standby is in sync, as a careful failover tool requires: then
 * no confirmed commit is lost.
 */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@punctual/store'
import pg from 'pg'
import { eventually } from '../../gate.ts'
import { freePort } from '../../servers/free-port.ts'
import { copyCluster } from './base-backup.ts'

const SETTINGS = {
  shared_buffers: '64MB',
  max_connections: '110',
  wal_keep_size: '512MB',
  // A client that vanished behind a cut network must not hold its locks for hours.
  tcp_keepalives_idle: '5',
  wal_retrieve_retry_interval: '500ms',
  autovacuum_naptime: '60s',
}
const READY_MS = 60_000

export class Cluster {
  readonly #root: string
  readonly ports: readonly [number, number]
  readonly #servers: [EmbeddedServer | null, EmbeddedServer | null] = [null, null]
  #primary: 0 | 1 = 0
  #generation = 0

  private constructor(root: string, ports: readonly [number, number]) {
    this.#root = root
    this.ports = ports
  }

  static async start(root: string): Promise<Cluster> {
    const cluster = new Cluster(root, [await freePort(), await freePort()])
    cluster.#servers[0] = await startEmbedded({
      dataDir: cluster.#directory(0),
      port: cluster.ports[0],
      fastInit: true,
      settings: SETTINGS,
    })
    await cluster.addStandby()
    return cluster
  }

  #directory(index: 0 | 1): string {
    return join(this.#root, `server-${index}`)
  }

  get primaryPort(): number {
    return this.ports[this.#primary]
  }

  /** The URL of the primary, without a proxy. */
  get url(): string {
    return (this.#server(this.#primary) as EmbeddedServer).url
  }

  #server(index: 0 | 1): EmbeddedServer | null {
    return this.#servers[index]
  }

  /** The URL with other addresses, in the order in which clients try them. */
  urlThrough(ports: readonly number[]): string {
    const url = new URL(this.url)
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    return `postgres://${url.username}:${url.password}@${hosts}${url.pathname}`
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Creates a standby of the primary in the free place, and waits until commits wait for it. */
  async addStandby(): Promise<void> {
    const [from, to] = this.#primary === 0 ? ([0, 1] as const) : ([1, 0] as const)
    await rm(this.#directory(to), { recursive: true, force: true })
    await mkdir(this.#directory(to), { mode: 0o700 })
    const [source, target] = [this.#directory(from), this.#directory(to)]
    await cp(join(source, 'password'), join(target, 'password'))
    await copyCluster(this.url, join(source, 'cluster'), join(target, 'cluster'))
    const { username, password, port } = new URL(this.url)
    const address = `host=127.0.0.1 port=${port} user=${username} password=${password}`
    const name = `application_name=standby${++this.#generation}`
    this.#servers[to] = await startEmbedded({
      dataDir: target,
      port: this.ports[to],
      settings: {
        ...SETTINGS,
        primary_conninfo: `${address} ${name}`,
      },
    })
    await this.query(`alter system set synchronous_standby_names = '*'`)
    await this.query('select pg_reload_conf()')
    await this.inStep()
  }

  /** Resolves when the standby has everything and every commit waits for it. */
  async inStep(): Promise<void> {
    const look = async () => {
      const rows = await this.query(
        `select 1 from pg_stat_replication
         where state = 'streaming' and sync_state in ('sync', 'quorum')`,
      ).catch(() => [])
      return rows.length > 0
    }
    await eventually('the standby is in sync', look, READY_MS)
  }

  /** Kills the primary's postmaster; it is restarted on the same port and recovers. */
  async killPrimary(): Promise<void> {
    const server = this.#server(this.#primary)
    const before = server?.pid
    if (before !== undefined) process.kill(before, 'SIGKILL')
    await eventually(
      'the primary has recovered',
      async () => {
        if (server?.pid === before) return false
        return this.query('select 1').then(
          () => true,
          () => false,
        )
      },
      READY_MS,
    )
  }

  /** Kills the standby's postmaster; commits wait until it is back and in sync. */
  async killStandby(): Promise<void> {
    const server = this.#server(this.#primary === 0 ? 1 : 0)
    const before = server?.pid
    if (before === undefined) return
    process.kill(before, 'SIGKILL')
    const isBack = () => server?.pid !== undefined && server.pid !== before
    await eventually('the standby is back', isBack, READY_MS)
    await this.inStep()
  }

  /** Kills the primary permanently and promotes the standby. */
  async failOver(): Promise<void> {
    await this.inStep()
    const [old, next] = this.#primary === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const server = this.#server(old)
    if (server?.pid !== undefined) process.kill(server.pid, 'SIGKILL')
    await server?.stop()
    this.#servers[old] = null
    this.#primary = next
    // Without a standby, no commit may wait for one.
    await this.query('select pg_promote(true, 60)')
    await this.query('alter system reset synchronous_standby_names')
    await this.query('select pg_reload_conf()')
  }

  /** Stops the primary; `bringBack` restarts it. Nothing answers in between. */
  async takeAway(): Promise<() => Promise<void>> {
    const place = this.#primary
    const server = this.#server(place)
    if (server?.pid !== undefined) process.kill(server.pid, 'SIGKILL')
    await server?.stop()
    return async () => {
      this.#servers[place] = await startEmbedded({
        dataDir: this.#directory(place),
        port: this.ports[place],
        settings: SETTINGS,
      })
    }
  }

  async stop(): Promise<void> {
    const [first, second] = this.#servers
    await Promise.all([first?.stop(), second?.stop()])
  }
}

/** A durable primary and a standby of it: two real servers on one machine. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@punctual/store'
import pg from 'pg'

const settings = { shared_buffers: '32MB', max_connections: '100' }

export class StandbyPair {
  readonly primary: EmbeddedServer
  readonly #root: string
  #standby: EmbeddedServer | null = null

  private constructor(root: string, primary: EmbeddedServer) {
    this.#root = root
    this.primary = primary
  }

  static async start(): Promise<StandbyPair> {
    const root = await mkdtemp(join(tmpdir(), 'punctual-pair-'))
    const [a, b] = [join(root, 'a'), join(root, 'b')]
    const first = await startEmbedded({ dataDir: a, fastInit: true, settings })
    await first.stop()
    await cp(a, b, { recursive: true, preserveTimestamps: true })
    await rm(join(b, 'port'))
    await writeFile(join(b, 'cluster', 'standby.signal'), '')
    return new StandbyPair(root, await startEmbedded({ dataDir: a, settings, restart: false }))
  }

  /** The standby, with the application name `second`; started at the first call. */
  async standby(): Promise<EmbeddedServer> {
    const { username, password, port } = new URL(this.primary.url)
    const conninfo = {
      host: '127.0.0.1',
      port,
      user: username,
      password,
      application_name: 'second',
    }
    const pairs = Object.entries(conninfo).map((pair) => pair.join('='))
    this.#standby ??= await startEmbedded({
      dataDir: join(this.#root, 'b'),
      settings: { ...settings, primary_conninfo: pairs.join(' ') },
      restart: false,
    })
    return this.#standby
  }

  async stopStandby(): Promise<void> {
    await this.#standby?.stop()
    this.#standby = null
  }

  /** Sets which standbys commits wait for. */
  async setSynchronous(names: string): Promise<void> {
    await query(this.primary.url, `alter system set synchronous_standby_names = '${names}'`)
    await query(this.primary.url, 'select pg_reload_conf()')
  }

  /** Crashes the primary, does the work, and then promotes the standby. */
  async failOver(meanwhile: () => Promise<void>): Promise<void> {
    if (this.primary.pid !== undefined) process.kill(this.primary.pid, 'SIGQUIT')
    await this.primary.exited
    await meanwhile()
    await query((await this.standby()).url, 'select pg_promote()')
  }

  /** One URL that names both servers. */
  async url(): Promise<string> {
    const [a, b] = [new URL(this.primary.url), new URL((await this.standby()).url)]
    return this.primary.url.replace(a.host, `${a.host},${b.host}`)
  }

  async stop(): Promise<void> {
    await this.stopStandby()
    await this.primary.stop()
    await rm(this.#root, { recursive: true, force: true })
  }
}

export async function query(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/**
 * A PostgreSQL, two nodes with all roles and a worker that serves all tenants, each with a role of its
 * own in the database, so that the connections of each can be counted.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startThrowawayServer, type TestServer } from '../../postgres/throwaway-server.ts'
import { freePort } from '../../servers/free-port.ts'
import { runOnce } from '../fleet/run-once.ts'
import type { ChildSettings } from '../plan/child-settings.ts'
import { LEASE_MS, sizes } from './plan/sizes.ts'
import type { Keys } from './plan/tenants.ts'
import { Program } from './program.ts'

const PASSWORD = 'profile'

export class Installation {
  readonly root: string
  readonly #server: TestServer
  /** The folder of the children of the campaign: of the product, or of a mutant of it. */
  readonly #programs: string
  readonly #running: Program[] = []
  readonly #endNow = () => {
    for (const program of this.#running) program.killNow()
    rmSync(this.root, { recursive: true, force: true })
  }
  servers: readonly string[] = []

  private constructor(root: string, server: TestServer, programs: string) {
    this.root = root
    this.#server = server
    this.#programs = programs
    process.once('exit', this.#endNow)
  }

  static async start(programs: string): Promise<Installation> {
    const root = await mkdtemp(join(tmpdir(), `punctual-hostile-${process.pid}-`))
    return new Installation(root, await startThrowawayServer(18), programs)
  }

  /** A connection of the profile itself, which belongs to no process of the product. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#server.url })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  async declare(): Promise<Keys> {
    const { jobs, keys, payloads } = sizes
    const keysOf = await runOnce<Keys>(this.#file('declare'), {
      ...this.#settings('declare', { jobs, keys, payloads }),
      databaseUrl: this.#server.url,
    })
    if (keysOf === null) throw new Error(`The tenants were not declared; see ${this.root}.`)
    return keysOf
  }

  async startNodes(count: number): Promise<readonly Program[]> {
    const file = join(this.#programs, 'node.js')
    const nodes = Array.from({ length: count }, async (_, i) => {
      const port = await freePort()
      const name = `node-${i + 1}`
      const databaseUrl = await this.#urlOf(name)
      const environment = {
        PUNCTUAL_ROLES: 'api,planner,worker,reaper,janitor,auditor',
        PUNCTUAL_TENANT_HTTP_RATE: String(sizes.tenantHttpRate),
        PUNCTUAL_HTTP_RATE: String(sizes.tenantHttpRate),
        PUNCTUAL_PLAN_AHEAD_MS: '10000',
      }
      const settings = { ...this.#settings(name, { environment }), databaseUrl, port }
      const node = await this.#add(Program.start(file, settings))
      return { node, url: `http://127.0.0.1:${port}` }
    })
    const started = await Promise.all(nodes)
    this.servers = started.map(({ url }) => url)
    return started.map(({ node }) => node)
  }

  /** Starts one of the programs of the profile, with a role of the database if it needs one. */
  async startProgram(
    program: string,
    name: string,
    more: Record<string, unknown> = {},
    given: Partial<ChildSettings> & { readonly database?: boolean } = {},
  ): Promise<Program> {
    const { database = false, ...settings } = given
    const databaseUrl = database ? await this.#urlOf(name) : ''
    const base = { ...this.#settings(name, more), servers: this.servers, databaseUrl }
    return this.#add(Program.start(this.#file(program), { ...base, ...settings }))
  }

  #file(program: string): string {
    return join(this.#programs, '..', 'hostile-tenant', 'children', `${program}.js`)
  }

  #settings(name: string, more: Record<string, unknown>): ChildSettings {
    const leaseMs = LEASE_MS
    return { ...{ name, databaseUrl: '', directory: this.root, leaseMs, seed: 0, more } }
  }

  async #add(starting: Promise<Program>): Promise<Program> {
    const program = await starting
    this.#running.push(program)
    return program
  }

  /** Creates a role that may do what the owner may, and returns the URL with it. */
  async #urlOf(name: string): Promise<string> {
    const client = await this.connect()
    await client.query(`create role "${name}" superuser login password '${PASSWORD}'`)
    await client.end()
    const url = new URL(this.#server.url)
    url.username = name
    url.password = PASSWORD
    return url.href
  }

  /** Stops the programs in reverse order: clients before their nodes. */
  async stop(): Promise<void> {
    for (const program of this.#running.reverse()) await program.stop()
    await this.#server.stop()
    process.off('exit', this.#endNow)
    await rm(this.root, { recursive: true, force: true })
  }
}

/**
 * Everything that faults can touch, and the list of faults that happened. Started in order and
 * stopped in reverse order, also when starting fails half-way.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Target, TcpProxy } from '../../net/tcp-proxy.ts'
import { findProgram } from '../../servers/find-program.ts'
import { freePort } from '../../servers/free-port.ts'
import { type PgBouncer, startPgBouncer } from '../../servers/pgbouncer.ts'
import { Cluster } from '../db/cluster.ts'
import type { Part, Sizes } from '../fleet/child.ts'
import { Fleet, type Route } from '../fleet/fleet.ts'
import type { Fault } from '../plan/evidence.ts'
import { monotonicMs } from '../plan/ledger.ts'

export interface WorldOptions {
  readonly programs: string
  readonly seed: number
  readonly leaseMs: number
  readonly sizes: Sizes
  /** The children that reach the primary through PgBouncer. */
  readonly pooled: readonly string[]
  readonly keep: boolean
}

const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 4 * 1024 ** 3

/** In memory if there is enough: the campaign tests crashes of processes, not of a disk. */
async function makeRoot(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => null)
  const roomy = memory !== null && memory.bavail * memory.bsize > MEMORY_BYTES_MIN
  return mkdtemp(join(roomy ? MEMORY : tmpdir(), `punctual-chaos-${process.pid}-`))
}

export class World {
  readonly faults: Fault[] = []
  readonly root: string
  readonly cluster: Cluster
  readonly options: WorldOptions
  readonly #more: Record<string, unknown> = {}
  readonly #delay = monitorEventLoopDelay({ resolution: 20 })
  readonly #endNow = () => {
    this.fleet.killNow()
    if (!this.options.keep) rmSync(this.root, { recursive: true, force: true })
  }
  fleet: Fleet = new Fleet()
  pgbouncer: PgBouncer | null = null
  #primary: TcpProxy | null = null

  private constructor(root: string, cluster: Cluster, options: WorldOptions) {
    this.root = root
    this.cluster = cluster
    this.options = options
  }

  static async start(options: WorldOptions): Promise<World> {
    const root = await makeRoot()
    const world = new World(root, await Cluster.start(join(root, 'db')), options)
    world.#delay.enable()
    // However this process ends, none of its children remains.
    process.once('exit', world.#endNow)
    try {
      await world.#addPooler()
      await world.#addFleet()
      return world
    } catch (error) {
      await world.stop()
      throw error
    }
  }

  /** PgBouncer has one upstream: the address of a proxy that leads to the current primary. */
  async #addPooler(): Promise<void> {
    if (this.options.pooled.length === 0 || findProgram('pgbouncer') === undefined) return
    this.#primary = await TcpProxy.start([() => this.cluster.primaryPort])
    this.pgbouncer = await startPgBouncer({
      upstreamUrl: this.cluster.urlThrough(this.#primary.ports),
      poolMode: 'transaction',
      settings: { default_pool_size: 15, server_tls_sslmode: 'disable' },
    })
  }

  async #addFleet(): Promise<void> {
    const { programs, sizes, seed, leaseMs } = this.options
    const nodePorts: number[] = []
    while (nodePorts.length < (sizes.node ?? 0)) nodePorts.push(await freePort())
    this.fleet = await Fleet.make({
      ...{ programs, sizes, nodePorts },
      settings: { directory: this.root, leaseMs, seed, more: this.#more },
      route: (part, name) => this.#routeOf(part, name, nodePorts),
    })
  }

  /**
   * Remote workers use nodes and no database, submitters use both, all others the database only.
   */
  #routeOf(part: Part, name: string, nodePorts: readonly number[]): Route {
    const { cluster, pgbouncer } = this
    const isPooled = pgbouncer && this.options.pooled.includes(name)
    const ports = isPooled ? [Number(new URL(pgbouncer.url).port)] : cluster.ports
    const to = (all: readonly number[]): Target[] => all.map((port) => () => port)
    return {
      targets: part === 'remote' ? [] : to(ports),
      url: (given) => cluster.urlThrough(given),
      nodes: part === 'remote' || part === 'submitter' ? to(nodePorts) : [],
    }
  }

  /** Records a fault for the duration of the work. */
  async fault<T>(
    kind: string,
    target: { readonly name: string; readonly pid?: number | undefined },
    work: (fault: Fault) => Promise<T>,
  ): Promise<T> {
    const pid = target.pid ?? null
    const fault: Fault = {
      ...{ kind, target: target.name, pid, fromMs: monotonicMs(), untilMs: null, note: '' },
    }
    this.faults.push(fault)
    try {
      return await work(fault)
    } finally {
      fault.untilMs = monotonicMs()
    }
  }

  /**
   * The longest time for which this process did not serve its proxies: children are not to blame
   * for being silent that long.
   */
  get heldUpMs(): number {
    return Math.round(this.#delay.max / 1e6)
  }

  /** Adds settings for children that start from now on. */
  tell(more: Readonly<Record<string, unknown>>): void {
    Object.assign(this.#more, more)
  }

  async stop(): Promise<void> {
    this.#delay.disable()
    await this.fleet.stop()
    await this.pgbouncer?.stop()
    await this.#primary?.close()
    await this.cluster.stop()
    process.off('exit', this.#endNow)
    if (!this.options.keep) await rm(this.root, { recursive: true, force: true })
  }
}

/** The product processes of the campaign, each behind its own proxy. */

import { type Target, TcpProxy } from '../../net/tcp-proxy.ts'
import type { ChildSettings } from '../plan/child-settings.ts'
import type { SeededRandom } from '../plan/seeded-random.ts'
import { Child, type Part, parts, type Sizes } from './child.ts'

export interface FleetOptions {
  /** The folder of the children's compiled programs: of the product, or of a mutant of it. */
  readonly programs: string
  readonly sizes: Sizes
  readonly route: (part: Part, name: string) => Route
  /** The ports of the API nodes, one for each node. */
  readonly nodePorts: readonly number[]
  readonly settings: Pick<ChildSettings, 'directory' | 'leaseMs' | 'seed' | 'more'>
}

/** How a child reaches the servers: the child's proxy has a listener for each address. */
export interface Route {
  readonly targets: readonly Target[]
  readonly url: (ports: readonly number[]) => string
  /** The API nodes that it calls. */
  readonly nodes: readonly Target[]
}

export class Fleet {
  readonly children: Child[] = []

  static async make(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet()
    for (const part of parts)
      for (let i = 1; i <= (options.sizes[part] ?? 0); i++) {
        const name = `${part}-${i}`
        const { targets, url, nodes } = options.route(part, name)
        const proxy = await TcpProxy.start(targets, nodes)
        const settings = {
          ...{ ...options.settings, name },
          databaseUrl: targets.length > 0 ? url(proxy.ports) : '',
          servers: proxy.httpPorts.map((port) => `http://127.0.0.1:${port}`),
          port: part === 'node' ? options.nodePorts[i - 1] : undefined,
        }
        const program = `${options.programs}/${part}.js`
        fleet.children.push(new Child({ part, program, settings, proxy }))
      }
    return fleet
  }

  childrenOf(part: Part): Child[] {
    return this.children.filter((child) => child.part === part)
  }

  get(name: string): Child {
    const found = this.children.find((child) => child.name === name)
    if (!found) throw new Error(`Unknown child ${name}.`)
    return found
  }

  /** Picks a child without a fault, of the wanted parts if possible. */
  pick(random: SeededRandom, wanted: readonly Part[] = parts): Child {
    const free = this.children.filter((child) => !child.busy)
    const fitting = free.filter((child) => wanted.includes(child.part))
    return random.pick(fitting.length > 0 ? fitting : free)
  }

  async start(part?: Part): Promise<void> {
    await Promise.all((part ? this.childrenOf(part) : this.children).map((child) => child.start()))
  }

  async stop(): Promise<void> {
    // Nodes stop last: their clients cannot stop in order without them.
    const others = this.children.filter((child) => child.part !== 'node')
    for (const children of [others, this.childrenOf('node')])
      await Promise.all(children.map((child) => child.end(8_000)))
    await Promise.all(this.children.map((child) => child.options.proxy.close()))
  }

  killNow(): void {
    for (const child of this.children) child.signal('SIGKILL')
  }
}

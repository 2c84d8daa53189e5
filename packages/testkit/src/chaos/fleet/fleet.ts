/** The processes of the product that the campaign runs, each behind a proxy of its own. */

import { type Target, TcpProxy } from '../net/tcp-proxy.ts'
import type { ChildSettings } from '../plan/child-settings.ts'
import type { SeededRandom } from '../plan/seeded-random.ts'
import { Child, type Part, parts, type Sizes } from './child.ts'

export interface FleetOptions {
  /** Where the compiled programs of the children are: of the product, or of a mutant of it. */
  readonly programs: string
  readonly sizes: Sizes
  readonly route: (part: Part, name: string) => Route
  /** Where API nodes listen: one for each of them. */
  readonly nodePorts: readonly number[]
  readonly settings: Pick<ChildSettings, 'directory' | 'leaseMs' | 'seed' | 'more'>
}

/** How a child reaches the servers: every address gets a listener of the child's proxy. */
export interface Route {
  readonly targets: readonly Target[]
  readonly url: (ports: readonly number[]) => string
  /** API nodes that it asks. */
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

  of(part: Part): Child[] {
    return this.children.filter((child) => child.part === part)
  }

  get(name: string): Child {
    const found = this.children.find((child) => child.name === name)
    if (!found) throw new Error(`There is no child ${name}.`)
    return found
  }

  /** One that no fault has at the moment, of these parts if there is one. */
  pick(random: SeededRandom, wanted: readonly Part[] = parts): Child {
    const free = this.children.filter((child) => !child.busy)
    const fitting = free.filter((child) => wanted.includes(child.part))
    return random.pick(fitting.length > 0 ? fitting : free)
  }

  async start(part?: Part): Promise<void> {
    await Promise.all((part ? this.of(part) : this.children).map((child) => child.start()))
  }

  async stop(): Promise<void> {
    // Nodes go last: those that ask them cannot end in order without them.
    const others = this.children.filter((child) => child.part !== 'node')
    for (const children of [others, this.of('node')])
      await Promise.all(children.map((child) => child.end(8_000)))
    await Promise.all(this.children.map((child) => child.options.proxy.close()))
  }

  killNow(): void {
    for (const child of this.children) child.signal('SIGKILL')
  }
}

/** The processes of the product that the campaign runs, each behind a proxy of its own. */
import type { ChildSettings } from '../children/child-settings.ts'
import { type Target, TcpProxy } from '../net/tcp-proxy.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { Child, type Part } from './child.ts'

export interface FleetOptions {
  /** Where the compiled programs of the children are: of the product, or of a mutant of it. */
  readonly programs: string
  readonly sizes: Readonly<Record<Part, number>>
  /** How a child reaches the servers: every address gets a listener of the child's proxy. */
  readonly route: (name: string) => {
    readonly targets: readonly Target[]
    readonly url: (ports: readonly number[]) => string
  }
  readonly settings: Omit<ChildSettings, 'name' | 'databaseUrl'>
}

export class Fleet {
  readonly children: Child[] = []

  static async make(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet()
    for (const part of ['planner', 'worker', 'submitter'] as const)
      for (let i = 1; i <= options.sizes[part]; i++) {
        const name = `${part}-${i}`
        const { targets, url } = options.route(name)
        const proxy = await TcpProxy.start(targets)
        const settings = { ...options.settings, name, databaseUrl: url(proxy.ports) }
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

  /** One that no fault has at the moment. */
  pick(random: SeededRandom, parts: readonly Part[] = ['planner', 'worker', 'submitter']): Child {
    const free = this.children.filter((child) => parts.includes(child.part) && !child.busy)
    return random.pick(free)
  }

  async start(part?: Part): Promise<void> {
    await Promise.all((part ? this.of(part) : this.children).map((child) => child.start()))
  }

  async stop(): Promise<void> {
    await Promise.all(this.children.map((child) => child.end(8_000)))
    await Promise.all(this.children.map((child) => child.options.proxy.close()))
  }

  killNow(): void {
    for (const child of this.children) child.signal('SIGKILL')
  }
}

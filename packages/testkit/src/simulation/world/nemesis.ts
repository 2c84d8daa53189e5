/** Injects world faults: which of the seed's faults, when, and for how long. */

import type { Watch } from '../judges/watch.ts'
import type { Chance } from './chance.ts'
import type { Server } from './fault-line.ts'
import { type CallFault, callFaults, type WorldFault, worldFaults } from './faults.ts'
import type { Settings } from './settings.ts'
import type { SimNode } from './sim-node.ts'
import type { Timeline } from './timeline.ts'

/** How long a process stays alive after it has stopped. */
const LINGERS_MS = 20_000

export interface NemesisOptions {
  readonly timeline: Timeline
  readonly server: Server
  readonly settings: Settings
  readonly chance: Chance
  readonly watch: Watch
  readonly untilMs: number
  readonly nodes: () => readonly SimNode[]
  /** Starts a new node after the delay. */
  readonly comeBack: (inMs: number) => void
  readonly note: (line: string) => void
}

export class Nemesis {
  readonly #options: NemesisOptions
  readonly #calls: readonly CallFault[]
  readonly #world: readonly WorldFault[]
  /** The error of the database's clock. */
  databaseSkewMs = 0
  hintsLostUntilMs = Number.NEGATIVE_INFINITY
  over = false
  /** How often each fault has happened. */
  readonly counts = new Map<string, number>()

  constructor(options: NemesisOptions) {
    this.#options = options
    const { enabled } = options.settings.faults
    this.#calls = callFaults.filter((fault) => enabled.has(fault))
    this.#world = worldFaults.filter((fault) => enabled.has(fault))
  }

  /**
   * Stops all faults and corrects the clocks: a planner that distrusts the database's clock waits.
   */
  end(): void {
    this.over = true
    this.databaseSkewMs = 0
    for (const node of this.#options.nodes()) node.clock.skewMs = 0
  }

  start(): void {
    if (this.#world.length > 0) this.#later()
  }

  #later(): void {
    const { timeline, chance, settings } = this.#options
    timeline.after(2 * settings.faults.everyMs * chance.fraction(), null, () => {
      if (this.over) return
      this.#strike(chance.pick(this.#world))
      this.#later()
    })
  }

  /** Decides the fault of a call. */
  readonly callFault = (chance: Chance): CallFault | null => {
    if (this.over || this.#calls.length === 0) return null
    if (chance.fraction() * 100 >= this.#options.settings.faults.callPercent) return null
    const fault = chance.pick(this.#calls)
    this.#count(fault)
    return fault
  }

  #count(fault: string): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1)
  }

  #strike(fault: WorldFault): void {
    const { chance, settings, note } = this.#options
    note(`fault ${fault}`)
    this.#count(fault)
    switch (fault) {
      case 'crash':
        this.#onNode((node) => this.crash(node))
        break
      case 'stop':
        this.#onNode((node) => this.#stop(node))
        break
      case 'pause':
        this.#onNode((node) => this.#pause(node, chance.int(0, 3 * settings.leaseMs)))
        break
      case 'stepNode':
        this.#onNode((node) => {
          node.clock.skewMs += chance.int(-120_000, 120_000)
        })
        break
      case 'stepDatabase':
        this.databaseSkewMs += chance.int(-30_000, 30_000)
        this.#options.watch.clockWasSet = true
        break
      case 'loseHints':
        this.hintsLostUntilMs = this.#options.timeline.nowMs + chance.int(1_000, 20_000)
        break
      default:
        this.#strikeServer(fault)
    }
  }

  #strikeServer(fault: WorldFault): void {
    const { server, chance, watch, settings } = this.#options
    const away = () => this.#away(chance.int(100, 3 * settings.leaseMs))
    server.generation++
    if (fault === 'outage') away()
    else if (fault === 'readOnly') this.#readOnly(chance.int(100, 10_000))
    else if (fault === 'restart') server.db.incarnation++
    else if (fault === 'failOver') {
      server.db.failOver(0)
      away()
    } else {
      watch.lost(server.db.failOver(chance.int(1, 8)))
      away()
    }
  }

  #away(ms: number): void {
    const { server, timeline } = this.#options
    server.up = false
    timeline.after(ms, null, () => {
      server.up = true
    })
  }

  #readOnly(ms: number): void {
    const { server, timeline } = this.#options
    server.db.readOnly = true
    timeline.after(ms, null, () => {
      server.db.readOnly = false
    })
  }

  #onNode(act: (node: SimNode) => void): void {
    const nodes = this.#options.nodes().filter((node) => node.alive)
    if (nodes.length > 0) act(this.#options.chance.pick(nodes))
  }

  crash(node: SimNode): void {
    if (!node.alive) return
    this.#options.note(`${node.name} dies`)
    node.crash()
    this.#options.comeBack(this.#options.chance.int(0, 5_000))
  }

  #pause(node: SimNode, ms: number): void {
    node.pausedUntilMs = Math.max(node.pausedUntilMs, this.#options.timeline.nowMs + ms)
  }

  #stop(node: SimNode): void {
    if (node.stopping) return
    void node.stop().then(() => {
      if (!node.alive) return
      this.#options.note(`${node.name} has stopped`)
      node.stopped = true
      // Its process stays alive for a while: nothing in it may continue.
      this.#options.timeline.after(LINGERS_MS, null, () => this.crash(node))
    })
  }
}

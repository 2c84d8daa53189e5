/**
 * A process of the product on its own machine: the real worker and the real roles, on stores in
 * memory.
 */
import { defaults } from '@punctual/core/errors'
import type { Settlement } from '@punctual/core/ports'
import { RunIdSource } from '@punctual/core/run'
import {
  Attendant,
  Auditor,
  Planner,
  Promoter,
  RateKeeper,
  Reaper,
  type Role,
  RoleLoop,
} from '@punctual/engine'
import {
  type Hints,
  insertSlots,
  type Line,
  MemoryAuditStore,
  MemoryAwaitingRuns,
  MemoryPlanStore,
  MemoryUpkeepStore,
  MemoryWorkStore,
} from '@punctual/store/memory'
import { Worker, type WorkerHint } from '@punctual/worker'
import type { Ledger } from '../judges/ledger.ts'
import type { Chance } from './chance.ts'
import type { Server } from './fault-line.ts'
import { type Behaviour, HANDLER, handlersOf } from './handlers.ts'
import { MachineClock } from './machine-clock.ts'
import type { Settings } from './settings.ts'
import { SimHeartbeat } from './sim-heartbeat.ts'
import type { Machine, Timeline } from './timeline.ts'
import { transactionsOf } from './transactions.ts'
import type { WiringMutants } from './wiring-mutants.ts'

export interface SimNodeOptions {
  readonly name: string
  readonly timeline: Timeline
  readonly server: Server
  readonly settings: Settings
  readonly chance: Chance
  readonly ledger: Ledger
  readonly hints: Hints
  readonly skewMs: number
  /** The rate of the machine's own time. */
  readonly rate: number
  /** Each purpose has a separate connection. */
  readonly lineFor: (machine: Machine) => Line
  readonly onHint: (machine: Machine, listener: (hint: WorkerHint) => void) => () => void
  readonly onKill: (node: SimNode) => void
  readonly onSent: (runId: string, attempt: number, behaviour: Behaviour) => void
  readonly wiring: WiringMutants
}

const DRAIN_MS = 5_000

export class SimNode implements Machine {
  readonly name: string
  readonly clock: MachineClock
  alive = true
  stopped = false
  pausedUntilMs = Number.NEGATIVE_INFINITY
  readonly worker: Worker
  readonly #options: SimNodeOptions
  readonly #loops: RoleLoop[]
  #stopping = false

  constructor(options: SimNodeOptions) {
    this.#options = options
    this.name = options.name
    const { timeline, server, settings, chance, lineFor, hints, ledger } = options
    this.clock = new MachineClock(timeline, this, options.skewMs, options.rate)
    const { clock } = this
    const store = { db: server.db, clock, horizonMs: settings.horizonMs, hints }
    const work = new MemoryWorkStore({ ...store, line: lineFor(this) })
    const heart = new MemoryWorkStore({ ...store, line: lineFor(this) })
    const nowMs = () => timeline.nowMs
    const onKill = () => options.onKill(this)
    this.worker = new Worker({
      ...{
        store: options.wiring.worker(work),
        clock,
        random: chance,
        heartbeat: new SimHeartbeat(heart, clock),
      },
      transaction: transactionsOf({ ...store, line: lineFor(this) }, work),
      onHint: (listener) => options.onHint(this, listener),
      hintsArrive: () => settings.hints,
      fewLanes: settings.fewLanes,
      handlers: handlersOf({
        ...{ machine: this, clock, db: server.db, ledger, nowMs, onKill },
        onSent: options.onSent,
      }),
      ...{ queues: [], concurrency: settings.concurrency, queueConcurrency: {} },
      ...{ leaseMs: settings.leaseMs, outputBytes: 1_000, host: this.name, pid: 1, version: '0' },
      ...{ labels: { handler: HANDLER }, events: { onSettled: this.#settled } },
    })
    const roles = this.#roles(work, lineFor(this))
    this.#loops = roles.map((role) => new RoleLoop(role, clock))
  }

  readonly #settled = (settlement: Settlement, accepted: boolean): void => {
    if (this.alive) this.#options.ledger.tell(settlement, accepted)
  }

  #roles(work: MemoryWorkStore, line: Line): Role[] {
    const { server, settings, chance, hints, wiring } = this.#options
    const { clock } = this
    const options = { db: server.db, line, clock, horizonMs: settings.horizonMs, hints }
    const upkeep = new MemoryUpkeepStore(options, work)
    const { leaseMs, horizonMs, batch, race, planAheadMs } = settings
    const ids = new RunIdSource(chance.fork('slot ids'))
    const plan = new MemoryPlanStore({
      ...{ ...options, race },
      record: (plans) => insertSlots(server.db, plans, (timeMs) => ids.next(timeMs)),
    })
    const { crashesUntilQuarantine, plannerTtlMs } = defaults
    const hintsArrive = () => settings.hints
    return [
      wiring.reaper?.(upkeep) ??
        new Reaper({ store: upkeep, clock, leaseMs, crashesUntilQuarantine }),
      new Promoter({ store: upkeep, horizonMs, batch }),
      new Attendant({ store: new MemoryAwaitingRuns(options, work), batch }),
      new RateKeeper({ store: upkeep }),
      new Planner({
        ...{ store: plan, clock, id: chance.token(), aheadMs: planAheadMs, ttlMs: plannerTtlMs },
        ...{ hintsArrive, batch },
      }),
      new Auditor({
        ...{ store: new MemoryAuditStore(options, work), clock, pageSize: batch },
        onAudited: ({ findings }) => this.alive && this.#options.ledger.findings.push(...findings),
      }),
    ]
  }

  start(): void {
    this.worker.start()
    for (const loop of this.#loops) loop.start()
  }

  /** Wakes the planner: jobs may have changed. */
  jobsChanged(): void {
    for (const loop of this.#loops) loop.wake()
  }

  /** Loses the node's memory; calls already sent may still arrive. */
  crash(): void {
    this.alive = false
  }

  get stopping(): boolean {
    return this.#stopping
  }

  /** Whether the node holds nothing that others wait for. */
  get isIdle(): boolean {
    return this.worker.held === 0
  }

  /** Resolves when the node has drained. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([this.worker.stop(DRAIN_MS), ...this.#loops.map((loop) => loop.stop())])
  }
}

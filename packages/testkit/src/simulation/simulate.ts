/**
 * One seed: several nodes with the real worker and the real roles on one thread and virtual time,
 * on a store in memory that fails as the seed decides. Faults stop after a while; then every run
 * has to end, and the result is judged.
 */
import { defaults } from '@punctual/core/errors'
import {
  internLane,
  type Line,
  MemoryAwaitingRuns,
  MemoryClient,
  MemoryDatabase,
  type MemoryStoreOptions,
  MemoryWorkStore,
  type StoreMutant,
} from '@punctual/store/memory'
import type { WorkerHint } from '@punctual/worker'
import { isQuiet, judge } from './judges/judge.ts'
import { Ledger } from './judges/ledger.ts'
import { type Violation, Watch } from './judges/watch.ts'
import { Chance } from './world/chance.ts'
import { FaultLine, type Server } from './world/fault-line.ts'
import { callFaults, type Fault } from './world/faults.ts'
import { HANDLER } from './world/handlers.ts'
import { HintBoard } from './world/hint-board.ts'
import { PRIORITIES } from './world/inputs.ts'
import { MachineClock } from './world/machine-clock.ts'
import { Nemesis } from './world/nemesis.ts'
import { type Settings, settingsOf } from './world/settings.ts'
import { SimNode } from './world/sim-node.ts'
import { Targets } from './world/targets.ts'
import { type Machine, Timeline } from './world/timeline.ts'
import { Trace } from './world/trace.ts'
import { noWiringMutants, type WiringMutants } from './world/wiring-mutants.ts'
import { Workload } from './world/workload.ts'

export interface SimulationOptions {
  readonly seed: number
  /** The minimum number of events before faults stop. @default 500 */
  readonly events?: number
  /** Changes the settings of the seed, to find out what a failure needs. */
  readonly change?: (settings: Settings) => Settings
  readonly mutants?: ReadonlySet<StoreMutant>
  readonly wiring?: WiringMutants
}

export interface SimulationResult {
  readonly seed: number
  readonly hash: string
  readonly events: number
  readonly virtualMs: number
  readonly runs: number
  readonly slots: number
  readonly effects: number
  readonly duplicates: number
  readonly faults: ReadonlyMap<string, number>
  readonly settings: Settings
  readonly violations: readonly Violation[]
  readonly trace: readonly string[]
}

const START_MS = Date.UTC(2026, 0, 1)
/**
 * Longer than the slowest search for lost work (strays, orphans, a full auditor pass), and longer
 * than one worker with a capacity of one needs for retried runs that take minutes.
 */
const QUIET_WITHIN_MS = 3_600_000
/** More events than this for one second of activity means an endless loop. */
const EVENTS_PER_SECOND_MAX = 10_000

/** By then nothing sent during the faults is still in flight. */
const REMINDED_MS = 60_000

/** With these faults a renewal may be late although its worker lives. */
const unwell: readonly Fault[] = [...callFaults, 'stepDatabase', 'readOnly', 'loseCommits']

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = new World(options)
  await world.run()
  return world.result()
}

class World {
  readonly #options: SimulationOptions
  readonly #chance: Chance
  readonly #settings: Settings
  readonly #timeline = new Timeline(START_MS)
  readonly #trace = new Trace()
  readonly #ledger = new Ledger()
  readonly #server: Server
  readonly #watch: Watch
  readonly #hints: HintBoard
  readonly #nemesis: Nemesis
  readonly #client: Machine = { name: 'client', alive: true, pausedUntilMs: 0 }
  readonly #clientOptions: MemoryStoreOptions
  readonly #workload: Workload
  readonly #targets: Targets
  #nodes: SimNode[] = []
  #named = 0

  constructor(options: SimulationOptions) {
    this.#options = options
    this.#chance = new Chance(options.seed)
    const settings = settingsOf(this.#chance.fork('settings'))
    this.#settings = options.change?.(settings) ?? settings
    const clock = () => this.#timeline.nowMs + this.#nemesis.databaseSkewMs
    const db = new MemoryDatabase(clock, options.mutants)
    this.#server = { db, up: true, generation: 1 }
    this.#watch = new Watch(db)
    db.onCommit = (changes) => this.#watch.committed(changes)
    this.#watch.isWell = (sessionId) => this.#isWell(sessionId)
    this.#nemesis = this.#makeNemesis()
    this.#hints = new HintBoard({
      ...{ timeline: this.#timeline, chance: this.#chance.fork('hints') },
      arrive: () => this.#settings.hints && this.#timeline.nowMs >= this.#nemesis.hintsLostUntilMs,
      onJobsChanged: () => {
        for (const node of this.#nodes) if (node.alive) node.jobsChanged()
      },
    })
    this.#clientOptions = this.#makeClientOptions()
    this.#workload = this.#makeWorkload()
    this.#targets = this.#makeTargets()
  }

  #makeNemesis(): Nemesis {
    return new Nemesis({
      ...{ timeline: this.#timeline, server: this.#server, settings: this.#settings },
      ...{ chance: this.#chance.fork('nemesis'), watch: this.#watch, untilMs: 0 },
      nodes: () => this.#nodes,
      comeBack: (inMs) => void this.#timeline.after(inMs, null, () => this.#boot()),
      note: (line) => this.#note(line),
    })
  }

  /** Whether the worker can renew now and always could, except while the server was away. */
  #isWell(sessionId: string): boolean {
    const { faults, leaseMs } = this.#settings
    if (unwell.some((fault) => faults.enabled.has(fault))) return false
    const node = this.#nodes.find(({ worker }) => worker.sessionId === sessionId)
    const sinceMs = this.#timeline.nowMs - 2 * leaseMs
    return node?.alive === true && !node.stopping && node.pausedUntilMs < sinceMs
  }

  #makeClientOptions(): MemoryStoreOptions {
    const clock = new MachineClock(this.#timeline, this.#client, 0)
    return {
      ...{ db: this.#server.db, line: this.#lineFor(this.#client), clock },
      ...{ horizonMs: this.#settings.horizonMs, hints: this.#hints },
    }
  }

  #makeWorkload(): Workload {
    const options = this.#clientOptions
    const work = new MemoryWorkStore(options)
    const client = new MemoryClient(options, work, this.#chance.fork('ids'))
    return new Workload({
      timeline: this.#timeline,
      settings: this.#settings,
      ledger: this.#ledger,
      chance: this.#chance.fork('workload'),
      client,
      work,
      db: this.#server.db,
      hints: this.#hints,
      machine: this.#client,
      untilMs: START_MS + this.#settings.activeMs,
    })
  }

  /** Requests and reports in flight: nothing is judged before they have arrived. */
  get #pending(): number {
    return this.#workload.pending + this.#targets.pending
  }

  #makeTargets(): Targets {
    const options = this.#clientOptions
    const awaiting = new MemoryAwaitingRuns(options, new MemoryWorkStore(options))
    return new Targets({ timeline: this.#timeline, machine: this.#client, awaiting })
  }

  #note(line: string): void {
    this.#trace.note(this.#timeline.nowMs - START_MS, line)
  }

  readonly #lineFor = (machine: Machine): FaultLine =>
    new FaultLine({
      ...{ timeline: this.#timeline, machine, server: this.#server },
      ...{ chance: this.#chance.fork('line'), faultOf: this.#nemesis.callFault },
      onCall: ({ name }, what, outcome) => this.#note(`${name} ${what} ${outcome}`),
    })

  #boot(): void {
    const name = `node${++this.#named}`
    const { skewMs, drift } = this.#settings
    const chance = this.#chance.fork(name)
    const node = new SimNode({
      ...{ name, timeline: this.#timeline, server: this.#server, settings: this.#settings },
      ...{ chance, ledger: this.#ledger, hints: this.#hints, lineFor: this.#lineFor },
      skewMs: this.#nemesis.over ? 0 : chance.int(-skewMs, skewMs),
      rate: 1 + drift * (2 * chance.fraction() - 1),
      wiring: this.#options.wiring ?? noWiringMutants,
      onHint: (machine: Machine, listener: (hint: WorkerHint) => void) =>
        this.#hints.listen(machine, listener),
      onKill: (dying) => this.#nemesis.crash(dying),
      onSent: this.#targets.receive,
    })
    this.#nodes = [...this.#nodes.filter((other) => other.alive), node]
    this.#note(`${name} starts`)
    node.start()
  }

  async run(): Promise<void> {
    const { events = 500 } = this.#options
    const { activeMs } = this.#settings
    const eventsMax = events + (EVENTS_PER_SECOND_MAX * activeMs) / 1_000
    layLanes(this.#server.db)
    for (let i = 0; i < this.#settings.nodes; i++) this.#boot()
    this.#workload.start()
    this.#nemesis.start()
    const failed = () => this.#watch.violations.length > 0 || this.#timeline.happened > eventsMax
    await this.#timeline.run(START_MS + activeMs, failed)
    // A seed with little work runs its remaining events under the same conditions.
    while (!failed() && this.#timeline.happened < events)
      await this.#timeline.run(this.#timeline.nowMs + 1_000, failed)
    this.#nemesis.end()
    this.#note('faults are over')
    this.#timeline.after(REMINDED_MS, null, () => this.#letAllWork())
    await this.#timeline.run(
      this.#timeline.nowMs + QUIET_WITHIN_MS,
      () => failed() || (this.#pending === 0 && this.#settled()),
    )
    const clockSteps = this.#settings.faults.enabled.has('stepDatabase')
    if (this.#watch.violations.length === 0)
      judge(this.#server.db, this.#ledger, this.#watch, { clockSteps })
    for (const node of this.#nodes) node.crash()
  }

  /** Withdraws every drain request, pause and limit that a client could not withdraw earlier. */
  #letAllWork(): void {
    const { db } = this.#server
    const { clock, horizonMs, hints } = this.#clientOptions
    const line: Line = { call: async (_, work) => db.transact(work) }
    const options = { db, line, clock, horizonMs, hints }
    const work = new MemoryWorkStore(options)
    const { queues, jobs } = new MemoryClient(options, work, this.#chance.fork('operator'))
    for (const queue of db.pauses.values()) void queues.resume(queue === '*' ? null : queue)
    for (const { queue } of db.limits.values()) void queues.removeLimits(queue)
    for (const { jobId, paused } of db.cursors.values()) if (paused) void jobs.resume(jobId)
    for (const { id, drains } of db.sessions.values()) if (drains) void work.askToDrain(id, false)
  }

  /** Every run has ended, and every worker knows. */
  #settled(): boolean {
    return isQuiet(this.#server.db) && this.#nodes.every((node) => !node.alive || node.isIdle)
  }

  result(): SimulationResult {
    const { db } = this.#server
    const effects = [...this.#ledger.effects.values()]
    return {
      ...{ seed: this.#options.seed, hash: this.#trace.hash, events: this.#timeline.happened },
      ...{ virtualMs: this.#timeline.nowMs - START_MS, runs: db.runs.size, slots: db.slots.size },
      effects: effects.reduce((sum, starts) => sum + starts.length, 0),
      duplicates: effects.filter((starts) => starts.length > 1).length,
      ...{ faults: this.#nemesis.counts, settings: this.#settings },
      ...{ violations: this.#watch.violations, trace: this.#trace.last },
    }
  }
}

/** Lanes exist from the start: a run whose lane a fail-over lost would wait for ever. */
function layLanes(db: MemoryDatabase): void {
  const queue = defaults.queue
  db.transact(() => {
    for (const priority of PRIORITIES)
      internLane(db, { tenantId: 1, queue, handler: HANDLER, priority })
  })
  db.secure()
}

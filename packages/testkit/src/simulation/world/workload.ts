/** Users: they declare jobs, submit runs with and without keys, and steer what exists. */
import type { JobResult } from '@punctual/core/job'
import type { Hints, MemoryClient, MemoryDatabase, MemoryWorkStore } from '@punctual/store/memory'
import type { Ledger } from '../judges/ledger.ts'
import type { Chance } from './chance.ts'
import { Inputs } from './inputs.ts'
import type { Settings } from './settings.ts'
import type { Machine, Timeline } from './timeline.ts'
import { UserActions } from './user-actions.ts'

export interface WorkloadOptions {
  readonly timeline: Timeline
  readonly settings: Settings
  readonly chance: Chance
  readonly ledger: Ledger
  readonly client: MemoryClient
  readonly work: MemoryWorkStore
  readonly db: MemoryDatabase
  readonly hints: Hints
  readonly machine: Machine
  /** Users do nothing after this. */
  readonly untilMs: number
}

export class Workload {
  readonly #options: WorkloadOptions
  readonly #inputs: Inputs
  readonly #actions: UserActions
  readonly #jobs: JobResult[] = []
  /** Requests in flight: nothing is judged before they have their answers. */
  pending = 0

  constructor(options: WorkloadOptions) {
    this.#options = options
    const { chance, settings, untilMs, timeline, hints } = options
    this.#inputs = new Inputs(chance, settings, untilMs)
    this.#actions = new UserActions({
      ...options,
      inputs: this.#inputs,
      jobs: this.#jobs,
      nowMs: () => timeline.nowMs,
      sessionsChanged: (ids) => hints.sessions(ids),
      soon: (act) => this.#soon(act),
    })
  }

  start(): void {
    const { chance, settings } = this.#options
    for (let n = 0; n < settings.jobs; n++) this.#soon(() => this.#declare(n))
    const runs = chance.int(10, 25)
    for (let n = 0; n < runs; n++) this.#soon(() => this.#submit())
    const actions = chance.int(0, 30)
    for (let n = 0; n < actions; n++) this.#soon(() => this.#actions.act())
  }

  #soon(act: () => Promise<unknown>): void {
    const { timeline, chance, untilMs, machine } = this.#options
    const inMs = Math.floor((untilMs - timeline.nowMs) * chance.fraction() ** 1.5)
    this.pending++
    timeline.after(inMs, machine, () => {
      act()
        .catch(() => undefined)
        .finally(() => {
          this.pending--
        })
    })
  }

  async #declare(n: number): Promise<void> {
    this.#jobs.push(await this.#options.client.jobs.upsert(this.#inputs.job(`job ${n}`)))
  }

  async #submit(): Promise<void> {
    const { ledger, client } = this.#options
    const run = await client.submitter.prepare(this.#inputs.submission())
    try {
      const { id } = await client.submitter.submit(run)
      ledger.acknowledged.add(id)
    } catch (error) {
      ledger.doubtful.add(run.id)
      throw error
    }
  }
}

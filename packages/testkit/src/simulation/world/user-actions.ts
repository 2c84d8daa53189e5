/** What users do to runs, jobs, queues and workers that exist. */
import { defaults } from '@punctual/core/errors'
import type { JobResult } from '@punctual/core/job'
import type { MemoryClient, MemoryDatabase, MemoryWorkStore } from '@punctual/store/memory'
import type { Ledger } from '../judges/ledger.ts'
import type { Chance } from './chance.ts'
import { type Inputs, PRIORITIES } from './inputs.ts'
import type { Settings } from './settings.ts'

export interface UserActionsOptions {
  readonly chance: Chance
  readonly inputs: Inputs
  readonly ledger: Ledger
  readonly settings: Settings
  readonly client: MemoryClient
  readonly work: MemoryWorkStore
  /** Which sessions and dead letters a user finds in the lists. */
  readonly db: MemoryDatabase
  /** The jobs that were declared. */
  readonly jobs: readonly JobResult[]
  readonly nowMs: () => number
  readonly sessionsChanged: (ids: readonly string[]) => void
  /** Acts at a random time before the end. */
  readonly soon: (act: () => Promise<unknown>) => void
}

/** More often than others: cancels race with everything. */
const actions = [
  ...(['cancel', 'cancel', 'cancel', 'reschedule', 'reschedule', 'hasten'] as const),
  ...(['reprioritise', 'edit', 'edit', 'replay', 'replay', 'discard'] as const),
  ...(['trigger', 'drain', 'pauseQueue', 'limitQueue'] as const),
  ...(['editJob', 'editJob', 'pauseJob', 'pauseJob'] as const),
] as const

type Action = (typeof actions)[number]

export class UserActions {
  readonly #options: UserActionsOptions

  constructor(options: UserActionsOptions) {
    this.#options = options
  }

  act(): Promise<unknown> {
    return this.#perform(this.#options.chance.pick(actions))
  }

  async #perform(action: Action): Promise<unknown> {
    const { chance, client, inputs, jobs, nowMs, settings } = this.#options
    switch (action) {
      case 'cancel':
        return this.#onRun((id) => client.runs.cancel(id, 'asked'))
      case 'reschedule':
        return this.#onRun((id) => client.runs.reschedule(id, nowMs() + chance.int(0, 15_000)))
      case 'hasten':
        return this.#onRun((id) => client.runs.reschedule(id, null))
      case 'reprioritise':
        return this.#onRun((id) => client.runs.reprioritise(id, chance.pick(PRIORITIES)))
      case 'edit':
        return this.#onRun((id) => client.runs.edit(id, inputs.payload()))
      case 'replay':
        return this.#onLetter((id) => this.#replay(id))
      case 'discard':
        return this.#onLetter((id) => client.deadLetters.discard(id))
      case 'trigger':
        return jobs.length > 0 && client.jobs.trigger(chance.pick(jobs).id)
      case 'editJob':
        return this.#clockHolds && jobs.length > 0 && this.#editJob()
      case 'pauseJob':
        return this.#clockHolds && jobs.length > 0 && this.#pauseJob()
      case 'drain':
        return this.#drain()
      case 'pauseQueue':
        return this.#pauseQueue()
      case 'limitQueue':
        return settings.flow && this.#limitQueue()
    }
  }

  /** Recent submissions are more likely to be in flight. */
  async #onRun(act: (id: string) => Promise<unknown>): Promise<unknown> {
    const { chance, ledger } = this.#options
    const ids = [...ledger.acknowledged].slice(chance.chance(0.7) ? -4 : 0)
    return ids.length > 0 && act(chance.pick(ids))
  }

  /** Users see handled letters, too: another user may have been faster. */
  async #onLetter(act: (id: string) => Promise<unknown>): Promise<unknown> {
    const ids = this.#options.db.deadLetters.values().map(({ runId }) => runId)
    return ids.length > 0 && act(this.#options.chance.pick(ids))
  }

  async #replay(id: string): Promise<void> {
    const { chance, client, ledger, inputs } = this.#options
    const newId = client.submitter.nextId()
    const payload = chance.chance(0.5) ? inputs.payload() : null
    const request = { id, newId, payload, fromCheckpoint: chance.chance(0.5) }
    if ((await client.deadLetters.replay(request)) === 'replayed') ledger.acknowledged.add(newId)
  }

  /** A withdrawal that fails is repeated at the end. */
  async #drain(): Promise<void> {
    const { chance, db, work, sessionsChanged, soon } = this.#options
    const ids = db.sessions.values().map(({ id }) => id)
    if (ids.length === 0) return
    const id = chance.pick(ids)
    const ask = async (on: boolean) => {
      await work.askToDrain(id, on)
      sessionsChanged([id])
    }
    await ask(true)
    soon(() => ask(false))
  }

  /** A pause that cannot be withdrawn is withdrawn at the end. */
  async #pauseQueue(): Promise<void> {
    const { client, soon } = this.#options
    await client.queues.pause(defaults.queue)
    soon(() => client.queues.resume(defaults.queue))
  }

  /** After the clock was set back, slots that an edited job has ahead may have decisions. */
  get #clockHolds(): boolean {
    return !this.#options.settings.faults.enabled.has('stepDatabase')
  }

  #editJob(): Promise<unknown> {
    const { chance, client, inputs, jobs } = this.#options
    return client.jobs.upsert(inputs.job(chance.pick(jobs).name))
  }

  /** A job that cannot be resumed is resumed at the end. */
  async #pauseJob(): Promise<void> {
    const { chance, client, jobs, soon } = this.#options
    const { id } = chance.pick(jobs)
    await client.jobs.pause(id)
    soon(() => client.jobs.resume(id))
  }

  /** A limit that cannot be removed is removed at the end. */
  async #limitQueue(): Promise<void> {
    const { chance, client, soon } = this.#options
    const queue = chance.pick([defaults.queue, null])
    const rate = chance.pick([null, { limit: 1, perMs: chance.int(100, 1_000), burst: 2 }])
    const concurrency = rate && chance.chance(0.5) ? null : chance.int(1, 3)
    await client.queues.setLimits(queue, { concurrency, rate, ageingMs: null, weight: null })
    soon(() => client.queues.removeLimits(queue))
  }
}

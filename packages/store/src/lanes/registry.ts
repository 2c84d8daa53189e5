/** Assigns ids to lanes and caches them: a submission finds its lane in memory. */
import { limits, PunctualError } from '@punctual/core/errors'
import type { LaneKey } from '@punctual/core/flow'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { findLane, internLane } from './statements.gen.ts'

export class LaneRegistry {
  readonly #database: Database
  readonly #ids = new Map<string, number>()
  readonly #pending = new Map<string, Promise<number>>()
  #generation = 0
  readonly #signals: Signals

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#signals = signals
    database.onNewTimeline.push(() => this.forget())
  }

  static #name(key: LaneKey): string {
    return `${key.tenantId}\u0000${key.priority}\u0000${key.queue}\u0000${key.handler}`
  }

  known(key: LaneKey): number | undefined {
    return this.#ids.get(LaneRegistry.#name(key))
  }

  /** Ids learned in an earlier generation may now belong to other lanes, or to none. */
  get generation(): number {
    return this.#generation
  }

  /** After a fail-over a lane may be gone with the lost commits. */
  forget(): void {
    this.#generation++
    this.#ids.clear()
    this.#pending.clear()
  }

  async intern(key: LaneKey): Promise<number> {
    const name = LaneRegistry.#name(key)
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    let pending = this.#pending.get(name)
    if (!pending) {
      // A rollback of the caller's transaction must not undo what is cached here.
      const intern = () => this.#intern(key, name)
      pending = this.#database.ambient.outside(intern).finally(() => {
        if (this.#pending.get(name) === pending) this.#pending.delete(name)
      })
      this.#pending.set(name, pending)
    }
    return pending
  }

  async #intern(key: LaneKey, name: string): Promise<number> {
    const generation = this.#generation
    const { control, hintChannel } = this.#database
    const values = [key.tenantId, key.queue, key.handler, key.priority] as const
    const find = () => control.run(findLane(...values))
    let [row] = await find()
    if (!row) {
      const intern = internLane(...values, limits.lanesPerTenant, hintChannel)
      let room = true
      let most = 0
      // Each try takes the next number; a sequence that lags behind returns some that are taken.
      for (let i = 0; !row && room && i < limits.quotaLanesMax; i++) {
        const [answer] = await control.run(intern)
        room = answer?.isLeft ?? false
        most = answer?.most ?? most
        ;[row] = await find()
      }
      if (!row)
        throw new PunctualError(
          'lanes_exhausted',
          `The tenant has ${most} combinations of queue, handler and priority, which is its quota of lanes. Use fewer queues, and put variable parts into labels or a key.`,
        )
      this.#signals.newLane(row.id)
    }
    const { id } = row
    if (generation === this.#generation) this.#ids.set(name, id)
    return id
  }
}

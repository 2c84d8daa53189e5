/** Assigns ids to lanes and caches them: a submission finds its lane in memory. */
import { limits, PunctualError } from '@punctual/core/errors'
import type { LaneKey } from '@punctual/core/flow'
import type { Database } from '../connection/database.ts'

export class LaneRegistry {
  readonly #database: Database
  readonly #ids = new Map<string, number>()
  readonly #pending = new Map<string, Promise<number>>()
  #generation = 0
  /** Called with a lane that was created here; the database notifies other processes. */
  onNew: (lane: number) => void = () => undefined

  constructor(database: Database) {
    this.#database = database
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
      pending = this.#database.transactions.outside(intern).finally(() => {
        if (this.#pending.get(name) === pending) this.#pending.delete(name)
      })
      this.#pending.set(name, pending)
    }
    return pending
  }

  async #intern(key: LaneKey, name: string): Promise<number> {
    const generation = this.#generation
    const values = [key.tenantId, key.queue, key.handler, key.priority]
    const find = () =>
      this.#database.control.query(this.#database.statement('lanes/find-lane'), values)
    let [row] = await find()
    if (!row) {
      const intern = this.#database.statement('lanes/intern-lane')
      let room = true
      // Each try takes the next number; a sequence that lags behind returns some that are taken.
      for (let i = 0; !row && room && i < limits.lanesPerTenant; i++) {
        const [answer] = await this.#database.control.query(intern, [
          ...values,
          ...[limits.lanesPerTenant, this.#database.hintChannel],
        ])
        room = answer?.[0] === 't'
        ;[row] = await find()
      }
      if (!row)
        throw new PunctualError(
          'lanes_exhausted',
          `The tenant has ${limits.lanesPerTenant} combinations of queue, handler and priority, which is the limit. Use fewer queues, and put variable parts into labels or a key.`,
        )
      this.onNew(Number(row[0]))
    }
    const id = Number(row[0])
    if (generation === this.#generation) this.#ids.set(name, id)
    return id
  }
}

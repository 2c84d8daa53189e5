/** Interns lanes, and remembers them: a submission looks its lane up in memory. */
import { limits, PunctualError } from '@punctual/core/errors'
import type { LaneKey } from '@punctual/core/flow'
import type { Database } from '../connection/database.ts'

export class LaneRegistry {
  readonly #database: Database
  readonly #ids = new Map<string, number>()
  readonly #asked = new Map<string, Promise<number>>()
  #generation = 0
  /** Called with a lane that was made here; other processes are told by the database. */
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

  /** Numbers that were learned in another generation may be those of other lanes by now, or of none. */
  get generation(): number {
    return this.#generation
  }

  /** After a fail-over a lane may be gone with the commits that were lost. */
  forget(): void {
    this.#generation++
    this.#ids.clear()
    this.#asked.clear()
  }

  async intern(key: LaneKey): Promise<number> {
    const name = LaneRegistry.#name(key)
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    let asking = this.#asked.get(name)
    if (!asking) {
      // What is remembered here must not be undone with somebody's transaction.
      const ask = () => this.#ask(key, name)
      asking = this.#database.transactions.apart(ask).finally(() => {
        if (this.#asked.get(name) === asking) this.#asked.delete(name)
      })
      this.#asked.set(name, asking)
    }
    return asking
  }

  async #ask(key: LaneKey, name: string): Promise<number> {
    const generation = this.#generation
    const values = [key.tenantId, key.queue, key.handler, key.priority]
    const find = () =>
      this.#database.control.query(this.#database.statement('lanes/find-lane'), values)
    let [row] = await find()
    if (!row) {
      const intern = this.#database.statement('lanes/intern-lane')
      let room = true
      // Each try takes the next number: those that are taken, where the sequence is behind, are passed.
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
          `The tenant has ${limits.lanesPerTenant} combinations of queue, handler and priority, which is the limit. Use fewer queues; put what varies into labels or a key.`,
        )
      this.onNew(Number(row[0]))
    }
    const id = Number(row[0])
    if (generation === this.#generation) this.#ids.set(name, id)
    return id
  }
}

/** Numbers timing rules and caches the numbers: jobs with the same rules share one. */
import { invariant } from '@punctual/core/errors'
import { textArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { internTimings } from './statements.gen.ts'

const TRIES = 10_000
const CACHED_MAX = 200_000

export class TimingIds {
  readonly #database: Database
  readonly #ids = new Map<string, number>()

  constructor(database: Database) {
    this.#database = database
    database.onNewTimeline.push(() => this.#ids.clear())
  }

  /** Returns the numbers of these rules, and assigns numbers to new ones. */
  async intern(rulesTexts: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const wanted = [...new Set(rulesTexts)]
    const unknown = wanted.filter((text) => !this.#ids.has(text))
    // After a restore that lost the sequence's position, a try may get numbers that are taken.
    for (let attempt = 0; unknown.length > 0 && attempt < TRIES; attempt++) {
      // A rollback of the caller's transaction must not undo what is cached here.
      const rows = await this.#database.ambient.outside(() =>
        this.#database.control.run(internTimings(textArray(unknown))),
      )
      if (this.#ids.size > CACHED_MAX) this.#ids.clear()
      for (const { spec, id } of rows) this.#ids.set(spec, id)
      // The statement does not see a row that it waited for another transaction to insert.
      if (unknown.every((text) => this.#ids.has(text))) break
    }
    return new Map(
      wanted.map((text) => {
        const id = this.#ids.get(text)
        invariant(id !== undefined, 'timing rules that were interned have a number')
        return [text, id]
      }),
    )
  }
}

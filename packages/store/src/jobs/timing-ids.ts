/**
 * Numbers timing rules and caches the numbers: jobs with the same rules share one. A sweep deletes
 * rules that were unused for longer than any process caches their numbers.
 */
import { invariant } from '@punctual/core/errors'
import { textArray } from '../connection/binary-arrays.ts'
import type { Database } from '../connection/database.ts'
import { internTimings } from './statements.gen.ts'

const TRIES = 10_000
const CACHED_MAX = 200_000
const CACHED_MS = 1_800_000
/** After this time without a job that refers to a rule, the rule is deleted. */
export const UNUSED_TIMING_MS = 2 * CACHED_MS

export class TimingIds {
  readonly #database: Database
  readonly #ids = new Map<string, number>()
  #emptiedMs: number

  constructor(database: Database) {
    this.#database = database
    this.#emptiedMs = database.localClock.monotonicMs()
    database.onNewTimeline.push(() => this.#ids.clear())
  }

  /** Returns the numbers of these rules, and assigns numbers to new ones. */
  async intern(rulesTexts: readonly string[]): Promise<ReadonlyMap<string, number>> {
    this.#forget()
    const wanted = [...new Set(rulesTexts)]
    const found = new Map<string, number>()
    for (const text of wanted) {
      const id = this.#ids.get(text)
      if (id !== undefined) found.set(text, id)
    }
    const unknown = wanted.filter((text) => !found.has(text))
    // After a restore that lost the sequence's position, a try may get numbers that are taken.
    for (let attempt = 0; unknown.length > 0 && attempt < TRIES; attempt++) {
      // A rollback of the caller's transaction must not undo what is cached here.
      const rows = await this.#database.ambient.outside(() =>
        this.#database.control.run(internTimings(textArray(unknown))),
      )
      for (const { spec, id } of rows) {
        found.set(spec, id)
        this.#ids.set(spec, id)
      }
      // The statement does not see a row that it waited for another transaction to insert.
      if (unknown.every((text) => found.has(text))) break
    }
    invariant(found.size === wanted.length, 'timing rules that were interned have a number')
    return found
  }

  #forget(): void {
    const nowMs = this.#database.localClock.monotonicMs()
    if (this.#ids.size <= CACHED_MAX && nowMs - this.#emptiedMs < CACHED_MS) return
    this.#ids.clear()
    this.#emptiedMs = nowMs
  }
}

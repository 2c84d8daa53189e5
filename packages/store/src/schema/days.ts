/**
 * Makes the partitions of days, on separate connections and outside the caller's transaction:
 * attaching a day must not wait for a transaction that writes.
 */
import { defaults } from '@punctual/core/errors'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { dayStart } from '../connection/day-names.ts'
import { ensureDay, ensureDays } from './partitions.ts'

export class Days {
  readonly #database: Database
  readonly #clientPool: ClientPool

  constructor(database: Database, clientPool: ClientPool) {
    this.#database = database
    this.#clientPool = clientPool
  }

  /** Makes the missing ones of yesterday, today and the days ahead; returns the new ones. */
  makeAhead(daysAhead: number = defaults.partitionDaysAhead): Promise<readonly string[]> {
    const { clock, schema, ambient } = this.#database
    return ambient.outside(() =>
      this.#clientPool.with((client) =>
        ensureDays(client, schema, clock.nowMs(), daysAhead, this.#pause),
      ),
    )
  }

  /** Makes the days of these instants. */
  makeOf(instantsMs: readonly number[]): Promise<void> {
    const { schema, ambient } = this.#database
    return ambient.outside(() =>
      this.#clientPool.with(async (client) => {
        for (const dayMs of new Set(instantsMs.map(dayStart)))
          await ensureDay(client, schema, dayMs, this.#pause)
      }),
    )
  }

  readonly #pause = (ms: number): Promise<void> => this.#database.localClock.sleep(ms)
}

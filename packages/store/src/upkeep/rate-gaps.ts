/**
 * Reclaims rate-limit slots booked by runs that were cancelled or rescheduled, and moves later
 * bookings forward. The database's lock of the rate keeps claims from booking slots of it
 * meanwhile.
 */
import { invariant } from '@punctual/core/errors'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import {
  type AdvanceBookingsRow,
  advanceBookings,
  listRateGaps,
  lockRate,
} from './statements.gen.ts'

const RATES_AT_ONCE = 5_000
/** Runs of one rate per transaction. */
const RUNS_AT_ONCE = 1_000
/** Runs moved per call; the next call continues. */
const MOVED_MAX = 5_000
/** Bookings counted per rate; a rate with more of them is always searched for gaps. */
const COUNTED_MAX = 100_000
const FIRST_RATE = '-9223372036854775808'

export class RateGaps {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #onQueued: (lanes: Iterable<number>) => void
  /** The rate after which the next call continues. */
  #afterRate = FIRST_RATE

  constructor(
    database: Database,
    clientPool: ClientPool,
    onQueued: (lanes: Iterable<number>) => void,
  ) {
    this.#database = database
    this.#clientPool = clientPool
    this.#onQueued = onQueued
  }

  /** Returns how many runs it moved; null when there are no rates. */
  async close(): Promise<number | null> {
    const call = listRateGaps(this.#afterRate, RATES_AT_ONCE, COUNTED_MAX)
    const [row] = await this.#database.upkeep.runPinned(call)
    invariant(row, 'a page of rates is one row')
    const { rates, lastRate, looked } = row
    if (looked === 0 && this.#afterRate === FIRST_RATE) return null
    let moved = 0
    for (const rate of rates ?? []) {
      moved += await this.#closeOf(rate, MOVED_MAX - moved)
      // The next call finds the other rates again.
      if (moved >= MOVED_MAX) return moved
    }
    this.#afterRate = looked < RATES_AT_ONCE ? FIRST_RATE : (lastRate ?? FIRST_RATE)
    return moved
  }

  async #closeOf(rate: string, most: number): Promise<number> {
    let moved = 0
    for (let afterUs: string | null = '0'; afterUs !== null && moved < most; ) {
      const advanced = await this.#advance(rate, afterUs)
      if (advanced === null) break
      moved += advanced.moved
      if (advanced.lanes) this.#onQueued(new Set(advanced.lanes))
      afterUs = advanced.stopped || advanced.looked < RUNS_AT_ONCE ? null : advanced.lastUs
    }
    return moved
  }

  /** Two statements: the second sees what the first waited for. Null if the rate is gone. */
  #advance(rate: string, afterUs: string): Promise<AdvanceBookingsRow | null> {
    const database = this.#database
    return this.#clientPool.pinned(async (client) => {
      const [held] = await database.runOn(client, lockRate(rate))
      if (!held) return null
      const [row] = await database.runOn(client, advanceBookings(rate, afterUs, RUNS_AT_ONCE))
      invariant(row, 'moving bookings returns one row')
      return row
    })
  }
}

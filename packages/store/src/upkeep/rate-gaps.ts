/**
 * Reclaims rate-limit slots booked by runs that were cancelled or rescheduled, and moves later
 * bookings forward. The database's lock of the rate keeps claims from booking slots of it
 * meanwhile.
 */
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'

const RATES_AT_ONCE = 5_000
/** Runs of one rate per transaction. */
const RUNS_AT_ONCE = 1_000
/** Runs moved per call; the next call continues. */
const MOVED_MAX = 5_000
/** Bookings counted per rate; a rate with more of them is always searched for gaps. */
const COUNTED_MAX = 100_000
const FIRST_RATE = '-9223372036854775808'

interface Advanced {
  readonly looked: number
  readonly moved: number
  readonly lastUs: string | null
  /** Another session is changing one of the runs. */
  readonly stopped: boolean
  readonly lanes: readonly number[]
}

const listed = (array: string | null | undefined): string[] => array?.slice(1, -1).split(',') ?? []

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

  /** Returns how many runs it moved. */
  async close(): Promise<number> {
    const statement = this.#database.statement('upkeep/list-rate-gaps')
    const values = [this.#afterRate, RATES_AT_ONCE, COUNTED_MAX]
    const [row] = await this.#database.upkeep.pinnedOne(statement, values)
    const [rates, last, looked] = row as readonly (string | null)[]
    let moved = 0
    for (const rate of listed(rates)) {
      moved += await this.#closeOf(rate, MOVED_MAX - moved)
      // The next call finds the other rates again.
      if (moved >= MOVED_MAX) return moved
    }
    this.#afterRate = Number(looked) < RATES_AT_ONCE ? FIRST_RATE : (last as string)
    return moved
  }

  async #closeOf(rate: string, most: number): Promise<number> {
    let moved = 0
    for (let afterUs: string | null = '0'; afterUs !== null && moved < most; ) {
      const advanced = await this.#advance(rate, afterUs)
      if (advanced === null) break
      moved += advanced.moved
      if (advanced.lanes.length > 0) this.#onQueued(new Set(advanced.lanes))
      afterUs = advanced.stopped || advanced.looked < RUNS_AT_ONCE ? null : advanced.lastUs
    }
    return moved
  }

  /** Two statements: the second sees what the first waited for. Null if the rate is gone. */
  #advance(rate: string, afterUs: string): Promise<Advanced | null> {
    return this.#clientPool.pinned(async (client) => {
      const held = await client.query(this.#database.statement('upkeep/lock-rate').text, [rate])
      if (held.rowCount === 0) return null
      const { rows } = await client.query({
        text: this.#database.statement('upkeep/advance-bookings').text,
        values: [rate, afterUs, RUNS_AT_ONCE],
        rowMode: 'array',
      })
      const [looked, moved, lastUs, stopped, lanes] = rows[0] as unknown as (string | null)[]
      return {
        ...{ looked: Number(looked), moved: Number(moved), lastUs: lastUs ?? null },
        ...{ stopped: stopped === 't', lanes: listed(lanes).map(Number) },
      }
    })
  }
}

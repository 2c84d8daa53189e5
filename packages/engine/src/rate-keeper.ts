/**
 * Reclaims the rate permits of cancelled runs: runs that are booked behind them move forward. It is
 * separate from the reaper, whose checks it must not delay. Any number of rate keepers may race.
 */
import type { UpkeepStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface RateKeeperOptions {
  readonly store: Pick<UpkeepStore, 'closeRateGaps'>
}

const REST_MS = 5_000

export class RateKeeper implements Role {
  readonly name = 'rate-keeper'
  readonly #options: RateKeeperOptions

  constructor(options: RateKeeperOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    await this.#options.store.closeRateGaps()
    return REST_MS
  }
}

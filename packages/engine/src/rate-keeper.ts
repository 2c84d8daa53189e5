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
/** Without a rate there is nothing to reclaim. */
const REST_WITHOUT_RATES_MS = 15_000

export class RateKeeper implements Role {
  readonly name = 'rate-keeper'
  readonly #options: RateKeeperOptions

  constructor(options: RateKeeperOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    const moved = await this.#options.store.closeRateGaps()
    return moved === null ? REST_WITHOUT_RATES_MS : REST_MS
  }
}

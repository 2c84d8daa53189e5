/**
 * Gives on what cancelled runs had of their rates: what waits behind them moves up. It is no part of the reaper, which must
 * not be kept from looking; any number of them may race.
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

/**
 * Moves runs that enter the horizon from `later` into the queue. The horizon is longer than the
 * rest between two ticks, so promotion makes no run late. Any number of promoters may race.
 */
import type { UpkeepStore } from '@punctual/core/ports'
import type { Role } from './role.ts'

export interface PromoterOptions {
  readonly store: Pick<UpkeepStore, 'promote'>
  readonly horizonMs: number
  readonly batch?: number
  onPromoted?(count: number): void
}

const BATCH = 1_000

export class Promoter implements Role {
  readonly name = 'promoter'
  readonly #options: PromoterOptions

  constructor(options: PromoterOptions) {
    this.#options = options
  }

  async tick(): Promise<number> {
    const limit = this.#options.batch ?? BATCH
    const { promoted, nextInMs } = await this.#options.store.promote(this.#options.horizonMs, limit)
    if (promoted > 0) this.#options.onPromoted?.(promoted)
    if (promoted === limit) return 0
    // At a low rate it moves several runs at a time: a run that enters now has the whole horizon
    // left.
    const restMs = this.#options.horizonMs / 2
    return Math.min(restMs, Math.max(restMs / 20, nextInMs ?? restMs))
  }
}

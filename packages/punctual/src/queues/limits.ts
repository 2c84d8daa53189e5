/** `punctual.limits`: concurrency limits, rates, weights and ageing of queues and of a tenant. */
import { checkName } from '@punctual/core/check'
import { compileLimits, type LimitOptions } from '@punctual/core/flow'
import type { LimitInForce } from '@punctual/core/queue'
import type { PostgresStore } from '@punctual/store'

/**
 * `punctual.limits`: how many runs of a queue, or of all queues together, may run at once and start
 * per period; the tenant's weight and the ageing of priorities.
 */
export class Limits {
  readonly #store: PostgresStore
  readonly #tenantId: number

  /** @internal */
  constructor(store: PostgresStore, tenantId: number) {
    this.#store = store
    this.#tenantId = tenantId
  }

  /**
   * Sets the limits of a queue, or of all queues together, and replaces the previous ones. Running
   * runs are counted, never stopped. Workers apply the limits from their next claim.
   * @example
   * ```ts
   * const rate = { limit: 500, per: 'second' } as const
   * await punctual.limits.set({ queue: 'mail', concurrency: 10, rate })
   * ```
   */
  async set(options: LimitOptions): Promise<void> {
    const { queue, limits, by } = compileLimits(options)
    await this.#store.limits.set(queue, limits, by, this.#tenantId)
  }

  /** Removes the limits of a queue, or those of all queues together; false when none were set. */
  async remove(queue?: string): Promise<boolean> {
    const name = queue === undefined ? null : checkName('queue', queue)
    return this.#store.limits.remove(name, this.#tenantId)
  }

  /** The limits in force and their current use; the limits of all queues together come first. */
  list(): Promise<LimitInForce[]> {
    return this.#store.limits.list(this.#tenantId)
  }
}

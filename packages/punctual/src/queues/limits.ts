/** `punctual.limits`: how many runs of a queue, or of all of them, go on at once and start in a time; weights and ageing. */
import { checkName } from '@punctual/core/check'
import { compileLimits, type LimitOptions } from '@punctual/core/flow'
import type { LimitInForce, PostgresStore } from '@punctual/store'

/**
 * `punctual.limits`: how many runs of a queue, or of all of them, go on at once and start in a time; weights and
 * ageing.
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
   * Sets what limits a queue, or all of them together, in place of what was set for it before. Runs that go on are
   * counted and not ended. Workers keep to it from their next claim on.
   * @example
   * ```ts
   * await punctual.limits.set({ queue: 'mail', concurrency: 10, rate: { limit: 500, per: 'second' } })
   * ```
   */
  async set(options: LimitOptions): Promise<void> {
    const { queue, limits, by } = compileLimits(options)
    await this.#store.limits.set(queue, limits, by, this.#tenantId)
  }

  /** Ends the limits of a queue, or those of all of them together. False when there were none. */
  async remove(queue?: string): Promise<boolean> {
    const name = queue === undefined ? null : checkName('queue', queue)
    return this.#store.limits.remove(name, this.#tenantId)
  }

  /** What is set, that of all queues together first, and how much of it is used. */
  list(): Promise<LimitInForce[]> {
    return this.#store.limits.list(this.#tenantId)
  }
}

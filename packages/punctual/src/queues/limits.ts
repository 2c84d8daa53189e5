/** `punctual.limits`: concurrency limits, rates, weights and ageing of queues and of a tenant. */
import { checkName } from '@punctual/core/check'
import { compileLimits, type LimitOptions, type QueueLimits } from '@punctual/core/flow'
import type { LimitInForce } from '@punctual/core/queue'
import type { PostgresStore } from '@punctual/store'
import type { ControlWrites, WriteScope } from '../audit/control-writes.ts'

/** The target of the limits of all queues together has no name. */
const target = (queue: string | null) => ({ kind: 'limit', id: null, name: queue })

/**
 * `punctual.limits`: how many runs of a queue, or of all queues together, may run at once and start
 * per period; the tenant's weight and the ageing of priorities.
 */
export class Limits {
  readonly #store: PostgresStore
  readonly #writes: ControlWrites
  readonly #tenantId: number

  /** @internal */
  constructor({ store, writes, tenantId }: WriteScope) {
    this.#store = store
    this.#writes = writes
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
    await this.#writes.record(this.#tenantId, async () => {
      const before = await this.#find(queue)
      await this.#store.limits.set(queue, limits, by, this.#tenantId)
      const after = await this.#find(queue)
      const entry = { action: 'limit.set', target: target(queue), before, after }
      return { result: undefined, entries: [entry] }
    })
  }

  /** Removes the limits of a queue, or those of all queues together; false when none were set. */
  async remove(queue?: string): Promise<boolean> {
    const name = queue === undefined ? null : checkName('queue', queue)
    return this.#writes.record(this.#tenantId, async () => {
      const before = await this.#find(name)
      const result = await this.#store.limits.remove(name, this.#tenantId)
      const entry = { action: 'limit.remove', target: target(name), before }
      return { result, entries: result ? [entry] : [] }
    })
  }

  /** The limits in force and their current use; the limits of all queues together come first. */
  list(): Promise<LimitInForce[]> {
    return this.#store.limits.list(this.#tenantId)
  }

  async #find(queue: string | null): Promise<QueueLimits | null> {
    const found = (await this.list()).find((limit) => limit.queue === queue)
    if (!found) return null
    const { concurrency, rate, ageingMs, weight } = found
    return { concurrency, rate, ageingMs, weight }
  }
}

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

/** The limits that hold a due run of a queue up now. */
export function limitsInTheWay(limits: readonly LimitInForce[], queue: string): string | null {
  for (const limit of limits) {
    if (limit.queue !== null && limit.queue !== queue) continue
    const { concurrency, running, rate, freeAt } = limit
    const whose = limit.queue === null ? 'all queues together' : `the queue ${limit.queue}`
    if (concurrency !== null && running >= concurrency)
      return `${running} runs go on, and ${whose} may have ${concurrency}; it starts when one of them has ended.`
    if (rate !== null && freeAt !== null)
      return `The rate of ${whose} is used up; the next run may start at ${freeAt.toISOString()}.`
  }
  return null
}

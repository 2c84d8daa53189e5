/** The limits of queues and tenants: users set and remove them, every claim enforces them. */
import { limits } from '@punctual/core/errors'
import type { QueueLimits } from '@punctual/core/flow'
import { boundReached, limitsAfterQuotas, limitsWithin, type Quotas } from '@punctual/core/identity'
import type { LimitInForce } from '@punctual/core/queue'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { lockTenant } from '../tenants/statements.gen.ts'
import { type ListLimitsRow, listLimits, removeLimit, setLimit } from './statements.gen.ts'

const NONE: QueueLimits = { concurrency: null, rate: null, ageingMs: null, weight: null }

/** Runs the work in one transaction, which every store call inside it joins. */
export type Transact = <T>(work: () => Promise<T>) => Promise<T>

export class LimitStore {
  readonly #database: Database
  readonly #signals: Signals
  readonly #transact: Transact

  constructor(database: Database, signals: Signals, transact: Transact) {
    this.#database = database
    this.#signals = signals
    this.#transact = transact
  }

  /**
   * Replaces all limits; null means unlimited. Workers are notified at once. A tenant's own limits
   * stay within its quotas.
   * @throws `quota_exceeded`
   */
  async set(
    queue: string | null,
    limits: QueueLimits,
    by: string | null,
    tenantId = 1,
  ): Promise<void> {
    if (queue !== null) return this.#set(queue, limits, by, tenantId)
    await this.#transact(async () => {
      const quotas = await this.#hold(tenantId)
      await this.#set(null, limitsWithin(quotas, limits), by, tenantId)
    })
  }

  /** Returns a tenant's quotas, locked until the end of the transaction. */
  async #hold(tenantId: number): Promise<Quotas> {
    const [row] = await this.#database.control.run(lockTenant(tenantId))
    return row?.quotas ?? {}
  }

  async #set(
    queue: string | null,
    { concurrency, rate, ageingMs, weight }: QueueLimits,
    by: string | null,
    tenantId: number,
  ): Promise<void> {
    const intervalUs = rate && Math.max(1, Math.round((rate.perMs * 1_000) / rate.limit))
    const { limit = null, perMs = null, burst = null } = rate ?? {}
    const call = setLimit(
      tenantId,
      queue,
      concurrency,
      limit,
      perMs,
      burst,
      intervalUs,
      ageingMs,
      weight,
      by,
      this.#signals.channelName,
      limits.limitsPerTenant,
    )
    const rows = await this.#database.control.run(call)
    if (rows.length === 0) throw boundReached('limitsPerTenant')
    this.#signals.changed()
  }

  /**
   * Adjusts a tenant's limits to changed quotas, in the transaction of the change; a narrower limit
   * that the tenant has set for itself stays.
   */
  async follow(tenantId: number, before: Quotas, after: Quotas): Promise<void> {
    const found = (await this.list(tenantId)).find(({ queue }) => queue === null)
    const next = limitsAfterQuotas(before, after, found ?? NONE)
    const { concurrency, rate, ageingMs, weight } = next
    const any = [concurrency, rate, ageingMs, weight].some((limit) => limit !== null)
    if (any) await this.#set(null, next, found?.setBy ?? 'quotas', tenantId)
    else if (found) await this.#remove(null, tenantId)
  }

  /** False when no limit was set. Limits that follow from the tenant's quotas stay. */
  async remove(queue: string | null, tenantId = 1): Promise<boolean> {
    if (queue !== null) return this.#remove(queue, tenantId)
    return this.#transact(async () => {
      const quotas = await this.#hold(tenantId)
      const found = await this.#remove(null, tenantId)
      await this.follow(tenantId, {}, quotas)
      return found
    })
  }

  async #remove(queue: string | null, tenantId: number): Promise<boolean> {
    const call = removeLimit(tenantId, queue, this.#signals.channelName)
    const rows = await this.#database.control.run(call)
    this.#signals.changed()
    return rows.length > 0
  }

  /** Lists the limits, the tenant's own first. */
  async list(tenantId = 1): Promise<LimitInForce[]> {
    return (await this.#database.control.run(listLimits(tenantId))).map(limitFrom)
  }
}

function limitFrom(row: ListLimitsRow): LimitInForce {
  const { rateLimit, ratePerMs, rateBurst, freeMs, ...limit } = row
  const isRated = rateLimit !== null && ratePerMs !== null && rateBurst !== null
  return {
    ...limit,
    rate: isRated ? { limit: rateLimit, perMs: ratePerMs, burst: rateBurst } : null,
    freeAt: freeMs === null ? null : new Date(freeMs),
  }
}

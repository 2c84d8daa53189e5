/** What limits queues and tenants: set and removed by people, kept by every claim. */
import type { QueueLimits } from '@punctual/core'
import type { Database } from './database.ts'
import type { Signals } from './signals.ts'

/** A limit that is set, and how much of it is used. */
export interface LimitInForce extends QueueLimits {
  /** Null for what holds of the tenant, all queues together. */
  readonly queue: string | null
  /** How many runs go on under it; counted where there is a limit of concurrency. */
  readonly running: number
  /** When the next run may start; null when one may start now, or there is no rate. */
  readonly freeAt: Date | null
  /** When it was set. */
  readonly setAt: Date
  /** By whom, where that was said. */
  readonly setBy: string | null
}

const numberOf = (text: string | null | undefined) =>
  text === null || text === undefined ? null : Number(text)

export class LimitStore {
  readonly #database: Database
  readonly #signals: Signals

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#signals = signals
  }

  /** Sets all of them; what is null is not limited. Workers are told at once. */
  async set(
    queue: string | null,
    { concurrency, rate, ageingMs, weight }: QueueLimits,
    by: string | null,
    tenantId = 1,
  ): Promise<void> {
    const intervalUs = rate && Math.max(1, Math.round((rate.perMs * 1_000) / rate.limit))
    const statement = this.#database.statement('queues/set-limit')
    await this.#database.read.query(statement, [
      ...[tenantId, queue, concurrency, rate?.limit ?? null, rate?.perMs ?? null],
      ...[rate?.burst ?? null, intervalUs, ageingMs, weight, by, this.#signals.channelName],
    ])
    this.#signals.changed()
  }

  /** False when there were none. */
  async remove(queue: string | null, tenantId = 1): Promise<boolean> {
    const statement = this.#database.statement('queues/remove-limit')
    const values = [tenantId, queue, this.#signals.channelName]
    const rows = await this.#database.read.query(statement, values)
    this.#signals.changed()
    return rows.length > 0
  }

  /** What is set, that of the tenant first. */
  async list(tenantId = 1): Promise<LimitInForce[]> {
    const statement = this.#database.statement('queues/list-limits')
    const rows = await this.#database.read.query(statement, [tenantId])
    return rows.map(
      ([queue, concurrency, running, limit, perMs, burst, freeMs, ageingMs, weight, at, by]) => ({
        queue: queue ?? null,
        concurrency: numberOf(concurrency),
        rate: limit ? { limit: Number(limit), perMs: Number(perMs), burst: Number(burst) } : null,
        ageingMs: numberOf(ageingMs),
        weight: numberOf(weight),
        running: Number(running),
        freeAt: freeMs ? new Date(Number(freeMs)) : null,
        setAt: new Date(at as string),
        setBy: by ?? null,
      }),
    )
  }
}

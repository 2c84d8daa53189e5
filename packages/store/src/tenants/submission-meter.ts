/**
 * Submissions a second of tenants that have such a quota. A node takes a tenth of a second's quota from the database at a
 * time, for the second that the database's clock shows, and spends it within that second: all nodes together are
 * granted the quota in each second, and not one more. What a node has taken and does not spend is lost for that second.
 */
import { quotaExceeded } from '@punctual/core/identity'
import type { Database } from '../connection/database.ts'

interface Allowance {
  readonly second: number
  left: number
  /** So many were refused in this second: as many, or more, need not ask again. */
  readonly refused: number
  /** What was granted to all nodes in this second, as far as is known. */
  readonly used: number
}

/** A node asks this often in a second at most, where each submission is one run. */
const PARTS = 10

export class SubmissionMeter {
  readonly #database: Database
  readonly #allowances = new Map<number, Allowance>()
  /** One question a tenant at a time: those that come meanwhile share what it brings. */
  readonly #asking = new Map<number, Promise<void>>()

  constructor(database: Database) {
    this.#database = database
    database.onNewTimeline.push(() => this.#allowances.clear())
  }

  /** @throws `rate_exceeded`, or `quota_exceeded` when it would never fit. */
  async take(tenantId: number, count: number, quota: number): Promise<void> {
    if (count > quota) throw quotaExceeded('submissionsPerSecond', quota, { used: count })
    while (!this.#spend(tenantId, count, quota)) {
      const asking = this.#asking.get(tenantId)
      if (asking === undefined) return this.#ask(tenantId, count, quota)
      await asking.catch(() => undefined)
    }
  }

  #spend(tenantId: number, count: number, quota: number): boolean {
    const allowance = this.#allowances.get(tenantId)
    const nowMs = this.#database.clock.nowMs()
    if (allowance?.second !== Math.floor(nowMs / 1_000)) return false
    if (allowance.left >= count) {
      allowance.left -= count
      return true
    }
    if (count >= allowance.refused && quota - allowance.used < count)
      throw exceeded(quota, allowance.used + count, (allowance.second + 1) * 1_000 - nowMs)
    return false
  }

  #ask(tenantId: number, count: number, quota: number): Promise<void> {
    const asking = this.#take(tenantId, count, quota).finally(() => this.#asking.delete(tenantId))
    this.#asking.set(tenantId, asking)
    return asking
  }

  async #take(tenantId: number, count: number, quota: number): Promise<void> {
    const { control: read, transactions } = this.#database
    const statement = this.#database.statement('tenants/take-submissions')
    const values = [tenantId, count, Math.max(count, Math.ceil(quota / PARTS)), quota]
    // Apart from the caller's transaction: others do not wait for its end to be counted.
    const [row] = await transactions.apart(() => read.query(statement, values))
    const [second, granted, used, leftMs] = (row ?? []).map(Number) as [
      ...[number, number, number, number],
    ]
    const before = this.#allowances.get(tenantId)
    const left = before?.second === second ? before.left : 0
    const refused = granted === 0 ? count : Number.POSITIVE_INFINITY
    // What was granted just now counts for its second, also when that has passed by the time that the answer is here.
    const spent = granted === 0 ? 0 : count
    this.#allowances.set(tenantId, { second, left: left + granted - spent, refused, used })
    if (granted === 0) throw exceeded(quota, used + count, leftMs)
  }
}

function exceeded(quota: number, used: number, leftMs: number) {
  const retryAfterMs = Math.max(1, Math.ceil(leftMs))
  return quotaExceeded('submissionsPerSecond', quota, { used, retryAfterMs })
}

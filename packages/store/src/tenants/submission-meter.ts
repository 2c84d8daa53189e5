/**
 * Meters submissions per second for tenants with such a quota. A node takes a tenth of a second's
 * quota from the database at a time, for the second that the database's clock shows, and spends it
 * within that second: all nodes together are granted exactly the quota in each second. Permits that
 * a node takes and does not spend are lost for that second.
 */
import { invariant } from '@punctual/core/errors'
import { quotaExceeded } from '@punctual/core/identity'
import type { Database } from '../connection/database.ts'
import { takeSubmissions } from './statements.gen.ts'

interface Allowance {
  readonly second: number
  left: number
  /** The smallest count refused in this second: requests for as many or more need no query. */
  readonly refused: number
  /** The permits granted to all nodes in this second, as far as is known. */
  readonly used: number
}

/** How many queries per second a node needs at most, when each submission is one run. */
const PARTS = 10

export class SubmissionMeter {
  readonly #database: Database
  readonly #allowances = new Map<number, Allowance>()
  /** One query per tenant at a time: callers that arrive meanwhile share its permits. */
  readonly #taking = new Map<number, Promise<void>>()

  constructor(database: Database) {
    this.#database = database
    database.onNewTimeline.push(() => this.#allowances.clear())
  }

  /** @throws `rate_exceeded`, or `quota_exceeded` when it would never fit. */
  async take(tenantId: number, count: number, quota: number): Promise<void> {
    if (count > quota) throw quotaExceeded('submissionsPerSecond', quota, { used: count })
    while (!this.#spend(tenantId, count, quota)) {
      const taking = this.#taking.get(tenantId)
      if (taking === undefined) return this.#startTaking(tenantId, count, quota)
      await taking.catch(() => undefined)
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

  #startTaking(tenantId: number, count: number, quota: number): Promise<void> {
    const taking = this.#take(tenantId, count, quota).finally(() => this.#taking.delete(tenantId))
    this.#taking.set(tenantId, taking)
    return taking
  }

  async #take(tenantId: number, count: number, quota: number): Promise<void> {
    const { control, ambient } = this.#database
    const wanted = Math.max(count, Math.ceil(quota / PARTS))
    const call = takeSubmissions(tenantId, count, wanted, quota)
    // Outside the caller's transaction: other nodes must not wait for its end to be counted.
    const [taken] = await ambient.outside(() => control.run(call))
    invariant(taken, 'taking submissions returns what was granted')
    const { second, last: granted, granted: used, leftMs } = taken
    const before = this.#allowances.get(tenantId)
    const left = before?.second === second ? before.left : 0
    const refused = granted === 0 ? count : Number.POSITIVE_INFINITY
    // Permits count for the second they were granted in, even if it has ended when the answer
    // arrives.
    const spent = granted === 0 ? 0 : count
    this.#allowances.set(tenantId, { second, left: left + granted - spent, refused, used })
    if (granted === 0) throw exceeded(quota, used + count, leftMs)
  }
}

function exceeded(quota: number, used: number, leftMs: number) {
  const retryAfterMs = Math.max(1, Math.ceil(leftMs))
  return quotaExceeded('submissionsPerSecond', quota, { used, retryAfterMs })
}

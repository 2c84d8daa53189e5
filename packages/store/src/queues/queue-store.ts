/** Queues for humans: their depths, recent ends and pauses; pausing and resuming. */
import { limits, PunctualError } from '@punctual/core/errors'
import { boundReached } from '@punctual/core/identity'
import type { LaneDepth, Pause } from '@punctual/core/queue'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { listDepths, sumCounters } from '../lanes/statements.gen.ts'
import { listClaims, listPauses, pauseQueue, resumeQueue } from './statements.gen.ts'

const CLAIMS_END_MS = 10_000
const LOOK_AGAIN_MS = 5

export class QueueStore {
  readonly #database: Database
  readonly #signals: Signals

  constructor(database: Database, signals: Signals) {
    this.#database = database
    this.#signals = signals
  }

  /**
   * Pauses a queue, or with null all of them; false when it was already paused. Resolves once
   * nothing more is claimed: claims that began earlier do not see the pause, so it waits for them.
   * @throws `quota_exceeded`
   */
  async pause(
    queue: string | null,
    author: { readonly note: string | null; readonly by: string | null },
    tenantId = 1,
  ): Promise<boolean> {
    const { note, by } = author
    const call = pauseQueue(tenantId, queue, note, by, limits.pausesPerTenant)
    const [row] = await this.#database.control.run(call)
    if (!row?.isLeft) throw boundReached('pausesPerTenant')
    // Even if it was already paused: that call may still be waiting for claims.
    await this.claimsEnded()
    return row.pausedAt !== null
  }

  async #claims(): Promise<string[]> {
    const rows = await this.#database.control.run(listClaims())
    return rows.map(({ virtualtransaction }) => virtualtransaction)
  }

  /** Waits for earlier claims, which do not see a pause; in a transaction, after its commit. */
  claimsEnded(): Promise<void> {
    return this.#database.ambient.afterCommit(() => this.#claimsEnded())
  }

  async #claimsEnded(): Promise<void> {
    const { localClock } = this.#database
    const endMs = localClock.monotonicMs() + CLAIMS_END_MS
    let left = await this.#claims()
    while (left.length > 0) {
      if (localClock.monotonicMs() > endMs)
        throw new PunctualError(
          'database_unavailable',
          `A claim that began before the pause has not ended within ${CLAIMS_END_MS} ms and may still take runs. Repeat the call to wait for it.`,
        )
      await localClock.sleep(LOOK_AGAIN_MS)
      const underWay = new Set(await this.#claims())
      left = left.filter((transaction) => underWay.has(transaction))
    }
  }

  /** False when it was not paused. Workers are notified at once. */
  async resume(queue: string | null, tenantId = 1): Promise<boolean> {
    const rows = await this.#database.control.run(resumeQueue(tenantId, queue))
    if (rows.length > 0) this.#signals.anything()
    return rows.length > 0
  }

  /** Lists the pauses, that of all queues first. */
  pauses(tenantId = 1): Promise<Pause[]> {
    return this.#database.control.run(listPauses(tenantId))
  }

  /** How many runs wait and run in each lane; counted up to 10,000 per lane. */
  async depths(tenantId: number | null = null): Promise<LaneDepth[]> {
    const rows = await this.#database.browse.run(listDepths(tenantId))
    return rows.map((row) => ({ ...row, oldestMs: row.oldestMs ?? 0 }))
  }

  /** How many runs ended in the last `seconds`, by queue and state. */
  endedSince(seconds: number, tenantId: number | null = null) {
    return this.#database.browse.run(sumCounters(tenantId, seconds))
  }
}

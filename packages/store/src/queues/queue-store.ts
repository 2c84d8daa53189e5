/** Queues for humans: their depths, recent ends and pauses; pausing and resuming. */
import { PunctualError } from '@punctual/core/errors'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'
import { listDepths, sumCounters } from '../lanes/statements.gen.ts'
import { listClaims, listPauses, pauseQueue, resumeQueue } from './statements.gen.ts'

const CLAIMS_END_MS = 10_000
const LOOK_AGAIN_MS = 5

/** The runs that wait and run in one lane: one queue, one handler, one priority. */
export interface LaneDepth {
  /** The lane's tenant. */
  readonly tenantId: number
  /** The queue that runs are submitted to. */
  readonly queue: string
  /** The name of the handler. */
  readonly handler: string
  /** The priority, from 0 to 10. */
  readonly priority: number
  /** Whether workers take nothing from it. */
  readonly paused: boolean
  /** Runs that are due and wait for a worker; counted up to 10,000. */
  readonly due: number
  /** Runs that become due within about a minute. */
  readonly waiting: number
  /** How long the oldest due run has waited. */
  readonly oldestMs: number
  /** Runs that workers hold. */
  readonly running: number
}

/** A pause of one queue or of all queues. */
export interface Pause {
  /** Null for a pause of all queues. */
  readonly queue: string | null
  /** When it was paused. */
  readonly pausedAt: Date
  /** The reason; null if none was given. */
  readonly note: string | null
  /** Who paused it; null if unknown. */
  readonly pausedBy: string | null
}

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
   */
  async pause(
    queue: string | null,
    author: { readonly note: string | null; readonly by: string | null },
    tenantId = 1,
  ): Promise<boolean> {
    const call = pauseQueue(tenantId, queue, author.note, author.by)
    const rows = await this.#database.control.run(call)
    // Even if it was already paused: that call may still be waiting for claims.
    await this.claimsEnded()
    return rows.length > 0
  }

  async #claims(): Promise<string[]> {
    const rows = await this.#database.control.run(listClaims())
    return rows.map(({ virtualtransaction }) => virtualtransaction)
  }

  /** Waits for earlier claims, which do not see a pause; in a transaction, after its commit. */
  claimsEnded(): Promise<void> {
    return this.#database.transactions.afterCommit(() => this.#claimsEnded())
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
    const rows = await this.#database.control.run(listDepths(tenantId))
    return rows.map((row) => ({ ...row, oldestMs: row.oldestMs ?? 0 }))
  }

  /** How many runs ended in the last `seconds`, by queue and state. */
  endedSince(seconds: number, tenantId: number | null = null) {
    return this.#database.control.run(sumCounters(tenantId, seconds))
  }
}

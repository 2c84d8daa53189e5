/** Queues for humans: their depths, recent ends and pauses; pausing and resuming. */
import { PunctualError } from '@punctual/core/errors'
import type { LaneDepth, Pause } from '@punctual/core/queue'
import { type FinalState, finalStateOf } from '@punctual/core/run'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'

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
   */
  async pause(
    queue: string | null,
    author: { readonly note: string | null; readonly by: string | null },
    tenantId = 1,
  ): Promise<boolean> {
    const values = [tenantId, queue, author.note, author.by]
    const statement = this.#database.statement('queues/pause-queue')
    const rows = await this.#database.control.query(statement, values)
    // Even if it was already paused: that call may still be waiting for claims.
    await this.claimsEnded()
    return rows.length > 0
  }

  async #claims(): Promise<string[]> {
    const { control } = this.#database
    const rows = await control.query(this.#database.statement('queues/list-claims'))
    return rows.map(([transaction]) => transaction as string)
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
    const statement = this.#database.statement('queues/resume-queue')
    const rows = await this.#database.control.query(statement, [tenantId, queue])
    if (rows.length > 0) this.#signals.anything()
    return rows.length > 0
  }

  /** Lists the pauses, that of all queues first. */
  async pauses(tenantId = 1): Promise<Pause[]> {
    const statement = this.#database.statement('queues/list-pauses')
    const rows = await this.#database.control.query(statement, [tenantId])
    return rows.map(([queue, pausedAt, note, pausedBy]) => ({
      queue: queue ?? null,
      pausedAt: new Date(pausedAt as string),
      note: note ?? null,
      pausedBy: pausedBy ?? null,
    }))
  }

  /** How many runs wait and run in each lane; counted up to 10,000 per lane. */
  async depths(tenantId: number | null = null): Promise<LaneDepth[]> {
    const statement = this.#database.statement('lanes/list-depths')
    const rows = await this.#database.control.query(statement, [tenantId])
    return rows.map(
      ([tenant, queue, handler, priority, paused, due, waiting, oldestMs, running]) => ({
        tenantId: Number(tenant),
        queue: queue as string,
        handler: handler as string,
        priority: Number(priority),
        paused: paused === 't',
        due: Number(due),
        waiting: Number(waiting),
        oldestMs: Number(oldestMs ?? 0),
        running: Number(running),
      }),
    )
  }

  /** How many runs ended in the last `seconds`, by queue and state. */
  async endedSince(seconds: number, tenantId: number | null = null) {
    const statement = this.#database.statement('lanes/sum-counters')
    const rows = await this.#database.control.query(statement, [tenantId, seconds])
    return rows.map(([queue, state, runs]) => ({
      queue: queue as string,
      state: finalStateOf.get(Number(state)) as FinalState,
      runs: Number(runs),
    }))
  }
}

/** Queues as people see and steer them: how deep they are, what ended, and which are paused. */
import { PunctualError } from '@punctual/core/errors'
import { type FinalState, finalStateOf } from '@punctual/core/run'
import type { Database } from '../connection/database.ts'
import type { Signals } from '../connection/signals.ts'

const CLAIMS_END_MS = 10_000
const LOOK_AGAIN_MS = 5

/** What waits and runs in one lane: the runs of a queue with one handler and one priority. */
export interface LaneDepth {
  /** The tenant that it belongs to. */
  readonly tenantId: number
  /** Its queue. */
  readonly queue: string
  /** Its handler. */
  readonly handler: string
  /** Its priority. */
  readonly priority: number
  /** Nothing is taken from it. */
  readonly paused: boolean
  /** Runs that are due and wait for a worker, counted to 10,000. */
  readonly due: number
  /** Runs whose time comes within a minute or so. */
  readonly waiting: number
  /** How long the oldest due run has waited. */
  readonly oldestMs: number
  /** Runs that workers have. */
  readonly running: number
}

/** That a queue, or everything, is paused. */
export interface Pause {
  /** Null when everything is paused. */
  readonly queue: string | null
  /** Since when. */
  readonly pausedAt: Date
  /** Why, where that was said. */
  readonly note: string | null
  /** By whom, where that was said. */
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
   * Pauses a queue, or with null all of them; false when it was paused already. Once it resolves nothing more is
   * claimed: claims that began before are waited for, because they do not see the pause.
   */
  async pause(
    queue: string | null,
    about: { readonly note: string | null; readonly by: string | null },
    tenantId = 1,
  ): Promise<boolean> {
    const values = [tenantId, queue, about.note, about.by]
    const statement = this.#database.statement('queues/pause-queue')
    const rows = await this.#database.control.query(statement, values)
    // Also when it was paused already: whoever did so may still be waiting.
    await this.claimsEnded()
    return rows.length > 0
  }

  async #claims(): Promise<string[]> {
    const { control: read } = this.#database
    const rows = await read.query(this.#database.statement('queues/list-claims'))
    return rows.map(([transaction]) => transaction as string)
  }

  /** Waits until claims that began before have ended: they do not see a pause. Within a transaction, after its commit. */
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
          `It is paused, but a claim that began before has not ended within ${CLAIMS_END_MS} ms and may yet take runs. Ask again to wait for it.`,
        )
      await localClock.sleep(LOOK_AGAIN_MS)
      const underWay = new Set(await this.#claims())
      left = left.filter((transaction) => underWay.has(transaction))
    }
  }

  /** False when it was not paused. Workers are told at once. */
  async resume(queue: string | null, tenantId = 1): Promise<boolean> {
    const statement = this.#database.statement('queues/resume-queue')
    const rows = await this.#database.control.query(statement, [tenantId, queue])
    if (rows.length > 0) this.#signals.anything()
    return rows.length > 0
  }

  /** What is paused, that of everything first. */
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

  /** How much waits and runs in each lane; counted up to 10,000 a lane. */
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

  /** How many runs ended in the last so many seconds, by queue and state. */
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

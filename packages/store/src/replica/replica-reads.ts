/**
 * Reads for humans (lists, counts, reports). Served by the read replica when it is fresh enough,
 * else by the primary. Never used for decisions: within a transaction, and within work that decides
 * something, all reads come from the primary (docs/adr/0018).
 *
 * A caller never sees an error of the replica: work that fails there is repeated, as a whole, on
 * the primary. So each answer comes from one server, and never goes back in time between two of its
 * statements. After a fault the replica is left alone for a while and then probed in the
 * background.
 */
import { defaults, PunctualError } from '@punctual/core/errors'
import type { Database } from '../connection/database.ts'
import { isDataFault, isTransient, messageOf } from '../connection/faults.ts'
import { type Readers, readersOf } from './readers.ts'
import { Replica, ReplicaUnfit } from './replica.ts'

/** The pause after the first fault, and the longest after several in a row. */
const REST_MS = 1_000
const REST_MS_MAX = 60_000

export interface ReplicaReadsOptions {
  /** The replica; several hosts separated by commas. @default none: all reads use the primary */
  readonly readUrl?: string
  /** How far the replica may lag. @default 10000 */
  readonly readLagMs?: number
}

/** Whether the replica is in use. */
export type ReplicaState =
  | { readonly used: true; readonly lagMs: number }
  | { readonly used: false; readonly why: string }

export class ReplicaReads {
  /** Called when the replica is skipped from now on, and when it is used again. */
  readonly onChange: ((state: ReplicaState) => void)[] = []
  readonly #database: Database
  readonly #primary: Readers
  readonly #replica: Replica | null
  #faults = 0
  #restUntilMs: number | null = null
  #probing = false
  /** Whether the replica was in use by the last report. */
  #used = true
  #closed = false

  constructor(
    database: Database,
    { readUrl, readLagMs: lagMs = defaults.readLagMs }: ReplicaReadsOptions,
  ) {
    this.#database = database
    this.#primary = readersOf(database)
    this.#replica = readUrl === undefined ? null : new Replica({ url: readUrl, database, lagMs })
  }

  /** Runs all reads of the work on one server. The work may run twice: it must have no effects. */
  async read<T>(work: (readers: Readers) => Promise<T>): Promise<T> {
    const replica = this.#replica
    if (!replica || this.#database.ambient.decides || this.#rests(replica))
      return work(this.#primary)
    const { connection } = replica
    try {
      const lagMs = await replica.look(connection)
      const answer = await work(connection.readers)
      this.#worked(lagMs)
      return answer
    } catch (error) {
      if (isRequestError(error)) throw error
      this.#failed(error)
      return work(this.#primary)
    }
  }

  /** Checks the replica now; null when there is none. */
  async look(): Promise<ReplicaState | null> {
    if (!this.#replica) return null
    try {
      return { used: true, lagMs: await this.#replica.look(this.#replica.connection) }
    } catch (error) {
      return { used: false, why: messageOf(error) }
    }
  }

  /** The lag that is allowed for reads; null without a replica. */
  get lagMs(): number | null {
    return this.#replica?.lagMs ?? null
  }

  /** Whether the replica is left alone. After the pause one probe runs; no caller waits for it. */
  #rests(replica: Replica): boolean {
    if (this.#restUntilMs === null) return false
    if (this.#probing || this.#database.localClock.monotonicMs() < this.#restUntilMs) return true
    this.#probing = true
    void this.#database.ambient
      .outside(() => replica.look(replica.connection))
      .then(
        // The next read finds out whether it works.
        () => {
          this.#restUntilMs = null
        },
        (error) => this.#failed(error),
      )
      .finally(() => {
        this.#probing = false
      })
    return true
  }

  #worked(lagMs: number): void {
    this.#faults = 0
    this.#restUntilMs = null
    if (!this.#used) this.#report({ used: true, lagMs })
  }

  #failed(error: unknown): void {
    // A transient fault, such as a conflict with WAL replay: the next read may use the replica.
    if (isTransient(error) || this.#closed) return
    this.#faults++
    const restMs = Math.min(REST_MS * 2 ** (this.#faults - 1), REST_MS_MAX)
    this.#restUntilMs = this.#database.localClock.monotonicMs() + restMs
    // A replica that lags only briefly is not reported.
    const brief = error instanceof ReplicaUnfit && error.behind && this.#faults === 1
    if (this.#used && !brief) this.#report({ used: false, why: messageOf(error) })
  }

  #report(state: ReplicaState): void {
    this.#used = state.used
    for (const changed of this.onChange) changed(state)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#replica?.close()
  }
}

/** Whether the request itself is at fault: the primary would answer the same. */
function isRequestError(error: unknown): boolean {
  if (error instanceof PunctualError) return error.code !== 'database_unavailable'
  return isDataFault(error)
}

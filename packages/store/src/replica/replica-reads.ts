/**
 * What people read, of a standby where there is one that can be shown, otherwise of the primary. Nothing is decided by it:
 * within a transaction, and within work that decides, it reads the primary, whatever there is (docs/adr/0018).
 *
 * Whoever reads never meets an error of the standby: what fails there is read again, all of it, from the primary. So one
 * answer is of one server, and never goes back in time between two of its statements. After a fault the standby rests, and
 * is looked at behind the back of those who read.
 */
import { defaults, PunctualError } from '@punctual/core/errors'
import type { Database } from '../connection/database.ts'
import { isDataFault, isTransient } from '../connection/faults.ts'
import { type Readers, readersOf } from './readers.ts'
import { Standby, StandbyUnfit } from './standby.ts'

/** After the first fault, and after many in a row. */
const REST_MS = 1_000
const REST_MS_MAX = 60_000

export interface ReplicaReadsOptions {
  /** The standby; several hosts with commas. @default none: all is read from the primary */
  readonly readUrl?: string
  /** How far behind it may be. @default 10000 */
  readonly readLagMs?: number
}

/** What became of the standby. */
export type StandbyState =
  | { readonly used: true; readonly lagMs: number }
  | { readonly used: false; readonly why: string }

export class ReplicaReads {
  /** Called when the standby is passed by from now on, and when it is used again. */
  readonly onChange: ((state: StandbyState) => void)[] = []
  readonly #database: Database
  readonly #primary: Readers
  readonly #standby: Standby | null
  #faults = 0
  #restUntilMs: number | null = null
  #probing = false
  /** What was told last: that it is used, or that it is not. */
  #used = true
  #closed = false

  constructor(
    database: Database,
    { readUrl, readLagMs: lagMs = defaults.readLagMs }: ReplicaReadsOptions,
  ) {
    this.#database = database
    this.#primary = readersOf(database)
    this.#standby = readUrl === undefined ? null : new Standby({ url: readUrl, database, lagMs })
  }

  /** Reads all of this from one server. It may be done twice, and so must have no effects. */
  async read<T>(work: (readers: Readers) => Promise<T>): Promise<T> {
    const standby = this.#standby
    if (!standby || this.#database.transactions.decides || this.#rests(standby))
      return work(this.#primary)
    const { lane } = standby
    try {
      const lagMs = await standby.look(lane)
      const answer = await work(lane.readers)
      this.#worked(lagMs)
      return answer
    } catch (error) {
      if (isOfTheQuestion(error)) throw error
      this.#failed(error)
      return work(this.#primary)
    }
  }

  /** How the standby is now; null when there is none. */
  async look(): Promise<StandbyState | null> {
    if (!this.#standby) return null
    try {
      return { used: true, lagMs: await this.#standby.look(this.#standby.lane) }
    } catch (error) {
      return { used: false, why: (error as Error).message }
    }
  }

  /** How far behind what is read here may be; null when it is never behind. */
  get lagMs(): number | null {
    return this.#standby?.lagMs ?? null
  }

  /** Whether it is left alone. When it has rested it is tried once, and nobody waits for that. */
  #rests(standby: Standby): boolean {
    if (this.#restUntilMs === null) return false
    if (this.#probing || this.#database.localClock.monotonicMs() < this.#restUntilMs) return true
    this.#probing = true
    void this.#database.transactions
      .apart(() => standby.look(standby.lane))
      .then(
        // Whether it works the next one who reads will see.
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
    if (!this.#used) this.#tell({ used: true, lagMs })
  }

  #failed(error: unknown): void {
    // Of the moment, as a conflict with what it has to replay: the next one may be read there.
    if (isTransient(error) || this.#closed) return
    this.#faults++
    const restMs = Math.min(REST_MS * 2 ** (this.#faults - 1), REST_MS_MAX)
    this.#restUntilMs = this.#database.localClock.monotonicMs() + restMs
    // Behind for a moment is nothing to tell of.
    const passing = error instanceof StandbyUnfit && error.behind && this.#faults === 1
    if (this.#used && !passing) this.#tell({ used: false, why: (error as Error).message })
  }

  #tell(state: StandbyState): void {
    this.#used = state.used
    for (const changed of this.onChange) changed(state)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#standby?.close()
  }
}

/** The primary would say the same. */
function isOfTheQuestion(error: unknown): boolean {
  if (error instanceof PunctualError) return error.code !== 'database_unavailable'
  return isDataFault(error)
}

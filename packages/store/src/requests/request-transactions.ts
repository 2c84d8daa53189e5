/**
 * Runs a caller's work in one transaction, again after a transient fault. When the answer to the
 * commit is lost, it asks the server for the transaction's fate: committed work is never repeated.
 */
import { PunctualError } from '@punctual/core/errors'
import type pg from 'pg'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isConnectionFault } from '../connection/faults.ts'
import { type OpenTransaction, TransactionBroken } from '../connection/open-transaction.ts'
import { retrying } from '../connection/retrying.ts'
import { findCommit } from './statements.gen.ts'

const DEADLINE_MS = 30_000
const LOOK_AGAIN_MS = 50
const BEGIN = 'begin isolation level read committed'
/** Returns the transaction id in the round trip of the begin. */
const NUMBERED = 'select pg_current_xact_id()::text as number'

interface Done<T> {
  readonly value: T
  readonly afterCommit: readonly (() => unknown)[]
}

type Work<T> = (transaction: OpenTransaction) => Promise<T>

/** The transaction may have been committed, and the server no longer knows. */
class CommitUnknown extends Error {}

export class RequestTransactions {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #ensurePartitions: () => Promise<void>

  constructor(database: Database, clientPool: ClientPool, ensurePartitions: () => Promise<void>) {
    this.#database = database
    this.#clientPool = clientPool
    this.#ensurePartitions = ensurePartitions
  }

  /** Within a transaction of the caller, the work is a part of that one. */
  async run<T>(work: Work<T>): Promise<T> {
    const { ambient } = this.#database
    const { transaction } = ambient
    if (transaction) return transaction.part(() => work(transaction))
    const { value, afterCommit } = await this.#commit(work)
    await ambient.outside(() => Promise.all(afterCommit.map((then) => then())))
    return value
  }

  async #commit<T>(work: Work<T>): Promise<Done<T>> {
    const bounds = {
      clock: this.#database.localClock,
      deadlineMs: DEADLINE_MS,
      ensurePartitions: this.#ensurePartitions,
    }
    try {
      return await retrying(bounds, () => this.#once(work))
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error
      throw new PunctualError(
        'database_unavailable',
        'The connection to PostgreSQL was lost during a commit, and whether it took effect is unknown. Check the result before you retry.',
        { cause: error.cause },
      )
    }
  }

  async #once<T>(work: Work<T>): Promise<Done<T>> {
    const { ambient, statements, timeoutMs, prepared } = this.#database
    const { rowSecurity } = ambient
    let id = ''
    let done: Done<T> | null = null
    const { timeline } = this.#database
    try {
      const begin = `${rowSecurity ?? BEGIN}; ${NUMBERED}`
      return await this.#clientPool.separateTransaction(
        async (client, begun) => {
          id = numberIn(begun)
          done = await ambient.within(client, { statements, timeoutMs, prepared }, work)
          return done
        },
        { begin },
      )
    } catch (error) {
      if (error instanceof TransactionBroken) throw error.cause
      if (done === null || !isConnectionFault(error)) throw error
      if (await this.#committed(id, timeline, error)) return done
      throw error
    }
  }

  /** Only the server that got the commit knows: on another timeline the id may be another's. */
  async #committed(id: string, timeline: string | null, cause: unknown): Promise<boolean> {
    const { localClock, control } = this.#database
    const endMs = localClock.monotonicMs() + DEADLINE_MS
    for (;;) {
      const bounds = { clock: localClock, deadlineMs: DEADLINE_MS }
      const [row] = await retrying(bounds, () => control.run(findCommit(id)))
      const status = row?.status ?? null
      if (this.#database.timeline !== timeline || status === null)
        throw new CommitUnknown('the outcome of the commit is unknown', { cause })
      if (status !== 'in progress') return status === 'committed'
      if (localClock.monotonicMs() > endMs)
        throw new CommitUnknown('the commit is still in progress', { cause })
      await localClock.sleep(LOOK_AGAIN_MS)
    }
  }
}

/** Reads the id from the answer to the last of several statements. */
function numberIn(begun: readonly pg.QueryResult[]): string {
  return String(begun.at(-1)?.rows[0]?.number)
}

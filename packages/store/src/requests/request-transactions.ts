/**
 * Runs the work of a caller in one transaction, again after a fault of the moment. When the answer to the commit is lost,
 * the server is asked what became of the transaction: work that took place is not done a second time.
 */
import { PunctualError } from '@punctual/core/errors'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isConnectionFault } from '../connection/faults.ts'
import { retrying } from '../connection/retrying.ts'
import { TransactionBroken } from '../connection/transactions.ts'

const DEADLINE_MS = 30_000
const LOOK_AGAIN_MS = 50
const BEGIN = 'begin isolation level read committed'
/** With its number, in one round trip. */
const NUMBERED = 'select pg_current_xact_id()::text as number'

interface Done<T> {
  readonly value: T
  readonly afterCommit: readonly (() => unknown)[]
}

/** It may have been committed, and nobody can tell any more. */
class CommitUnknown extends Error {}

export class RequestTransactions {
  readonly #database: Database
  readonly #clientPool: ClientPool

  constructor(database: Database, clientPool: ClientPool) {
    this.#database = database
    this.#clientPool = clientPool
  }

  async run<T>(work: () => Promise<T>, ensurePartitions: () => Promise<void>): Promise<Done<T>> {
    const bounds = { clock: this.#database.localClock, deadlineMs: DEADLINE_MS, ensurePartitions }
    try {
      return await retrying(bounds, () => this.#once(work))
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error
      throw new PunctualError(
        'database_unavailable',
        'PostgreSQL was lost while it committed; whether it did is not known. Look before you ask again.',
        { cause: error.cause },
      )
    }
  }

  async #once<T>(work: () => Promise<T>): Promise<Done<T>> {
    const { transactions, timeoutMs, prepared } = this.#database
    const { rowSecurity: wall } = transactions
    let id = ''
    let done: Done<T> | null = null
    const { timeline } = this.#database
    try {
      const begin = `${wall ?? BEGIN}; ${NUMBERED}`
      return await this.#clientPool.apart(
        async (client, begun) => {
          id = numberIn(begun)
          done = await transactions.within(client, { timeoutMs, prepared }, work)
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

  /** Only the server that it was sent to knows: on another timeline its number may be that of another one. */
  async #committed(id: string, timeline: string | null, cause: unknown): Promise<boolean> {
    const { localClock, control: read } = this.#database
    const statement = this.#database.statement('requests/find-commit')
    const endMs = localClock.monotonicMs() + DEADLINE_MS
    for (;;) {
      const bounds = { clock: localClock, deadlineMs: DEADLINE_MS }
      const [row] = await retrying(bounds, () => read.query(statement, [id]))
      if (this.#database.timeline !== timeline || row?.[0] === null)
        throw new CommitUnknown('the commit is not known', { cause })
      if (row?.[0] !== 'in progress') return row?.[0] === 'committed'
      if (localClock.monotonicMs() > endMs) throw new CommitUnknown('the commit goes on', { cause })
      await localClock.sleep(LOOK_AGAIN_MS)
    }
  }
}

/** What the last of several statements has answered. */
function numberIn(begun: unknown): string {
  const last = (begun as { rows: { number?: string }[] }[]).at(-1)
  return String(last?.rows[0]?.number)
}

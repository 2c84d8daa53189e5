/**
 * The transactions of handlers: what a handler writes and the success of its run are committed
 * together.
 */
import { encodeJson } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { int4Array, int8Array, textArray, uuidArray } from '../connection/binary-arrays.ts'
import type { ClientPool } from '../connection/client-pool.ts'
import type { Database } from '../connection/database.ts'
import { isConnectionFault } from '../connection/faults.ts'
import { PINNED } from '../connection/pins.ts'
import type { Queryable } from '../connection/queryable.ts'
import { retrying } from '../connection/retrying.ts'
import { findSettled, settleSucceeded } from './statements.gen.ts'
import type { PostgresWorkStore } from './work-store.ts'

/** A transaction may take this long to open: nothing ran yet, so no attempt fails. */
const OPEN_WITHIN_MS = 30_000
const DEADLINE_MS = 30_000

export class HandlerTransactions {
  readonly #database: Database
  readonly #clientPool: ClientPool
  readonly #work: PostgresWorkStore

  /** The connections of the pool hand out parsed values, as handlers expect. */
  constructor(database: Database, clientPool: ClientPool, work: PostgresWorkStore) {
    this.#database = database
    this.#clientPool = clientPool
    this.#work = work
  }

  /**
   * Runs a handler's work and stores the run's success in one transaction. Rejects with
   * `lease_lost` and rolls back when another worker holds the run by now. When the answer to the
   * commit is lost, the outcome shows whether it took place: it names the fence.
   */
  async succeedWith<T>(
    run: ClaimedRun,
    sessionId: string,
    startedAgoMs: () => number,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    const value = await this.#commit(run, sessionId, startedAgoMs, work)
    // The transaction is committed: if this fails, the reaper does it.
    const settlement = { kind: 'succeeded', run, startedAgoMs: 0, output: null } as const
    await this.#work.follow([settlement]).catch(() => undefined)
    return value
  }

  async #commit<T>(
    run: ClaimedRun,
    sessionId: string,
    startedAgoMs: () => number,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> {
    /** Set once the success is stored and only the commit is left. */
    const stored: { output?: { readonly value: T } } = {}
    try {
      return await this.#clientPool.transactionOnceOpen(OPEN_WITHIN_MS, async (client) => {
        const value = await work(client)
        // The next statement locks the lease: if this process stops before the commit, the server
        // ends the idle transaction, and the reaper gets the lease back.
        const pins = PINNED.slice(PINNED.indexOf(';') + 1)
        await client.query(`${pins}; set local idle_in_transaction_session_timeout = '60s'`)
        const call = settleSucceeded(
          sessionId,
          uuidArray([run.id]),
          int8Array([run.fence]),
          int4Array([Math.round(startedAgoMs())]),
          value === undefined || value === null ? null : textArray([encodeJson(value, 'output')]),
        )
        const [row] = await this.#database.runIn(client, call)
        if (row?.accepted !== null)
          throw new PunctualError(
            'lease_lost',
            `Run ${run.id} was given to another worker; this attempt changed nothing.`,
            { id: run.id },
          )
        stored.output = { value }
        return value
      })
    } catch (error) {
      const { output } = stored
      if (output && isConnectionFault(error) && (await this.#hasSucceeded(run))) return output.value
      throw error
    }
  }

  async #hasSucceeded(run: ClaimedRun): Promise<boolean> {
    const { localClock, control } = this.#database
    const settled = await retrying({ clock: localClock, deadlineMs: DEADLINE_MS }, () =>
      control.run(findSettled(uuidArray([run.id]))),
    )
    return settled.some(
      ({ fence, attemptOutcome }) =>
        fence === run.fence.toString() && attemptOutcome === 'succeeded',
    )
  }
}

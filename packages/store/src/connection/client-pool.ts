/**
 * A pool of connections for transactions of several round trips: keyed submissions, handlers'
 * transactions, upkeep. At most `clientsMax` are in use at once, and each tenant has a share of
 * them; further callers wait, and tenants are served in turn. A connection that failed is
 * discarded, and idle ones are closed after ten seconds.
 */
import type pg from 'pg'
import type { Database } from './database.ts'
import { isConnectionFault } from './faults.ts'
import type { OpenTransaction } from './open-transaction.ts'
import { LOCAL_PINS, PINNED } from './pins.ts'
import { retrying } from './retrying.ts'
import type { ConnectSettings } from './server/endpoint.ts'
import { FairShares } from './shares/fair-shares.ts'

interface OwnTransaction {
  readonly begin?: string
  /** How long the begin and the commit may take. @default the database's `timeoutMs` */
  readonly answerMs?: number
}

export interface ClientPoolBounds {
  /** How many clients are in use at most, by all tenants together. @default 8 */
  readonly clientsMax?: number
  /** How many idle clients stay open for later callers. @default 2 */
  readonly idleMax?: number
}

const CLIENTS_MAX = 8
const IDLE_MAX = 2
const IDLE_MS = 10_000
const REQUESTS = { clientsMax: 8, idleMax: 8 } as const

export class ClientPool {
  readonly #database: Database
  readonly #settings: ConnectSettings
  readonly #idleMax: number
  readonly #idle: pg.Client[] = []
  readonly #shares: FairShares
  #idleTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor(database: Database, settings: ConnectSettings = {}, bounds: ClientPoolBounds = {}) {
    this.#database = database
    this.#settings = settings
    this.#shares = new FairShares({ permits: bounds.clientsMax ?? CLIENTS_MAX })
    this.#idleMax = bounds.idleMax ?? IDLE_MAX
  }

  async with<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { tenantId } = this.#database.ambient
    const waits = this.#shares.take(tenantId)
    if (waits !== undefined) await waits
    let client: pg.Client | undefined
    try {
      client = this.#idle.pop() ?? (await this.#open())
      const result = await work(client)
      this.#release(client)
      return result
    } catch (error) {
      if (client) await this.#recover(client, error)
      throw error
    } finally {
      this.#shares.release(tenantId)
    }
  }

  /**
   * Runs the work in a transaction, committed when it resolves and rolled back when it rejects.
   * Inside a transaction of the caller the work becomes a part of that one.
   */
  transaction<T>(work: (client: pg.Client) => Promise<T>, own: OwnTransaction = {}): Promise<T> {
    return this.join(this.#database.ambient.transaction, work, own)
  }

  /** Runs the work as a part of this transaction, or with null in a separate one. */
  join<T>(
    transaction: OpenTransaction | null,
    work: (client: pg.Client) => Promise<T>,
    own: OwnTransaction = {},
  ): Promise<T> {
    if (transaction) return transaction.part(work)
    const { rowSecurity } = this.#database.ambient
    return this.separateTransaction(
      work,
      rowSecurity === null ? own : { ...own, begin: rowSecurity },
    )
  }

  /** Like `transaction`, with planner settings that keep statements from reading whole tables. */
  pinned<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.joinPinned(this.#database.ambient.transaction, work)
  }

  /** Like `join`, with the planner settings of `pinned`. */
  async joinPinned<T>(
    transaction: OpenTransaction | null,
    work: (client: pg.Client) => Promise<T>,
  ): Promise<T> {
    await transaction?.pin()
    const { rowSecurity } = this.#database.ambient
    const begin = rowSecurity === null ? PINNED : `${rowSecurity}; ${LOCAL_PINS}`
    return transaction ? transaction.part(work) : this.separateTransaction(work, { begin })
  }

  /** Runs the work in a separate transaction, even inside a transaction of the caller. */
  separateTransaction<T>(
    work: (client: pg.Client, begun: readonly pg.QueryResult[]) => Promise<T>,
    { begin = 'begin isolation level read committed', answerMs }: OwnTransaction = {},
  ): Promise<T> {
    return this.with(async (client) => {
      // The peer may be dead unnoticed: begin and commit have a deadline even if the work has none.
      const query_timeout = answerMs ?? this.#database.timeoutMs
      const begun = await client.query({ text: begin, query_timeout })
      // The driver returns a list when the text has several statements.
      const result = await work(client, Array.isArray(begun) ? begun : [begun])
      await client.query({ text: 'commit', query_timeout })
      return result
    })
  }

  /**
   * Like `transaction`, for work that must run only once: until the work is called, an unreachable
   * server or one without a free connection is retried.
   */
  async transactionOnceOpen<T>(
    openWithinMs: number,
    work: (client: pg.Client) => Promise<T>,
  ): Promise<T> {
    const retries = { clock: this.#database.localClock, deadlineMs: openWithinMs }
    const end = await retrying(retries, async () => {
      let called = false
      const once = (client: pg.Client) => {
        called = true
        return work(client)
      }
      try {
        return { value: await this.transaction(once) }
      } catch (error) {
        if (called) return { error }
        throw error
      }
    })
    if ('error' in end) throw end.error
    return end.value
  }

  async #open(): Promise<pg.Client> {
    const client = await this.#database.connect(this.#settings)
    const drop = () => {
      const at = this.#idle.indexOf(client)
      if (at >= 0) this.#idle.splice(at, 1)
    }
    client.once('end', drop)
    client.once('error', drop)
    return client
  }

  #release(client: pg.Client): void {
    if (this.#closed || this.#idle.length >= this.#idleMax) void client.end().catch(() => undefined)
    else this.#idle.push(client)
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => {
      for (const unused of this.#idle.splice(0)) void unused.end().catch(() => undefined)
    }, IDLE_MS)
    this.#idleTimer.unref()
  }

  async #recover(client: pg.Client, error: unknown): Promise<void> {
    if (!isConnectionFault(error)) {
      const rolledBack = await client.query('rollback').then(
        () => true,
        () => false,
      )
      if (rolledBack) return this.#release(client)
    }
    // Not awaited: `end` waits for an answer that a dead peer never gives.
    void client.end().catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idleTimer)
    await Promise.all(this.#idle.splice(0).map((client) => client.end()))
  }
}

/** The pools of a process, one for each kind of work: none waits for the connections of another. */
export class ClientPools {
  /** Short transactions of several statements. */
  readonly control: ClientPool
  /** For migrations and the upkeep of days, which may take long: no statement timeout. */
  readonly upkeep: ClientPool
  /** The transactions of handlers. */
  readonly handlers: ClientPool
  /** The transactions of requests, in which a part may need a second connection. */
  readonly requests: ClientPool

  constructor(database: Database) {
    const { timeoutMs } = database
    this.control = new ClientPool(database, { timeoutMs })
    this.upkeep = new ClientPool(database)
    this.handlers = new ClientPool(database, { parsed: true })
    this.requests = new ClientPool(database, { timeoutMs }, REQUESTS)
  }

  async close(): Promise<void> {
    const all = [this.control, this.upkeep, this.handlers, this.requests]
    await Promise.all(all.map((clientPool) => clientPool.close()))
  }
}

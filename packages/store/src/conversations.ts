/**
 * A few connections for conversations of several round trips: keyed submissions, transactions of handlers,
 * upkeep. At most so many at once; the others wait their turn. One that failed is thrown away, and so are
 * those that nobody uses.
 */
import type pg from 'pg'
import type { Database } from './database.ts'
import type { ConnectSettings } from './endpoint.ts'
import { isConnectionFault } from './faults.ts'
import { retrying } from './retrying.ts'

type Timed = pg.QueryConfig & { query_timeout: number }

const AT_ONCE = 8
const KEEP = 2
const IDLE_MS = 10_000

export class Conversations {
  readonly #database: Database
  readonly #settings: ConnectSettings
  readonly #idle: pg.Client[] = []
  readonly #waiting: (() => void)[] = []
  #busy = 0
  #resting: NodeJS.Timeout | undefined
  #closed = false

  constructor(database: Database, settings: ConnectSettings = {}) {
    this.#database = database
    this.#settings = settings
  }

  async with<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#busy >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy++
    let client: pg.Client | undefined
    try {
      client = this.#idle.pop() ?? (await this.#open())
      const result = await work(client)
      this.#keep(client)
      return result
    } catch (error) {
      if (client) await this.#recover(client, error)
      throw error
    } finally {
      this.#busy--
      this.#waiting.shift()?.()
    }
  }

  /** Runs the work in a transaction, committed when it resolves and rolled back when it rejects. */
  transaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.with(async (client) => {
      // A connection may be dead and not know: what is quick by nature has a deadline, whatever the work has.
      const query_timeout = this.#database.timeoutMs
      await client.query({ text: 'begin isolation level read committed', query_timeout } as Timed)
      const result = await work(client)
      await client.query({ text: 'commit', query_timeout } as Timed)
      return result
    })
  }

  /**
   * The same for work that is not to be repeated: as long as it has not been called, a server that cannot be reached,
   * or has no connection left, is asked again.
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

  #keep(client: pg.Client): void {
    if (this.#closed || this.#idle.length >= KEEP) void client.end().catch(() => undefined)
    else this.#idle.push(client)
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      for (const unused of this.#idle.splice(0)) void unused.end().catch(() => undefined)
    }, IDLE_MS)
    this.#resting.unref()
  }

  async #recover(client: pg.Client, error: unknown): Promise<void> {
    if (!isConnectionFault(error)) {
      const rolledBack = await client.query('rollback').then(
        () => true,
        () => false,
      )
      if (rolledBack) return this.#keep(client)
    }
    // `end` waits for an answer that a dead peer never gives.
    void client.end().catch(() => undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#resting)
    await Promise.all(this.#idle.splice(0).map((client) => client.end()))
  }
}

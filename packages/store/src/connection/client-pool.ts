/**
 * A few connections for clientPool of several round trips: keyed submissions, transactions of handlers,
 * upkeep. At most so many at once; the others wait their turn. One that failed is thrown away, and so are
 * those that nobody uses.
 */
import type pg from 'pg'
import type { Database } from './database.ts'
import type { ConnectSettings } from './endpoint.ts'
import { isConnectionFault } from './faults.ts'
import { LOCAL_PINS, PINNED } from './pins.ts'
import { retrying } from './retrying.ts'

type Timed = pg.QueryConfig & { query_timeout: number }

interface OwnTransaction {
  readonly begin?: string
  /** How long the begin and the commit may take. @default as any statement */
  readonly answerMs?: number
}

export interface ClientPoolBounds {
  /** How many at most; the others wait. @default 8 */
  readonly atOnce?: number
  /** How many are kept open for those to come. @default 2 */
  readonly keep?: number
}

const AT_ONCE = 8
const KEEP = 2
const IDLE_MS = 10_000

export class ClientPool {
  readonly #database: Database
  readonly #settings: ConnectSettings
  readonly #atOnce: number
  readonly #keep: number
  readonly #idle: pg.Client[] = []
  readonly #waiting: (() => void)[] = []
  #busy = 0
  #resting: NodeJS.Timeout | undefined
  #closed = false

  constructor(database: Database, settings: ConnectSettings = {}, bounds: ClientPoolBounds = {}) {
    this.#database = database
    this.#settings = settings
    this.#atOnce = bounds.atOnce ?? AT_ONCE
    this.#keep = bounds.keep ?? KEEP
  }

  async with<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#busy >= this.#atOnce)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy++
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
      this.#busy--
      this.#waiting.shift()?.()
    }
  }

  /**
   * Runs the work in a transaction, committed when it resolves and rolled back when it rejects: as a part of the one
   * that the caller runs in, where there is one.
   */
  transaction<T>(work: (client: pg.Client) => Promise<T>, own: OwnTransaction = {}): Promise<T> {
    const { current, rowSecurity: wall } = this.#database.transactions
    if (current) return current.part(work)
    return this.apart(work, wall === null ? own : { ...own, begin: wall })
  }

  /** The same, with statements that must not fall back to reading whole tables. */
  async pinned<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const { current, rowSecurity: wall } = this.#database.transactions
    if (!current)
      return this.apart(work, { begin: wall === null ? PINNED : `${wall}; ${LOCAL_PINS}` })
    await current.pin()
    return current.part(work)
  }

  /** In a transaction of its own, whatever the caller runs in. */
  apart<T>(
    work: (client: pg.Client, begun: unknown) => Promise<T>,
    { begin = 'begin isolation level read committed', answerMs }: OwnTransaction = {},
  ): Promise<T> {
    return this.with(async (client) => {
      // A connection may be dead and not know: what is quick by nature has a deadline, whatever the work has.
      const query_timeout = answerMs ?? this.#database.timeoutMs
      const begun: unknown = await client.query({ text: begin, query_timeout } as Timed)
      const result = await work(client, begun)
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

  #release(client: pg.Client): void {
    if (this.#closed || this.#idle.length >= this.#keep) void client.end().catch(() => undefined)
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
      if (rolledBack) return this.#release(client)
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

/**
 * One transaction around whatever the store is asked to do within a piece of work: a change, what is remembered of the
 * request that asked for it, and what the audit log says of it are committed together or not at all. The work carries
 * its transaction along (AsyncLocalStorage), so that no signature knows of it: connections look here first.
 *
 * What must not be undone with the work, as numbers that this process remembers, is done `apart`. What may be told only
 * once it is true, as hints, waits until `afterCommit`. In the same way work carries along the wall of a tenant that it
 * is behind (tenant-wall.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { isConnectionFault, isMissingPartition, isTransient } from './faults.ts'
import { PINS } from './pins.ts'
import type { Row, Value } from './row.ts'
import type { Statement } from './statements.ts'

/** The whole transaction has to be done again: nothing inside of it can mend this. */
export class TransactionBroken extends Error {
  constructor(cause: unknown) {
    super('The transaction is broken', { cause })
  }
}

export interface TransactionSettings {
  /** How long any statement may take. */
  readonly timeoutMs: number
  /** Whether statements are named, so that the server keeps their plans. */
  readonly prepared: boolean
  readonly walled: boolean
}

/** A transaction that is open, on a connection that nobody else uses. */
export class OpenTransaction {
  readonly client: pg.Client
  readonly #settings: TransactionSettings
  readonly #afterCommit: (() => unknown)[] = []
  #pinned: Promise<unknown> | null = null
  #savepoints = 0
  open = true

  constructor(client: pg.Client, settings: TransactionSettings) {
    this.client = client
    this.#settings = settings
  }

  async query({ name, text }: Statement, values: readonly Value[]): Promise<Row[]> {
    const { timeoutMs, prepared, walled } = this.#settings
    const query = {
      ...{ text, values: values as unknown[], rowMode: 'array' as const },
      query_timeout: timeoutMs,
      // Behind the wall it is another plan.
      ...(prepared && name !== '' && { name: walled ? `${name}@tenant` : name }),
    }
    try {
      return (await this.client.query(query)).rows as Row[]
    } catch (error) {
      // Whoever tries again on a connection of his own cannot do so here: all that came before is undone with it.
      if (isConnectionFault(error) || isTransient(error) || isMissingPartition(error))
        throw new TransactionBroken(error)
      throw error
    }
  }

  /** As on a connection that is used for pinned statements only, from here to the end of the transaction. */
  async pin(): Promise<void> {
    this.#pinned ??= this.client.query(PINS.map((pin) => `set local ${pin}`).join('; '))
    await this.#pinned
  }

  /** A part that may fail by itself: what it has done is undone then, and the rest may go on. */
  async part<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const name = `part_${++this.#savepoints}`
    await this.client.query(`savepoint ${name}`)
    try {
      const result = await work(this.client)
      await this.client.query(`release savepoint ${name}`)
      return result
    } catch (error) {
      await this.client.query(`rollback to savepoint ${name}`).catch(() => undefined)
      throw isConnectionFault(error) ? new TransactionBroken(error) : error
    }
  }

  afterCommit(work: () => unknown): void {
    this.#afterCommit.push(work)
  }

  /** What waits for the commit, each once. */
  takeAfterCommit(): readonly (() => unknown)[] {
    return this.#afterCommit.splice(0)
  }
}

/** In what the caller runs. */
interface Surroundings {
  readonly transaction: OpenTransaction | null
  /** How a transaction begins that is behind the wall of a tenant. */
  readonly rowSecurity: string | null
  /** Something is decided here: what it rests on is read where it is written. */
  readonly deciding: boolean
}

const OPEN_GROUND: Surroundings = { transaction: null, rowSecurity: null, deciding: false }

/** The transactions of one database, each known to the work that runs in it. */
export class Transactions {
  readonly #storage = new AsyncLocalStorage<Surroundings>()

  /** The one that the caller runs in; null when it runs in none, or in one that has ended. */
  get current(): OpenTransaction | null {
    const transaction = this.#storage.getStore()?.transaction
    return transaction?.open ? transaction : null
  }

  /** How a transaction begins here; null where there is no wall. */
  get rowSecurity(): string | null {
    return this.#storage.getStore()?.rowSecurity ?? null
  }

  /** Does this behind a wall: every transaction and every lone statement begins with it. */
  withRowSecurity<T>(wall: string, work: () => T): T {
    return this.#storage.run({ transaction: null, rowSecurity: wall, deciding: this.decides }, work)
  }

  /** Whether what the caller reads is to come from the primary: it is in a transaction, or decides something. */
  get decides(): boolean {
    return this.current !== null || this.#storage.getStore()?.deciding === true
  }

  /** Does work that decides something: nothing that it reads is behind. */
  deciding<T>(work: () => T): T {
    const surroundings = this.#storage.getStore() ?? OPEN_GROUND
    return this.#storage.run({ ...surroundings, deciding: true }, work)
  }

  /** Does this outside of the transaction and of the wall that the caller may be in. */
  apart<T>(work: () => T): T {
    const { transaction, rowSecurity: wall, deciding } = this.#storage.getStore() ?? OPEN_GROUND
    if (transaction === null && wall === null) return work()
    return this.#storage.run({ ...OPEN_GROUND, deciding }, work)
  }

  /** Does this once it is committed; now where there is no transaction, and then resolves with it. */
  async afterCommit(work: () => unknown): Promise<void> {
    const { current } = this
    if (current) current.afterCommit(work)
    else await this.apart(work)
  }

  /** Whether this is done once it is committed; false where there is no transaction, and nothing is done. */
  defers(work: () => unknown): boolean {
    const { current } = this
    current?.afterCommit(work)
    return current !== null
  }

  /** Runs the work in a transaction that was begun on this connection; the caller commits. */
  async within<T>(
    client: pg.Client,
    settings: Omit<TransactionSettings, 'walled'>,
    work: () => Promise<T>,
  ): Promise<{ value: T; afterCommit: readonly (() => unknown)[] }> {
    const { rowSecurity: wall } = this
    const transaction = new OpenTransaction(client, { ...settings, walled: wall !== null })
    try {
      const value = await this.#storage.run(
        { transaction, rowSecurity: wall, deciding: true },
        work,
      )
      return { value, afterCommit: transaction.takeAfterCommit() }
    } finally {
      transaction.open = false
    }
  }
}

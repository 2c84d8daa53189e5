/**
 * Carries one transaction through everything that the store does within a piece of work: a change,
 * the stored response to its request, and its audit log entry commit together or not at all. An
 * AsyncLocalStorage holds the transaction, so that no signature mentions it: connections look here
 * first.
 *
 * Work that must not be rolled back with the caller's, such as filling a cache, runs `outside`.
 * Work that is only right once the change is committed, such as a hint, waits until `afterCommit`.
 * The tenant of row security (tenants/row-security.ts) travels in the same way.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import type { Cells as Row } from '../sql/cells.ts'
import type { Value } from '../sql/typed.ts'
import { isConnectionFault, isMissingPartition, isTransient } from './faults.ts'
import type { TextQuery } from './pg-augmentation.ts'
import { PINS } from './pins.ts'
import type { Statement } from './statements.ts'

/** The whole transaction must run again: nothing inside it can recover from this fault. */
export class TransactionBroken extends Error {
  constructor(cause: unknown) {
    super('The transaction is broken', { cause })
  }
}

export interface TransactionSettings {
  /** Limit for any statement. */
  readonly timeoutMs: number
  /** Whether statements are named, so that the server keeps their plans. */
  readonly prepared: boolean
  /** Whether the transaction runs as the tenant role. */
  readonly rowSecurity: boolean
}

/** An open transaction, on a connection that nothing else uses. */
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
    const { timeoutMs, prepared, rowSecurity } = this.#settings
    const query: TextQuery = {
      ...{ text, values, rowMode: 'array', query_timeout: timeoutMs },
      // Under row security the server makes another plan.
      ...(prepared && name !== '' && { name: rowSecurity ? `${name}@tenant` : name }),
    }
    try {
      return (await this.client.query(query)).rows
    } catch (error) {
      // No retry of a single statement here: the fault undoes everything before it.
      if (isConnectionFault(error) || isTransient(error) || isMissingPartition(error))
        throw new TransactionBroken(error)
      throw error
    }
  }

  /** Applies the planner settings of pinned statements until the end of the transaction. */
  async pin(): Promise<void> {
    this.#pinned ??= this.client.query(PINS.map((pin) => `set local ${pin}`).join('; '))
    await this.#pinned
  }

  /** Runs a part that may fail alone: its changes roll back, and the transaction continues. */
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

  /** Removes and returns the work that waits for the commit. */
  takeAfterCommit(): readonly (() => unknown)[] {
    return this.#afterCommit.splice(0)
  }
}

/** The transaction, tenant and mode that the caller runs in. */
interface Context {
  readonly transaction: OpenTransaction | null
  /** The text that begins a transaction under the row security of a tenant. */
  readonly rowSecurity: string | null
  /** The work decides something: its reads come from the server that it writes to. */
  readonly deciding: boolean
}

const NO_CONTEXT: Context = { transaction: null, rowSecurity: null, deciding: false }

/** The transactions of one database, each known to the work that runs in it. */
export class Transactions {
  readonly #storage = new AsyncLocalStorage<Context>()

  /** The caller's transaction; null if it has none, or one that has ended. */
  get current(): OpenTransaction | null {
    const transaction = this.#storage.getStore()?.transaction
    return transaction?.open ? transaction : null
  }

  /** The text that begins a transaction here; null without row security. */
  get rowSecurity(): string | null {
    return this.#storage.getStore()?.rowSecurity ?? null
  }

  /** Runs the work under row security: this text begins every transaction and lone statement. */
  withRowSecurity<T>(rowSecurity: string, work: () => T): T {
    return this.#storage.run({ transaction: null, rowSecurity, deciding: this.decides }, work)
  }

  /** Whether the caller must read the primary: it is in a transaction, or decides something. */
  get decides(): boolean {
    return this.current !== null || this.#storage.getStore()?.deciding === true
  }

  /** Runs work that decides something: it reads nothing from a replica that lags. */
  deciding<T>(work: () => T): T {
    const context = this.#storage.getStore() ?? NO_CONTEXT
    return this.#storage.run({ ...context, deciding: true }, work)
  }

  /** Runs the work outside the caller's transaction and row security. */
  outside<T>(work: () => T): T {
    const { transaction, rowSecurity, deciding } = this.#storage.getStore() ?? NO_CONTEXT
    if (transaction === null && rowSecurity === null) return work()
    return this.#storage.run({ ...NO_CONTEXT, deciding }, work)
  }

  /** Runs the work after the commit; without a transaction at once, and then resolves with it. */
  async afterCommit(work: () => unknown): Promise<void> {
    const { current } = this
    if (current) current.afterCommit(work)
    else await this.outside(work)
  }

  /** Defers the work until the commit and returns true; without a transaction returns false. */
  defers(work: () => unknown): boolean {
    const { current } = this
    current?.afterCommit(work)
    return current !== null
  }

  /** Runs the work in a transaction that was begun on this connection; the caller commits. */
  async within<T>(
    client: pg.Client,
    settings: Omit<TransactionSettings, 'rowSecurity'>,
    work: (transaction: OpenTransaction) => Promise<T>,
  ): Promise<{ value: T; afterCommit: readonly (() => unknown)[] }> {
    const { rowSecurity } = this
    const transaction = new OpenTransaction(client, {
      ...settings,
      rowSecurity: rowSecurity !== null,
    })
    try {
      const value = await this.#storage.run({ transaction, rowSecurity, deciding: true }, () =>
        work(transaction),
      )
      return { value, afterCommit: transaction.takeAfterCommit() }
    } finally {
      transaction.open = false
    }
  }
}

/** An open transaction: its statements, its parts, and what waits for its commit. */
import type pg from 'pg'
import type { Cells as Row } from '../sql/cells.ts'
import type { Call, Value } from '../sql/typed.ts'
import { isConnectionFault, isMissingPartition, isTransient } from './faults.ts'
import type { TextQuery } from './pg-augmentation.ts'
import { PINS } from './pins.ts'
import type { Statement, Statements } from './statements.ts'

/** The whole transaction must run again: nothing inside it can recover from this fault. */
export class TransactionBroken extends Error {
  constructor(cause: unknown) {
    super('The transaction is broken', { cause })
  }
}

export interface TransactionSettings {
  readonly statements: Statements
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

  async run<Decoded>({ statement, values }: Call<Decoded>): Promise<Decoded[]> {
    const rows = await this.query(this.#settings.statements.of(statement), values)
    return rows.map(statement.decode)
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

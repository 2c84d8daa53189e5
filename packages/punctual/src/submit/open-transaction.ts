/**
 * Accepts open transactions of common libraries and recognises each by its shape: none of them is a
 * dependency. `pg`, and libraries that hand out its client, send Buffers unchanged; all others
 * receive arrays as text.
 *
 * Objects without an open transaction are refused where they can be recognised: on a pool, on the
 * library's root object, or on a client of `pg` without `begin`, every statement would commit by
 * itself.
 */
import { PunctualError } from '@punctual/core/errors'
import { type Queryable, valuesAsText } from '@punctual/store'

/** A Kysely transaction: from `db.transaction().execute(…)` or `db.startTransaction()`. */
export interface KyselyTransaction {
  /** Distinguishes a transaction from the root object, which is refused. */
  readonly isTransaction: boolean
  /** Runs a compiled statement. */
  executeQuery(query: never): Promise<{ readonly rows: unknown[] }>
  /** The same transaction without plugins, which may rename columns. */
  withoutPlugins(): unknown
}

/** A Knex transaction, with the client `pg`: from `knex.transaction(…)`. */
export interface KnexTransaction {
  /** Distinguishes a transaction from the root object, which is refused. */
  readonly isTransaction?: boolean | undefined
  /** Returns the connection of `pg`. */
  // biome-ignore lint/suspicious/noExplicitAny: Knex declares it as any
  readonly client: any
  /** Runs a statement with Knex's own placeholders. */
  raw(sql: string): unknown
}

/** A Drizzle transaction on PostgreSQL: from `db.transaction(…)`. */
export interface DrizzleTransaction {
  /** Runs a statement. */
  execute(query: string): PromiseLike<unknown>
  /** Distinguishes a transaction from the root object, which is refused. */
  rollback(): never
}

/** A Prisma transaction: from `prisma.$transaction(async (tx) => …)`. */
export interface PrismaTransaction {
  /** Runs a statement with positional parameters. */
  $queryRawUnsafe(query: string, ...values: unknown[]): PromiseLike<unknown>
}

/**
 * An open transaction: a client of `pg` (or any object with its `query`), or one of Kysely, Knex,
 * Drizzle or Prisma.
 */
export type OpenTransaction =
  | Queryable
  | KyselyTransaction
  | KnexTransaction
  | DrizzleTransaction
  | PrismaTransaction

const EXPECTED =
  'an open transaction: a connected client of pg, or the transaction of Kysely, Knex, Drizzle or Prisma'

function refuse(problem: string): never {
  throw new PunctualError('invalid_option', `tx must be ${EXPECTED}${problem}`, { field: 'tx' })
}

/** The transaction as something with `query(text, values)`. */
export function queryableOf(tx: unknown): Queryable {
  if ((typeof tx !== 'object' && typeof tx !== 'function') || tx === null)
    refuse(`; got ${String(tx)}.`)
  const has = (method: string) => typeof (tx as Record<string, unknown>)[method] === 'function'
  if (has('$queryRawUnsafe')) return ofPrisma(tx as PrismaTransaction)
  if (has('executeQuery')) return ofKysely(tx as KyselyTransaction)
  if (has('raw') && 'client' in tx) return ofKnex(tx as KnexTransaction)
  if (has('execute')) return ofDrizzle(tx as DrizzleTransaction)
  if (!has('query')) refuse('. This object has no query method.')
  if (has('connect') && 'totalCount' in tx)
    refuse('. This is a pool: take a client from it with connect(), and begin a transaction.')
  if (isOutside(tx))
    refuse(
      '. No transaction is open on this client: send begin before, and commit or rollback after.',
    )
  return tx as Queryable
}

/** The fields in which a client of `pg` keeps its state. */
interface PgState {
  readonly readyForQuery?: unknown
  getTransactionStatus?: () => unknown
}

/**
 * True when `pg` reports no query in progress and no open transaction. Other clients do not expose
 * this.
 */
function isOutside(client: PgState): boolean {
  return client.readyForQuery === true && client.getTransactionStatus?.() === 'I'
}

function ofKysely(tx: KyselyTransaction): Queryable {
  if (!tx.isTransaction)
    refuse('. This is the Kysely instance: pass the object that transaction() gives you.')
  // Plugins may rename the columns of the answer.
  const plain = tx.withoutPlugins() as KyselyTransaction
  return {
    query: (sql, values = []) => {
      const parameters = valuesAsText(values)
      const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] }
      return plain.executeQuery({ sql, parameters, query, queryId: { queryId: sql } } as never)
    },
  }
}

/**
 * Uses the client of `pg` that the transaction holds, because `raw` has its own placeholder syntax.
 */
function ofKnex(tx: KnexTransaction): Queryable {
  if (!tx.isTransaction)
    refuse('. This is the Knex instance: pass the object that transaction() gives you.')
  return {
    query: async (text, values) => {
      const client: Queryable = await tx.client.acquireConnection()
      return client.query(text, values)
    },
  }
}

function ofDrizzle(tx: DrizzleTransaction): Queryable {
  if (typeof tx.rollback !== 'function')
    refuse('. This is the Drizzle database: pass the object that transaction() gives you.')
  return {
    query: async (sql, values = []) => {
      const statement = { toQuery: () => ({ sql, params: valuesAsText(values) }) }
      const wrapped: unknown = { getSQL: () => statement }
      try {
        return rowsIn(await tx.execute(wrapped as string))
      } catch (error) {
        // Drizzle wraps the error of the database.
        throw (error as Error).cause ?? error
      }
    },
  }
}

function ofPrisma(tx: PrismaTransaction): Queryable {
  if ('$connect' in tx)
    refuse('. This is the Prisma client: pass the object that $transaction() gives you.')
  return {
    query: async (text, values = []) =>
      rowsIn(await tx.$queryRawUnsafe(text, ...valuesAsText(values))),
  }
}

/** Some drivers return only the rows. */
function rowsIn(answer: unknown): { rows: unknown[] } {
  return Array.isArray(answer) ? { rows: answer } : (answer as { rows: unknown[] })
}

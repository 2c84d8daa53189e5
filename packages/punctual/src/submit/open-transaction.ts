/**
 * Open transactions of the libraries that people use, told apart by their shape: none of them is a dependency.
 * Only `pg`, and what hands its client out, passes Buffers on as they are; all others get arrays as text.
 *
 * What is no transaction is refused where it can be told: on a pool, on the library's own root object, or on a client of
 * `pg` without `begin`, every statement would commit by itself.
 */
import { PunctualError } from '@punctual/core/errors'
import { type Queryable, valuesAsText } from '@punctual/store'

/** Kysely: what `db.transaction().execute(…)` and `db.startTransaction()` give. */
export interface KyselyTransaction {
  /** Tells it from the root object, which is refused. */
  readonly isTransaction: boolean
  /** Runs a compiled statement. */
  executeQuery(query: never): Promise<{ readonly rows: unknown[] }>
  /** The same without plugins, which may rename columns. */
  withoutPlugins(): unknown
}

/** Knex, with the client `pg`: what `knex.transaction(…)` gives. */
export interface KnexTransaction {
  /** Tells it from the root object, which is refused. */
  readonly isTransaction?: boolean | undefined
  /** Hands out the connection of `pg`. */
  // biome-ignore lint/suspicious/noExplicitAny: so says Knex
  readonly client: any
  /** Runs a statement. */
  raw(sql: string): unknown
}

/** Drizzle on PostgreSQL: what `db.transaction(…)` gives. */
export interface DrizzleTransaction {
  /** Runs a statement. */
  execute(query: string): PromiseLike<unknown>
  /** Tells it from the root object, which is refused. */
  rollback(): never
}

/** Prisma: what `prisma.$transaction(async (tx) => …)` gives. */
export interface PrismaTransaction {
  /** Runs a statement. */
  $queryRawUnsafe(query: string, ...values: unknown[]): PromiseLike<unknown>
}

/** An open transaction: a client of `pg`, or anything with its `query`, or the transaction of one of these libraries. */
export type OpenTransaction =
  | Queryable
  | KyselyTransaction
  | KnexTransaction
  | DrizzleTransaction
  | PrismaTransaction

const EXPECTED =
  'an open transaction: a connected client of pg, or the transaction of Kysely, Knex, Drizzle or Prisma'

function refuse(what: string): never {
  throw new PunctualError('invalid_option', `tx must be ${EXPECTED}. ${what}`, { field: 'tx' })
}

/** The transaction as something with `query(text, values)`. */
export function queryableOf(tx: unknown): Queryable {
  if ((typeof tx !== 'object' && typeof tx !== 'function') || tx === null)
    refuse(`But ${String(tx)} came.`)
  const has = (method: string) => typeof (tx as Record<string, unknown>)[method] === 'function'
  if (has('$queryRawUnsafe')) return ofPrisma(tx as PrismaTransaction)
  if (has('executeQuery')) return ofKysely(tx as KyselyTransaction)
  if (has('raw') && 'client' in tx) return ofKnex(tx as KnexTransaction)
  if (has('execute')) return ofDrizzle(tx as DrizzleTransaction)
  if (!has('query')) refuse('It needs a query method.')
  if (has('connect') && 'totalCount' in tx)
    refuse('This is a pool: take a client from it with connect(), and begin a transaction.')
  if (isOutside(tx))
    refuse(
      'No transaction is open on this client: send begin before, and commit or rollback after.',
    )
  return tx as Queryable
}

/** What a client of `pg` knows of itself. */
interface PgState {
  readonly readyForQuery?: unknown
  getTransactionStatus?: () => unknown
}

/** Nothing is under way, a `begin` neither, and the server has said that no transaction is open. Others do not tell. */
function isOutside(client: PgState): boolean {
  return client.readyForQuery === true && client.getTransactionStatus?.() === 'I'
}

function ofKysely(tx: KyselyTransaction): Queryable {
  if (!tx.isTransaction) refuse('This is the Kysely instance: give what transaction() hands you.')
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

/** Through the client of `pg` that the transaction holds: `raw` has placeholders of its own. */
function ofKnex(tx: KnexTransaction): Queryable {
  if (!tx.isTransaction) refuse('This is the Knex instance: give what transaction() hands you.')
  return {
    query: async (text, values) => {
      const client: Queryable = await tx.client.acquireConnection()
      return client.query(text, values)
    },
  }
}

function ofDrizzle(tx: DrizzleTransaction): Queryable {
  if (typeof tx.rollback !== 'function')
    refuse('This is the Drizzle database: give what transaction() hands you.')
  return {
    query: async (sql, values = []) => {
      const statement = { toQuery: () => ({ sql, params: valuesAsText(values) }) }
      const wrapped: unknown = { getSQL: () => statement }
      try {
        return rowsIn(await tx.execute(wrapped as string))
      } catch (error) {
        // Drizzle wraps what the database said.
        throw (error as Error).cause ?? error
      }
    },
  }
}

function ofPrisma(tx: PrismaTransaction): Queryable {
  if ('$connect' in tx) refuse('This is the Prisma client: give what $transaction() hands you.')
  return {
    query: async (text, values = []) =>
      rowsIn(await tx.$queryRawUnsafe(text, ...valuesAsText(values))),
  }
}

/** Some drivers answer with the rows alone. */
function rowsIn(answer: unknown): { rows: unknown[] } {
  return Array.isArray(answer) ? { rows: answer } : (answer as { rows: unknown[] })
}

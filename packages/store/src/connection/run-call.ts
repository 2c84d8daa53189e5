/**
 * Runs typed statements on connections that the caller holds: those of a pool, whose values arrive
 * as text, and those of a user's transaction, whose driver has parsed them.
 */
import type pg from 'pg'
import type { Cells } from '../sql/cells.ts'
import type { Call } from '../sql/typed.ts'
import type { TextQuery } from './pg-augmentation.ts'
import type { Queryable } from './queryable.ts'
import type { Statements } from './statements.ts'

export interface RunOptions {
  /** Limit for the answer. */
  readonly timeoutMs: number
  /** Whether the statement is named, so that the server keeps its plan. @default false */
  readonly named?: boolean
}

/** Runs the call on a connection of a pool. */
export async function runOn<Row>(
  client: pg.ClientBase,
  statements: Statements,
  { statement, values }: Call<Row>,
  { timeoutMs, named = false }: RunOptions,
): Promise<Row[]> {
  const { name, text } = statements.of(statement)
  const query: TextQuery = {
    ...{ text, values, rowMode: 'array', query_timeout: timeoutMs },
    ...(named && { name }),
  }
  const { rows } = await client.query(query)
  return rows.map(statement.decode)
}

/** Runs the call in the transaction of a user, on whatever client they use. */
export async function runIn<Row>(
  tx: Queryable,
  statements: Statements,
  { statement, values }: Call<Row>,
): Promise<Row[]> {
  const { rows } = await tx.query(statements.of(statement).text, [...values])
  return rows.map((row) => statement.decode(cellsOf(row, statement.columns)))
}

/** The values that a driver parsed, as the text that PostgreSQL sent. */
function cellsOf(row: unknown, columns: readonly string[]): Cells {
  if (typeof row !== 'object' || row === null) return []
  return columns.map((column) => cellOf(Reflect.get(row, column)))
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A `pg` client inside a transaction. Batches are Buffers, sent as binary parameters. */
export interface Queryable {
  /** Runs one statement in the transaction. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

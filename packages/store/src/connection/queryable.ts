/** A client of `pg` inside of a transaction. Batches travel as binary parameters, which `pg` makes of Buffers. */
export interface Queryable {
  /** Runs one statement in the transaction. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

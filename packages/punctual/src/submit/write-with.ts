import type { PostgresStore, Queryable, WriteWith } from '@punctual/store'

/**
 * What a call of the library writes with: the user's transaction, or else the one that the call is
 * part of, such as that of an HTTP request.
 */
export function writeWith(store: PostgresStore, tx?: Queryable): WriteWith {
  return tx ? { tx } : { transaction: store.database.ambient.transaction }
}

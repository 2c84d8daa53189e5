import type { OpenTransaction } from '../connection/open-transaction.ts'
import type { Queryable } from '../connection/queryable.ts'

/** What a submission is written with; with neither, it is committed by itself. */
export interface WriteWith {
  /** A transaction of the store, which commits it: hints wait for that. */
  readonly transaction?: OpenTransaction | null
  /** A transaction of a user, who commits it. */
  readonly tx?: Queryable | undefined
}

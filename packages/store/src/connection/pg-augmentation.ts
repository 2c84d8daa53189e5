/** What the driver has and its types do not mention. */
import type { Writable } from 'node:stream'
import type { QueryArrayResult } from 'pg'
import type { Value } from '../sql/typed.ts'

/** A query whose rows are lists of texts, on a connection that parses no value. */
export interface TextQuery {
  readonly text: string
  readonly values: readonly Value[]
  readonly rowMode: 'array'
  readonly query_timeout: number
  readonly name?: string
}

declare module 'pg' {
  interface QueryConfig {
    /** Limit for the answer in milliseconds, after which the call fails. */
    query_timeout?: number
  }
  interface ClientConfig {
    /** Calls are sent without waiting for the answers of earlier calls. */
    pipeline?: boolean
  }
  interface ClientBase {
    /** The process id of the backend; null behind some poolers. */
    readonly processID: number | null
    readonly connection: { readonly stream: Writable }
    query(query: TextQuery): Promise<QueryArrayResult<(string | null)[]>>
  }
}

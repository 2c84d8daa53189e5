/** The audit log: who changed what, newest entry first. */
import type { Connection } from '../http/connection.ts'
import { Listing } from '../http/listing.ts'
import type { AnswerOf, CallOptions, QueryOf } from '../http/operation.ts'

export type AuditPage = AnswerOf<'GET /audit'>
export type AuditEntry = AuditPage['entries'][number]

export class Audit {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(filter: QueryOf<'GET /audit'> = {}, options?: CallOptions): Listing<AuditEntry, AuditPage> {
    return new Listing({
      read: (after) => {
        const query = after === undefined ? filter : { ...filter, after }
        return this.#connection.call('GET /audit', { query }, options)
      },
      itemsOf: ({ entries }) => entries,
      nextOf: ({ next_after }) => next_after,
    })
  }

  /** Verifies that the audit log was not altered. */
  verify(options?: CallOptions) {
    return this.#connection.call('GET /audit/verify', {}, options)
  }
}

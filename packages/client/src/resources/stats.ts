/** Statistics of the tenant: how many runs ended, and how. */
import type { Connection } from '../http/connection.ts'
import type { CallOptions, QueryOf } from '../http/operation.ts'

export class Stats {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The last minutes, by queue and handler. */
  async recent(query: QueryOf<'GET /stats'> = {}, options?: CallOptions) {
    return (await this.#connection.call('GET /stats', { query }, options)).recent
  }

  /** By day or by job. */
  report(query: QueryOf<'GET /stats/report'> = {}, options?: CallOptions) {
    return this.#connection.call('GET /stats/report', { query }, options)
  }
}

/**
 * Workers: the processes that execute runs. A key of a tenant covers only the workers that serve
 * just that tenant.
 */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, CallOptions } from '../http/operation.ts'

export type Worker = AnswerOf<'GET /workers'>['workers'][number]

export class Workers {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async list(options?: CallOptions): Promise<Worker[]> {
    return (await this.#connection.call('GET /workers', {}, options)).workers
  }

  /** It claims nothing more, and finishes its runs. */
  drain(id: string, options?: CallOptions) {
    return this.#connection.call('POST /workers/{id}/drain', { params: { id } }, options)
  }

  activate(id: string, options?: CallOptions) {
    return this.#connection.call('POST /workers/{id}/activate', { params: { id } }, options)
  }
}

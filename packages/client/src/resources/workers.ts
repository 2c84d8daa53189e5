/** Workers: the processes that take runs. A key of a tenant sees and drains those that work for that tenant alone. */
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

  /** It takes nothing more, and finishes what it has. */
  drain(id: string, options?: CallOptions) {
    return this.#connection.call('POST /workers/{id}/drain', { params: { id } }, options)
  }

  activate(id: string, options?: CallOptions) {
    return this.#connection.call('POST /workers/{id}/activate', { params: { id } }, options)
  }
}

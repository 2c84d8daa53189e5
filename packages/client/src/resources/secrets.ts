/** Secrets: values that jobs refer to by name. They are written and never read back. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, CallOptions } from '../http/operation.ts'

export class Secrets {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Without their values. */
  async list(options?: CallOptions): Promise<AnswerOf<'GET /secrets'>['secrets']> {
    return (await this.#connection.call('GET /secrets', {}, options)).secrets
  }

  /** In place of what it was. */
  set(name: string, value: string, options?: CallOptions) {
    const asked = { params: { name }, body: { value } }
    return this.#connection.call('PUT /secrets/{name}', asked, options)
  }

  /** False when there was none. */
  async delete(name: string, options?: CallOptions): Promise<boolean> {
    const asked = { params: { name } }
    return (await this.#connection.call('DELETE /secrets/{name}', asked, options)).removed
  }
}

/** Secrets: values that handlers read by name. They can be set but not read here. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, CallOptions } from '../http/operation.ts'

export class Secrets {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Names and versions, without values. */
  async list(options?: CallOptions): Promise<AnswerOf<'GET /secrets'>['secrets']> {
    return (await this.#connection.call('GET /secrets', {}, options)).secrets
  }

  /** Creates the secret, or replaces its value. */
  set(name: string, value: string, options?: CallOptions) {
    const input = { params: { name }, body: { value } }
    return this.#connection.call('PUT /secrets/{name}', input, options)
  }

  /** False when it did not exist. */
  async delete(name: string, options?: CallOptions): Promise<boolean> {
    const input = { params: { name } }
    return (await this.#connection.call('DELETE /secrets/{name}', input, options)).removed
  }
}

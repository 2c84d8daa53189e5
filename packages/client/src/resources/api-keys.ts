/** API keys of the tenant, or of the installation. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, BodyOf, CallOptions, QueryOf } from '../http/operation.ts'

export type ApiKey = AnswerOf<'DELETE /api-keys/{id}'>
export type NewApiKey = AnswerOf<'POST /api-keys'>

export class ApiKeys {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * The answer's `key` is shown only once: it is null when the first answer was lost. Revoke that
   * key, and create another.
   */
  create(body: BodyOf<'POST /api-keys'>, options?: CallOptions): Promise<NewApiKey> {
    return this.#connection.call('POST /api-keys', { body }, options)
  }

  async list(query: QueryOf<'GET /api-keys'> = {}, options?: CallOptions): Promise<ApiKey[]> {
    return (await this.#connection.call('GET /api-keys', { query }, options)).api_keys
  }

  /** Creates a key that replaces this one, which stays valid for the overlap. */
  rotate(id: string, body: BodyOf<'POST /api-keys/{id}/rotate'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /api-keys/{id}/rotate', { params: { id }, body }, options)
  }

  revoke(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.#connection.call('DELETE /api-keys/{id}', { params: { id } }, options)
  }
}

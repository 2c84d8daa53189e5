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

  /** Its `key` is shown once: null when the first answer was lost. Revoke it then, and make another. */
  create(body: BodyOf<'POST /api-keys'>, options?: CallOptions): Promise<NewApiKey> {
    return this.#connection.call('POST /api-keys', { body }, options)
  }

  async list(query: QueryOf<'GET /api-keys'> = {}, options?: CallOptions): Promise<ApiKey[]> {
    return (await this.#connection.call('GET /api-keys', { query }, options)).api_keys
  }

  /** A new one in its place; the old one is accepted for a while yet. */
  rotate(id: string, body: BodyOf<'POST /api-keys/{id}/rotate'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /api-keys/{id}/rotate', { params: { id }, body }, options)
  }

  revoke(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.#connection.call('DELETE /api-keys/{id}', { params: { id } }, options)
  }
}

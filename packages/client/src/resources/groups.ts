/** Groups: runs submitted together, with a callback at the end. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, BodyOf, CallOptions, QueryOf } from '../http/operation.ts'

export type Group = AnswerOf<'GET /groups/{id}'>

export class Groups {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  submit(body: BodyOf<'POST /groups'>, options?: CallOptions) {
    return this.#connection.call('POST /groups', { body }, options)
  }

  /** Newest first. */
  async list(query: QueryOf<'GET /groups'> = {}, options?: CallOptions) {
    return (await this.#connection.call('GET /groups', { query }, options)).groups
  }

  /** The progress of a group. */
  get(id: string, options?: CallOptions): Promise<Group> {
    return this.#connection.call('GET /groups/{id}', { params: { id } }, options)
  }

  async runs(id: string, query: QueryOf<'GET /groups/{id}/runs'> = {}, options?: CallOptions) {
    const input = { params: { id }, query }
    return (await this.#connection.call('GET /groups/{id}/runs', input, options)).runs
  }

  /** Closes the group to further runs. */
  close(id: string, options?: CallOptions) {
    return this.#connection.call('POST /groups/{id}/close', { params: { id } }, options)
  }
}

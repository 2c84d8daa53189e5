/** Tenants, for keys of the installation. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, BodyOf, CallOptions, QueryOf } from '../http/operation.ts'

export type Tenant = AnswerOf<'GET /tenants/{name}'>

export class Tenants {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  create(body: BodyOf<'POST /tenants'>, options?: CallOptions): Promise<Tenant> {
    return this.#connection.call('POST /tenants', { body }, options)
  }

  async list(query: QueryOf<'GET /tenants'> = {}, options?: CallOptions): Promise<Tenant[]> {
    return (await this.#connection.call('GET /tenants', { query }, options)).tenants
  }

  /** @throws `PunctualHttpError` with `tenant_not_found` */
  get(name: string, options?: CallOptions): Promise<Tenant> {
    return this.#connection.call('GET /tenants/{name}', { params: { name } }, options)
  }

  change(name: string, body: BodyOf<'PATCH /tenants/{name}'>, options?: CallOptions) {
    return this.#connection.call('PATCH /tenants/{name}', { params: { name }, body }, options)
  }

  suspend(name: string, body: BodyOf<'POST /tenants/{name}/suspend'>, options?: CallOptions) {
    const input = { params: { name }, body }
    return this.#connection.call('POST /tenants/{name}/suspend', input, options)
  }

  resume(name: string, options?: CallOptions): Promise<Tenant> {
    return this.#connection.call('POST /tenants/{name}/resume', { params: { name } }, options)
  }

  /** Its use by day. */
  async usage(
    name: string,
    query: QueryOf<'GET /tenants/{name}/usage'> = {},
    options?: CallOptions,
  ) {
    const input = { params: { name }, query }
    return (await this.#connection.call('GET /tenants/{name}/usage', input, options)).days
  }

  /** Erases it permanently with all of its data; `confirm` repeats its name. */
  erase(name: string, query: QueryOf<'DELETE /tenants/{name}'>, options?: CallOptions) {
    return this.#connection.call('DELETE /tenants/{name}', { params: { name }, query }, options)
  }
}

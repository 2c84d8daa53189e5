/** Calendars: dates and time windows at which jobs run, or do not. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, BodyOf, CallOptions } from '../http/operation.ts'

export type Calendar = AnswerOf<'GET /calendars/{name}'>

export class Calendars {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** All calendars by name; reads every page. */
  async list(options?: CallOptions): Promise<Calendar[]> {
    const all: Calendar[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const query = after === undefined ? {} : { after }
      const page = await this.#connection.call('GET /calendars', { query }, options)
      all.push(...page.calendars)
      after = page.next
    }
    return all
  }

  /** @throws `PunctualHttpError` with `calendar_not_found` */
  get(name: string, options?: CallOptions): Promise<Calendar> {
    return this.#connection.call('GET /calendars/{name}', { params: { name } }, options)
  }

  set(name: string, body: BodyOf<'PUT /calendars/{name}'>, options?: CallOptions) {
    return this.#connection.call('PUT /calendars/{name}', { params: { name }, body }, options)
  }

  /** False when it did not exist. */
  async delete(name: string, options?: CallOptions): Promise<boolean> {
    const input = { params: { name } }
    return (await this.#connection.call('DELETE /calendars/{name}', input, options)).removed
  }
}

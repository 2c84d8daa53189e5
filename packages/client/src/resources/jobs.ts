/** Jobs: definitions that run on a schedule, or once under a name. */

import type { Connection } from '../http/connection.ts'
import { Listing } from '../http/listing.ts'
import type { AnswerOf, BodyOf, CallOptions, QueryOf } from '../http/operation.ts'
import { type BulkAnswer, type BulkOptions, sendMany } from './bulk.ts'

export type Job = AnswerOf<'GET /jobs/{id}'>
export type JobPage = AnswerOf<'GET /jobs'>
export type JobChange = AnswerOf<'POST /jobs'>
export type NewJob = BodyOf<'POST /jobs'>
export type JobDefinition = BodyOf<'PUT /jobs/{id}'>
export type JobFilter = QueryOf<'GET /jobs'>

export class Jobs {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @throws `PunctualHttpError` with `job_exists` when the name is in use */
  create(job: NewJob, options?: CallOptions): Promise<JobChange> {
    return this.#connection.call('POST /jobs', { body: job }, options)
  }

  /** Creates the job of this name, or replaces its definition. Repeating it changes nothing. */
  upsert(name: string, job: JobDefinition, options?: CallOptions): Promise<JobChange> {
    return this.#connection.call('PUT /jobs/{id}', { params: { id: name }, body: job }, options)
  }

  /** Does `upsert` for any number of jobs. */
  upsertMany(
    jobs: Iterable<NewJob> | AsyncIterable<NewJob>,
    options: BulkOptions = {},
  ): Promise<BulkAnswer> {
    return sendMany(this.#connection, 'POST /jobs/bulk', jobs, options)
  }

  /** @throws `PunctualHttpError` with `job_not_found` */
  get(id: string, options?: CallOptions): Promise<Job> {
    return this.#connection.call('GET /jobs/{id}', { params: { id } }, options)
  }

  list(filter: JobFilter = {}, options?: CallOptions): Listing<Job, JobPage> {
    return new Listing({
      read: (cursor) => {
        const query = cursor === undefined ? filter : { ...filter, page: undefined, cursor }
        return this.#connection.call('GET /jobs', { query }, options)
      },
      itemsOf: ({ jobs }) => jobs,
      nextOf: ({ next_cursor }) => next_cursor,
    })
  }

  /**
   * Updates some members. With `version`, only while the job has that version (`version_changed`).
   */
  change(
    id: string,
    changes: BodyOf<'PATCH /jobs/{id}'>,
    { version, ...options }: CallOptions & { readonly version?: number | undefined } = {},
  ): Promise<JobChange> {
    return this.#connection.call(
      'PATCH /jobs/{id}',
      { params: { id }, body: changes },
      { ...options, ...(version !== undefined && { headers: { 'if-match': `"${version}"` } }) },
    )
  }

  /**
   * Deletes the job and cancels its runs, including running ones unless `running: 'finish'`. The
   * history is kept.
   */
  delete(id: string, query: QueryOf<'DELETE /jobs/{id}'> = {}, options?: CallOptions) {
    return this.#connection.call('DELETE /jobs/{id}', { params: { id }, query }, options)
  }

  pause(id: string, body: BodyOf<'POST /jobs/{id}/pause'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/pause', { params: { id }, body }, options)
  }

  resume(id: string, options?: CallOptions): Promise<JobChange> {
    return this.#connection.call('POST /jobs/{id}/resume', { params: { id } }, options)
  }

  /** Runs it now, independently of its slots. */
  trigger(id: string, body: BodyOf<'POST /jobs/{id}/trigger'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/trigger', { params: { id }, body }, options)
  }

  /** Skips one future slot. */
  skip(id: string, body: BodyOf<'POST /jobs/{id}/skip'>, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/skip', { params: { id }, body }, options)
  }

  /** Runs past slots that did not run. */
  backfill(id: string, body: BodyOf<'POST /jobs/{id}/backfill'>, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/backfill', { params: { id }, body }, options)
  }

  /** The next slots. */
  async preview(id: string, query: QueryOf<'GET /jobs/{id}/preview'> = {}, options?: CallOptions) {
    const input = { params: { id }, query }
    return (await this.#connection.call('GET /jobs/{id}/preview', input, options)).slots
  }

  /** The decisions for its slots, up to `limit`; reads further pages while they are incomplete. */
  async slots(id: string, query: QueryOf<'GET /jobs/{id}/slots'> = {}, options?: CallOptions) {
    const { limit = 100 } = query
    const slots: AnswerOf<'GET /jobs/{id}/slots'>['slots'] = []
    for (let cursor = query.cursor; ; ) {
      const part = {
        ...query,
        limit: limit - slots.length,
        ...(cursor !== undefined && { cursor }),
      }
      const input = { params: { id }, query: part }
      const page = await this.#connection.call('GET /jobs/{id}/slots', input, options)
      slots.push(...page.slots)
      if (page.next_cursor === null || slots.length >= limit) return slots
      cursor = page.next_cursor
    }
  }

  /** Explains why it ran, or did not, at an instant. */
  explain(id: string, query: QueryOf<'GET /jobs/{id}/explain'> = {}, options?: CallOptions) {
    return this.#connection.call('GET /jobs/{id}/explain', { params: { id }, query }, options)
  }
}

/** Jobs: what runs again and again, or once under a name. */

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

  /** @throws `PunctualHttpError` with `job_exists` when the name is taken */
  create(job: NewJob, options?: CallOptions): Promise<JobChange> {
    return this.#connection.call('POST /jobs', { body: job }, options)
  }

  /** Makes the job of this name what is said. The same again changes nothing. */
  upsert(name: string, job: JobDefinition, options?: CallOptions): Promise<JobChange> {
    return this.#connection.call('PUT /jobs/{id}', { params: { id: name }, body: job }, options)
  }

  /** As `upsert`, for as many as there are. */
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

  /** Changes what is named. With `version`, only if it is still that (`version_changed`). */
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

  /** No further slot; its runs are cancelled, those that run too unless `running: 'finish'`. Its history stays. */
  delete(id: string, query: QueryOf<'DELETE /jobs/{id}'> = {}, options?: CallOptions) {
    return this.#connection.call('DELETE /jobs/{id}', { params: { id }, query }, options)
  }

  pause(id: string, body: BodyOf<'POST /jobs/{id}/pause'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/pause', { params: { id }, body }, options)
  }

  resume(id: string, options?: CallOptions): Promise<JobChange> {
    return this.#connection.call('POST /jobs/{id}/resume', { params: { id } }, options)
  }

  /** Runs it now, apart from its slots. */
  trigger(id: string, body: BodyOf<'POST /jobs/{id}/trigger'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/trigger', { params: { id }, body }, options)
  }

  /** One slot ahead is not to run. */
  skip(id: string, body: BodyOf<'POST /jobs/{id}/skip'>, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/skip', { params: { id }, body }, options)
  }

  /** Runs slots of the past that have not run. */
  backfill(id: string, body: BodyOf<'POST /jobs/{id}/backfill'>, options?: CallOptions) {
    return this.#connection.call('POST /jobs/{id}/backfill', { params: { id }, body }, options)
  }

  /** Its next slots. */
  async preview(id: string, query: QueryOf<'GET /jobs/{id}/preview'> = {}, options?: CallOptions) {
    const asked = { params: { id }, query }
    return (await this.#connection.call('GET /jobs/{id}/preview', asked, options)).slots
  }

  /** What was decided for its slots. */
  async slots(id: string, query: QueryOf<'GET /jobs/{id}/slots'> = {}, options?: CallOptions) {
    const asked = { params: { id }, query }
    return (await this.#connection.call('GET /jobs/{id}/slots', asked, options)).slots
  }

  /** Why it ran, or did not, at an instant. */
  explain(id: string, query: QueryOf<'GET /jobs/{id}/explain'> = {}, options?: CallOptions) {
    return this.#connection.call('GET /jobs/{id}/explain', { params: { id }, query }, options)
  }
}

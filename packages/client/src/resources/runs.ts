/** Runs: submitting, reading and changing them. */

import type { Connection } from '../http/connection.ts'
import { Listing } from '../http/listing.ts'
import type { AnswerOf, BodyOf, CallOptions, QueryOf } from '../http/operation.ts'
import { pause } from '../http/retrying.ts'
import { type BulkAnswer, type BulkOptions, sendMany } from './bulk.ts'
import { type LogLine, type LogOptions, logLines } from './run-logs.ts'

export type NewRun = BodyOf<'POST /runs'>
export type SubmittedRun = AnswerOf<'POST /runs'>
export type Run = AnswerOf<'GET /runs/{id}'>
export type RunPage = AnswerOf<'GET /runs'>
export type RunItem = RunPage['runs'][number]
export type RunFilter = QueryOf<'GET /runs'>
export type SteeredRun = AnswerOf<'POST /runs/{id}/cancel'>

const ENDED: ReadonlySet<Run['state']> = /* @__PURE__ */ new Set([
  ...(['succeeded', 'dead', 'cancelled', 'skipped', 'unknown'] as const),
])
const LOOK_MS = 250
const LOOK_MS_MAX = 2_000

export class Runs {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * The run is committed when this resolves, and exists once however often the request was sent.
   */
  submit(run: NewRun, options?: CallOptions): Promise<SubmittedRun> {
    return this.#connection.call('POST /runs', { body: run }, options)
  }

  /** Submits any number of runs, in requests of up to 10,000. */
  submitMany(
    runs: Iterable<NewRun> | AsyncIterable<NewRun>,
    options: BulkOptions = {},
  ): Promise<BulkAnswer> {
    return sendMany(this.#connection, 'POST /runs/bulk', runs, options)
  }

  /** Includes its attempts. @throws `PunctualHttpError` with `run_not_found` */
  get(id: string, options?: CallOptions): Promise<Run> {
    return this.#connection.call('GET /runs/{id}', { params: { id } }, options)
  }

  /** Polls until it has ended, or until `signal` is aborted. */
  async waitFor(id: string, options: CallOptions = {}): Promise<Run> {
    for (let ms = LOOK_MS; ; ms = Math.min(LOOK_MS_MAX, ms * 1.5)) {
      const run = await this.get(id, options)
      if (ENDED.has(run.state)) return run
      await pause(ms, options.signal)
    }
  }

  /** Newest first. */
  list(filter: RunFilter = {}, options?: CallOptions): Listing<RunItem, RunPage> {
    return new Listing({
      read: (cursor) => {
        const query = cursor === undefined ? filter : { ...filter, cursor }
        return this.#connection.call('GET /runs', { query }, options)
      },
      itemsOf: ({ runs }) => runs,
      nextOf: ({ next_cursor }) => next_cursor,
    })
  }

  /** Counts runs by an attribute. */
  counts(query: QueryOf<'GET /runs/counts'> = {}, options?: CallOptions) {
    return this.#connection.call('GET /runs/counts', { query }, options)
  }

  /** The value that its handler returned. */
  output(id: string, options?: CallOptions) {
    return this.#connection.call('GET /runs/{id}/output', { params: { id } }, options)
  }

  /** Its log lines, oldest first; with `follow` also new lines until it has ended. */
  logs(id: string, options: LogOptions = {}): AsyncGenerator<LogLine, void, undefined> {
    return logLines(this.#connection, id, options)
  }

  /** Explains why it is not running now. */
  explain(id: string, options?: CallOptions) {
    return this.#connection.call('GET /runs/{id}/explain', { params: { id } }, options)
  }

  /** Cancels a run that has not started; asks the handler of a running one to end. */
  cancel(id: string, body: BodyOf<'POST /runs/{id}/cancel'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /runs/{id}/cancel', { params: { id }, body }, options)
  }

  /** Creates a new run from a dead or unknown one. */
  retry(id: string, body: BodyOf<'POST /runs/{id}/retry'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /runs/{id}/retry', { params: { id }, body }, options)
  }

  reschedule(id: string, body: BodyOf<'POST /runs/{id}/reschedule'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/{id}/reschedule', { params: { id }, body }, options)
  }

  /** Makes a scheduled run due now. */
  promote(id: string, options?: CallOptions): Promise<SteeredRun> {
    return this.#connection.call('POST /runs/{id}/promote', { params: { id } }, options)
  }

  reprioritise(id: string, body: BodyOf<'POST /runs/{id}/priority'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/{id}/priority', { params: { id }, body }, options)
  }

  /** Replaces the payload, before its first attempt. */
  edit(id: string, body: BodyOf<'PATCH /runs/{id}'>, options?: CallOptions): Promise<SteeredRun> {
    return this.#connection.call('PATCH /runs/{id}', { params: { id }, body }, options)
  }

  /** Records how an unknown run ended. */
  resolve(id: string, body: BodyOf<'POST /runs/{id}/resolve'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/{id}/resolve', { params: { id }, body }, options)
  }

  /** Cancels all runs that match, up to `limit`; `complete` is false when more match. */
  cancelMany(body: BodyOf<'POST /runs/cancel'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/cancel', { body }, options)
  }

  promoteMany(body: BodyOf<'POST /runs/promote'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/promote', { body }, options)
  }

  rescheduleMany(body: BodyOf<'POST /runs/reschedule'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/reschedule', { body }, options)
  }

  retryMany(body: BodyOf<'POST /runs/retry'>, options?: CallOptions) {
    return this.#connection.call('POST /runs/retry', { body }, options)
  }
}

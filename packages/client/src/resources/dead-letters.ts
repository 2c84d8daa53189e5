/** Dead letters: runs that died, to be replayed or discarded. */
import type { Connection } from '../http/connection.ts'
import { Listing } from '../http/listing.ts'
import type { AnswerOf, BodyOf, CallOptions, QueryOf } from '../http/operation.ts'

export type DeadLetterPage = AnswerOf<'GET /dead-letters'>
export type DeadLetter = DeadLetterPage['dead_letters'][number]
export type DeadLetterFilter = QueryOf<'GET /dead-letters'>

export class DeadLetters {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The last to die first. */
  list(filter: DeadLetterFilter = {}, options?: CallOptions): Listing<DeadLetter, DeadLetterPage> {
    return new Listing({
      read: (cursor) => {
        const query = cursor === undefined ? filter : { ...filter, cursor }
        return this.#connection.call('GET /dead-letters', { query }, options)
      },
      itemsOf: ({ dead_letters }) => dead_letters,
      nextOf: ({ next_cursor }) => next_cursor,
    })
  }

  /** Dead letters with the same fingerprint, counted together. */
  async causes(query: QueryOf<'GET /dead-letters/causes'> = {}, options?: CallOptions) {
    return (await this.#connection.call('GET /dead-letters/causes', { query }, options)).causes
  }

  /** With its run, the end of its log and its last checkpoint. */
  get(id: string, options?: CallOptions) {
    return this.#connection.call('GET /dead-letters/{id}', { params: { id } }, options)
  }

  /** Creates a new run from it, due now. */
  replay(id: string, body: BodyOf<'POST /dead-letters/{id}/replay'> = {}, options?: CallOptions) {
    const input = { params: { id }, body }
    return this.#connection.call('POST /dead-letters/{id}/replay', input, options)
  }

  /** Closes it without running it again. */
  discard(id: string, body: BodyOf<'POST /dead-letters/{id}/discard'>, options?: CallOptions) {
    const input = { params: { id }, body }
    return this.#connection.call('POST /dead-letters/{id}/discard', input, options)
  }

  /**
   * Replays all open dead letters that match, up to `limit`; `complete` is false when more match.
   */
  replayMany(body: BodyOf<'POST /dead-letters/replay'>, options?: CallOptions) {
    return this.#connection.call('POST /dead-letters/replay', { body }, options)
  }

  discardMany(body: BodyOf<'POST /dead-letters/discard'>, options?: CallOptions) {
    return this.#connection.call('POST /dead-letters/discard', { body }, options)
  }
}

/** Queues: their waiting and running runs, pauses and limits. */
import type { Connection } from '../http/connection.ts'
import type { AnswerOf, BodyOf, CallOptions } from '../http/operation.ts'

export type Queue = AnswerOf<'GET /queues'>['queues'][number]
export type QueueLimit = AnswerOf<'GET /limits'>['limits'][number]

export class Queues {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async list(options?: CallOptions): Promise<Queue[]> {
    return (await this.#connection.call('GET /queues', {}, options)).queues
  }

  /** Workers claim nothing more from it; its running runs finish. */
  pause(queue: string, body: BodyOf<'POST /queues/{queue}/pause'> = {}, options?: CallOptions) {
    const input = { params: { queue }, body }
    return this.#connection.call('POST /queues/{queue}/pause', input, options)
  }

  resume(queue: string, options?: CallOptions) {
    return this.#connection.call('POST /queues/{queue}/resume', { params: { queue } }, options)
  }

  /** Pauses all queues of the tenant. */
  pauseAll(body: BodyOf<'POST /pause'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /pause', { body }, options)
  }

  /** Queues paused one by one stay paused. */
  resumeAll(options?: CallOptions) {
    return this.#connection.call('POST /resume', {}, options)
  }

  /** The limits and their current use. */
  async limits(options?: CallOptions): Promise<QueueLimit[]> {
    return (await this.#connection.call('GET /limits', {}, options)).limits
  }

  /** Replaces the earlier limits. */
  async setLimits(
    queue: string,
    body: BodyOf<'PUT /queues/{queue}/limits'>,
    options?: CallOptions,
  ) {
    const input = { params: { queue }, body }
    return (await this.#connection.call('PUT /queues/{queue}/limits', input, options)).limits
  }

  async removeLimits(queue: string, options?: CallOptions): Promise<boolean> {
    const input = { params: { queue } }
    return (await this.#connection.call('DELETE /queues/{queue}/limits', input, options)).removed
  }
}

/** Queues: what waits and runs in each, pausing them, and their limits. */
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

  /** Nothing more is taken from it; what runs goes on. */
  pause(queue: string, body: BodyOf<'POST /queues/{queue}/pause'> = {}, options?: CallOptions) {
    const asked = { params: { queue }, body }
    return this.#connection.call('POST /queues/{queue}/pause', asked, options)
  }

  resume(queue: string, options?: CallOptions) {
    return this.#connection.call('POST /queues/{queue}/resume', { params: { queue } }, options)
  }

  /** All queues of the tenant. */
  pauseAll(body: BodyOf<'POST /pause'> = {}, options?: CallOptions) {
    return this.#connection.call('POST /pause', { body }, options)
  }

  /** Those that are paused by themselves stay so. */
  resumeAll(options?: CallOptions) {
    return this.#connection.call('POST /resume', {}, options)
  }

  /** What is set, and how much of it is used. */
  async limits(options?: CallOptions): Promise<QueueLimit[]> {
    return (await this.#connection.call('GET /limits', {}, options)).limits
  }

  /** In place of what was set before. */
  async setLimits(
    queue: string,
    body: BodyOf<'PUT /queues/{queue}/limits'>,
    options?: CallOptions,
  ) {
    const asked = { params: { queue }, body }
    return (await this.#connection.call('PUT /queues/{queue}/limits', asked, options)).limits
  }

  async removeLimits(queue: string, options?: CallOptions): Promise<boolean> {
    const asked = { params: { queue } }
    return (await this.#connection.call('DELETE /queues/{queue}/limits', asked, options)).removed
  }
}

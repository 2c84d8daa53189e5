/** Queues in memory: pausing and resuming them. */
import type { MemoryStoreOptions } from '../tables/line.ts'

export class MemoryQueues {
  readonly #options: MemoryStoreOptions

  constructor(options: MemoryStoreOptions) {
    this.#options = options
  }

  /** Pauses a queue, or with null all of them. */
  async pause(queue: string | null): Promise<void> {
    const { db, line } = this.#options
    await line.call('pause-queue', () => db.pauses.set(queue ?? '*', queue ?? '*'))
  }

  async resume(queue: string | null): Promise<void> {
    const { db, line, hints } = this.#options
    await line.call('resume-queue', () => db.pauses.delete(queue ?? '*'))
    hints.queued([])
  }
}

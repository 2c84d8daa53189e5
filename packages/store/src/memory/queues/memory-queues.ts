/** Queues in memory: pausing and resuming them, and their limits. */
import type { QueueLimits } from '@punctual/core/flow'
import type { MemoryStoreOptions } from '../tables/line.ts'
import type { MemoryDatabase } from '../tables/memory-database.ts'

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

  /** Replaces the limits of a queue, or with null those of all queues together. */
  async setLimits(queue: string | null, limits: QueueLimits): Promise<void> {
    const { db, line, hints } = this.#options
    await line.call('set-limit', () => setLimits(db, queue, limits))
    hints.queued([])
  }

  async removeLimits(queue: string | null): Promise<void> {
    const { db, line, hints } = this.#options
    await line.call('remove-limit', () => db.limits.delete(queue ?? '*'))
    hints.queued([])
  }
}

/** Runs that are already running count from now on. */
function setLimits(db: MemoryDatabase, queue: string | null, limits: QueueLimits): void {
  const { concurrency, rate } = limits
  const id = db.limits.get(queue ?? '*')?.id ?? db.nextSequence()
  const intervalUs = rate && Math.max(1, Math.round((rate.perMs * 1_000) / rate.limit))
  db.limits.set(queue ?? '*', {
    ...{ id, queue, concurrency, nextUs: 0 },
    rate: rate && intervalUs ? { intervalUs, burst: rate.burst } : null,
  })
  const queues = new Map(db.lanes.values().map((lane) => [lane.id, lane.queue]))
  for (const lease of db.leases.values())
    if (queue === null) db.leases.set(lease.runId, { ...lease, tenantLimit: id })
    else if (queues.get(lease.lane) === queue)
      db.leases.set(lease.runId, { ...lease, queueLimit: id })
}

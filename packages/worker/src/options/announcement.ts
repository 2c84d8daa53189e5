/** The properties of a worker that its session shows, as its options state them. */
import type { SessionAnnouncement } from '@punctual/core/ports'
import type { WorkerOptions } from './worker-options.ts'

export function announcementOf(options: WorkerOptions): Omit<SessionAnnouncement, 'id' | 'drains'> {
  const { host, pid, version, queues, labels, concurrency, leaseMs } = options
  const handlers = [...options.handlers.keys()]
  return { host, pid, version, handlers, queues, labels, capacity: concurrency, leaseMs }
}

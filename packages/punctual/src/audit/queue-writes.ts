/** Records changes of queues, limits and workers. */
import type { QueueLimits } from '@punctual/core/flow'
import type { Limits } from '../queues/limits.ts'
import type { Queues } from '../queues/queues.ts'
import type { Workers } from '../queues/workers.ts'
import type { WriteScope, WritesOf } from './recorded-methods.ts'

/** The target of all queues together has no name. */
const target = (kind: string, queue: string | null | undefined) => ({
  ...{ kind, id: null, name: queue ?? null },
})

const pauseOf = async ({ store, tenantId }: WriteScope, queue: string | null) =>
  (await store.queues.pauses(tenantId as number)).find((pause) => pause.queue === queue) ?? null

async function pausedOrResumed(
  scope: WriteScope,
  action: 'queue.pause' | 'queue.resume',
  queue: string | null,
  work: () => Promise<boolean>,
) {
  const before = await pauseOf(scope, queue)
  const result = await work()
  const after = await pauseOf(scope, queue)
  const note = (after ?? before)?.note
  const entry = { action, target: target('queue', queue), before, after, note }
  return { result, entries: result ? [entry] : [] }
}

export const queueWrites: WritesOf<Queues> = {
  pause: { one: (scope, [queue], work) => pausedOrResumed(scope, 'queue.pause', queue, work) },
  resume: { one: (scope, [queue], work) => pausedOrResumed(scope, 'queue.resume', queue, work) },
  pauseAll: { one: (scope, _, work) => pausedOrResumed(scope, 'queue.pause', null, work) },
  resumeAll: { one: (scope, _, work) => pausedOrResumed(scope, 'queue.resume', null, work) },
}

async function limitOf(
  { store, tenantId }: WriteScope,
  queue: string | undefined,
): Promise<QueueLimits | null> {
  const all = await store.limits.list(tenantId as number)
  const found = all.find((limit) => limit.queue === (queue ?? null))
  if (!found) return null
  const { concurrency, rate, ageingMs, weight } = found
  return { concurrency, rate, ageingMs, weight }
}

export const limitWrites: WritesOf<Limits> = {
  set: {
    one: async (scope, [options], work) => {
      const before = await limitOf(scope, options?.queue)
      const result = await work()
      const after = await limitOf(scope, options.queue)
      const entry = { action: 'limit.set', target: target('limit', options.queue) }
      return { result, entries: [{ ...entry, before, after }] }
    },
  },
  remove: {
    one: async (scope, [queue], work) => {
      const before = await limitOf(scope, queue)
      const result = await work()
      const entry = { action: 'limit.remove', target: target('limit', queue), before }
      return { result, entries: result ? [entry] : [] }
    },
  },
}

async function drainChanged(
  { store }: WriteScope,
  action: 'worker.drain' | 'worker.activate',
  id: string,
  work: () => Promise<boolean>,
) {
  const result = await work()
  const worker = (await store.workers.sessions()).find((session) => session.id === id)
  const name = worker ? `${worker.host}:${worker.pid}` : null
  const drains = action === 'worker.drain'
  const states = { before: { drains: !drains }, after: { drains } }
  return {
    result,
    entries: result ? [{ action, target: { kind: 'worker', id, name }, ...states }] : [],
  }
}

export const workerWrites: WritesOf<Workers> = {
  drain: { one: (scope, [id], work) => drainChanged(scope, 'worker.drain', id, work) },
  activate: { one: (scope, [id], work) => drainChanged(scope, 'worker.activate', id, work) },
}

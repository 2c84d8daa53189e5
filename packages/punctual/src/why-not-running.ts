/** Why a run is not running now, in one word and one sentence; `runs.explain` tells all of it. */
import type { Run, RunConcurrency } from '@punctual/core'
import type { PostgresStore } from '@punctual/store'
import { limitsInTheWay } from './limits.ts'
import { describePause, pauseOf } from './queues.ts'

/**
 * Why a run does not run now: its time has not come, no live worker has its handler, its queue is paused, another run of
 * its job or of its concurrency key goes on, a limit of its queue or tenant is used up, or workers are busy with others.
 */
export type NotRunningReason =
  | 'not_due'
  | 'no_worker'
  | 'paused'
  | 'overlap'
  | 'concurrency'
  | 'limit'
  | 'waiting_for_slot'

function fullGate({ concurrency }: Run): string {
  const { key, limit } = concurrency as RunConcurrency
  return `${limit} ${limit === 1 ? 'run' : 'runs'} of its concurrency key ${key} may go on at once; it starts in its turn, when a place is free.`
}

export async function whyNotRunning(
  store: PostgresStore,
  run: Run,
  tenantId: number,
): Promise<{ reason: NotRunningReason; message: string } | null> {
  if (run.state === 'waiting' && run.waitsFor === 'concurrency')
    return { reason: 'concurrency', message: fullGate(run) }
  if (run.state === 'waiting')
    return {
      reason: 'overlap',
      message: 'Another run of its job goes on; it starts when that has ended.',
    }
  if (run.state !== 'scheduled' && run.state !== 'queued') return null
  const pause = pauseOf(await store.queues.pauses(tenantId), run.queue)
  if (run.state === 'scheduled') {
    const due = `It is due at ${run.nextAt.toISOString()}.`
    return { reason: 'not_due', message: pause ? `${due} ${describePause(pause)}` : due }
  }
  if (pause) return { reason: 'paused', message: describePause(pause) }
  if (!(await store.hasHandler(run.handler, run.queue, tenantId)))
    return {
      reason: 'no_worker',
      message: `No live worker has the handler ${run.handler} for the queue ${run.queue}. Start one; the run waits.`,
    }
  const limit = limitsInTheWay(await store.limits.list(tenantId), run.queue)
  if (limit) return { reason: 'limit', message: limit }
  return {
    reason: 'waiting_for_slot',
    message: 'Workers have its handler; it waits for a free slot behind others.',
  }
}

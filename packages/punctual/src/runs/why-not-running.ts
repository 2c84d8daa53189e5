/** Why a run is not running now, in one word and one sentence; `runs.explain` tells all of it. */
import type { Run, RunObstacle } from '@punctual/core/run'
import type { PostgresStore } from '@punctual/store'
import { limitsInTheWay } from '../queues/limits.ts'
import { describePause, pauseOf } from '../queues/queues.ts'

/**
 * Why a run does not run now: its time has not come, the rate of its key is used up, no live worker has its handler, its queue
 * is paused, another run of its job or of its concurrency key goes on, a limit of its queue or tenant is used up, or workers are busy with others.
 */
export type NotRunningReason =
  | 'not_due'
  | 'rate'
  | 'no_worker'
  | 'paused'
  | 'overlap'
  | 'concurrency'
  | 'limit'
  | 'waiting_for_slot'

export async function whyNotRunning(
  store: PostgresStore,
  run: Run,
  tenantId: number,
): Promise<{ reason: NotRunningReason; message: string } | null> {
  if (run.state === 'waiting' && run.waitsFor === 'concurrency')
    return {
      reason: 'concurrency',
      message:
        (await detailOf('concurrency', store, run, tenantId)) ??
        'It waited for its concurrency key, and has just been let through.',
    }
  if (run.state === 'waiting')
    return {
      reason: 'overlap',
      message: 'Another run of its job goes on; it starts when that has ended.',
    }
  if (run.state !== 'scheduled' && run.state !== 'queued') return null
  const pause = pauseOf(await store.queues.pauses(tenantId), run.queue)
  if (run.state === 'scheduled') {
    const rated = run.rate ? await detailOf('rate_limited', store, run, tenantId) : null
    const due = rated ?? `It is due at ${run.nextAt.toISOString()}.`
    const message = pause ? `${due} ${describePause(pause)}` : due
    return { reason: rated === null ? 'not_due' : 'rate', message }
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

/** What `explain` says of it; null when the run has moved on since it was read. */
async function detailOf(
  code: RunObstacle['code'],
  { explainer }: PostgresStore,
  { id }: Run,
  tenantId: number,
): Promise<string | null> {
  const explained = await explainer.explain(id, tenantId)
  return explained?.reasons.find((it) => it.code === code)?.detail ?? null
}

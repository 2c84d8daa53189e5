/**
 * Ends the runs of a worker that stops: runs that have not started go back at once, and running
 * handlers may finish until the deadline. Then they are signalled to stop, and after a short grace
 * they are abandoned. Outcomes that are not stored in time are left to the reaper.
 */
import type { Clock } from '@punctual/core/clock'
import type { Pipeline } from './pipeline.ts'

const INTERRUPT_GRACE_MS = 1_000
const SETTLE_GRACE_MS = 10_000

export async function drain(pipeline: Pipeline, clock: Clock, drainMs: number): Promise<void> {
  const { runner, returns, settler, logs } = pipeline
  await pipeline.giveBackUnstarted('give back')
  await within(runner.idle(), drainMs, clock)
  const reason = new DOMException('The worker is stopping.', 'AbortError')
  for (const attempt of runner.attempts) attempt.interrupt(reason)
  await within(runner.idle(), INTERRUPT_GRACE_MS, clock)
  for (const attempt of runner.attempts) attempt.abandon(reason)
  await returns.idle()
  await within(Promise.all([settler.idle(), logs.flush()]), SETTLE_GRACE_MS, clock)
  settler.giveUp()
}

async function within(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const done = new AbortController()
  await Promise.race([work.then(() => done.abort()), clock.sleep(ms, done.signal)])
  done.abort()
}

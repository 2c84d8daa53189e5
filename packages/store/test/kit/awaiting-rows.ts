/** Rows of the lifecycle table that concern runs that await their targets: how each happens. */
import type { TargetReport } from '@punctual/core/ports'
import type { SubmitOptions } from '@punctual/core/submit'
import { awaiting, eventually, retry, type TestStore } from '@punctual/testkit'
import { expect } from 'vitest'

const FAR = 3_600_000

export function awaitingRows(t: () => TestStore) {
  /** A run whose target accepted the work. */
  const awaited = async (options: SubmitOptions = {}, timeoutMs?: number) => {
    const session = await t().session()
    const run = await t().running(session, options)
    expect(await t().store.work.settle(session, [awaiting(run, timeoutMs)])).toEqual([])
    return run
  }
  const report = async (runId: string, what: TargetReport) => {
    const answer = await t().store.awaiting.report({ tenantId: 1, runId, attempt: 1 }, what)
    expect(answer).toMatchObject({ result: 'accepted' })
  }

  return {
    'await: leases -> leases': async () => (await awaited()).id,
    'doubt: leases -> outcomes': async () => {
      const session = await t().session()
      const run = await t().running(session, { delivery: 'at-most-once' })
      const failure = { name: 'UnclearOutcomeError', message: 'The connection broke.' }
      const unclear = { outcome: 'failed', failure, reason: 'unclear' } as const
      await t().store.work.settle(session, [{ kind: 'unknown', run, startedAgoMs: 1, ...unclear }])
      expect(await t().store.runs.find(run.id)).toMatchObject({
        state: 'unknown',
        reason: 'unclear',
      })
      return run.id
    },
    'report: leases -> outcomes': async () => {
      const run = await awaited()
      await report(run.id, { outcome: 'succeeded', output: { rows: 3 } })
      return run.id
    },
    'report: leases -> queue': async () => {
      const run = await awaited({ maxAttempts: 2 })
      await report(run.id, { outcome: 'failed', retryAfterMs: 1 })
      return run.id
    },
    'report: leases -> later': async () => {
      const run = await awaited({ maxAttempts: 2 })
      await report(run.id, { outcome: 'failed', retryAfterMs: FAR })
      return run.id
    },
    'report: queue -> outcomes': async () => {
      const session = await t().session()
      const run = await t().running(session)
      await t().expire(session)
      await t().reap([session])
      await report(run.id, { outcome: 'succeeded' })
      return run.id
    },
    'report: later -> outcomes': async () => {
      const session = await t().session()
      const run = await t().running(session)
      await t().store.work.settle(session, [
        { ...retry(run, FAR), outcome: 'timed_out' } as ReturnType<typeof retry>,
      ])
      await report(run.id, { outcome: 'succeeded' })
      return run.id
    },
    'overdue: leases -> outcomes': async () => {
      const run = await awaited({}, 1)
      await eventually('its time is over', async () => {
        return (await t().store.awaiting.giveUp(10)).givenUp > 0
      })
      return run.id
    },
    'recall: leases -> outcomes': async () => {
      const run = await awaited()
      const answers = await t().store.steering.cancel([run.id], 'test')
      expect(answers.get(run.id)).toBe('cancelled')
      return run.id
    },
  }
}

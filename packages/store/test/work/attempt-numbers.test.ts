/** Runs with as many attempts as the number can hold: every way to end an attempt still works. */
import type { ClaimedRun, Settlement } from '@punctual/core/ports'
import { dead, retry, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const LAST = 32_767

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterEach(() => t.emptyPlaces())
afterAll(() => t.close())

/** A running run with the largest number of attempts, of which the last is recorded. */
async function atLast(session: string): Promise<ClaimedRun> {
  const run = await t.running(session)
  await t.sql.query('update punctual.leases set attempt = $2 where run_id = $1', [run.id, LAST - 1])
  await t.store.work.settle(session, [retry({ ...run, attempt: LAST - 1 })])
  const { runs } = await t.claim(session)
  expect(runs).toMatchObject([{ id: run.id, attempt: LAST }])
  return runs[0] as ClaimedRun
}

const cancelled = (run: ClaimedRun): Settlement => ({
  ...{ kind: 'cancelled', run, startedAgoMs: 1, failure: null, reason: 'asked' },
})

it.each([
  ['a success', succeeded, 'succeeded'],
  ['a failure without retry', dead, 'dead'],
  ['a cancel', cancelled, 'cancelled'],
] as const)('after the last number of attempts, %s ends the run', async (_, settlement, state) => {
  const session = await t.session()
  const run = await atLast(session)
  expect(await t.store.work.settle(session, [settlement(run)])).toEqual([])
  expect(await t.store.runs.find(run.id)).toMatchObject({ state })
})

it('a success is stored together with that of a run whose lease is gone', async () => {
  const session = await t.session()
  const gone = await t.running(session)
  await t.store.work.settle(session, [succeeded(gone)])
  const run = await atLast(session)
  await t.store.work.settle(session, [succeeded({ ...gone, fence: 1n }), succeeded(run)])
  expect(await t.store.runs.find(run.id)).toMatchObject({ state: 'succeeded' })
})

it('after the last number of attempts, a retry returns the run to the queue', async () => {
  const session = await t.session()
  const run = await atLast(session)
  expect(await t.store.work.settle(session, [retry(run)])).toEqual([])
  expect((await t.claim(session)).runs).toMatchObject([{ id: run.id, attempt: LAST }])
})

it('the reaper takes back a run with the last number of attempts', async () => {
  const session = await t.session()
  const run = await atLast(session)
  await t.expire(session)
  expect(await t.reap([session])).toMatchObject({ sessions: 1, returned: 1 })
  const heir = await t.session()
  expect((await t.claim(heir)).runs).toMatchObject([{ id: run.id, attempt: LAST, crashes: 1 }])
})

it('the reaper ends a run with the last number of crashes', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.sql.query(
    'update punctual.leases set crashes = $2, started_at = clock_timestamp() where run_id = $1',
    [run.id, LAST],
  )
  await t.expire(session)
  expect(await t.reap([session])).toMatchObject({ sessions: 1, dead: 1 })
})

it('a newer run of the job replaces one with the last number of attempts', async () => {
  const overlap = 'terminate-previous'
  const job = await t.job({ every: '1h', startAt: '2100-01-01', overlap })
  const session = await t.session()
  const first = await t.store.schedules.steering.trigger(job, null, 1)
  await t.claim(session)
  await t.sql.query('update punctual.leases set attempt = $2 where run_id = $1', [first, LAST])
  await t.store.schedules.steering.trigger(job, null, 1)
  const { parked } = await t.claim(session)
  await t.store.work.resolveParked(parked)
  expect(await t.store.runs.find(first)).toMatchObject({ state: 'cancelled', reason: 'superseded' })
})

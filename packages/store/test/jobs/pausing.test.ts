/** Pause and resume: slots before a pause are decided as without it, and no run starts early. */
import { slotReasons } from '@punctual/core/job'
import type { ClaimedRun } from '@punctual/core/ports'
import { dead, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cursorOf, holesOf, ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

const MINUTE = 60_000
const DAY = 86_400_000

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query(
    'truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.leases, punctual.parked, punctual.job_holds',
  )
})

const plan = () => planAll(plannerOf({ store: t.store, alone: true }))
const steering = () => t.store.schedules.steering
const runsOf = async (jobId: string) =>
  (await ledgerOf(t, jobId)).filter(({ decision }) => decision === 'run')

/** A worker runs all due runs and returns them. */
async function work(): Promise<readonly ClaimedRun[]> {
  const session = await t.session()
  const { runs } = await t.claim(session, 100)
  await t.store.work.settle(
    session,
    runs.map((run) => succeeded(run)),
  )
  return runs
}

describe('a pause after an outage', () => {
  it('a pause decides slots missed before it by misfire rules, and only later ones as paused', async () => {
    const id = await t.job({ every: '1m' })
    await t.age(id, 10 * MINUTE)
    await steering().pause(id, null, 1)
    const missed = await ledgerOf(t, id)
    expect(missed.length).toBeGreaterThanOrEqual(10)
    expect(missed.every(({ decision }) => decision === 'run')).toBe(true)
    await steering().resume(id, 1)
    await plan()
    expect((await ledgerOf(t, id)).some(({ reason }) => reason === slotReasons.paused)).toBe(false)
    expect(await holesOf(t, id)).toEqual([])
  })

  it('catch-up runs that a pause creates count against maxRuns', async () => {
    const id = await t.job({ every: '1m', maxRuns: 12 })
    await t.age(id, 10 * MINUTE)
    await steering().pause(id, null, 1)
    const made = (await runsOf(id)).length
    expect(made).toBeGreaterThanOrEqual(10)
    expect((await cursorOf(t, id)).runsLeft).toBe(12 - made)
  })

  it('a pause after failures runs the slots missed before it', async () => {
    const id = await t.job({ every: '1m', pauseAfterFailures: 1 })
    await steering().trigger(id, null, 1)
    await t.age(id, 10 * MINUTE)
    const session = await t.session()
    const [run] = (await t.claim(session)).runs as [ClaimedRun]
    await t.store.work.settle(session, [dead(run)])
    expect(await cursorOf(t, id)).toMatchObject({ paused: true })
    expect((await runsOf(id)).length).toBeGreaterThanOrEqual(10)
  })

  it('pausing a job that could not be planned skips its missed slots once', async () => {
    const id = await t.job({ every: '1m' })
    await t.age(id, 10 * MINUTE)
    await t.sql.query('update punctual.cursors set next_at = null where job_id = $1', [id])
    await t.sql.query(`update punctual.jobs set planning_error = 'odd' where id = $1`, [id])
    await steering().pause(id, null, 1)
    await steering().resume(id, 1)
    const [first, ...others] = await ledgerOf(t, id)
    expect(first).toMatchObject({ decision: 'skip', reason: slotReasons.misfire })
    expect(others).toEqual([])
  })

  it('pausing a job of a suspended tenant skips its missed slots, as planners do', async () => {
    const id = await t.job({ every: '1m' })
    await t.age(id, 10 * MINUTE)
    await t.sql.query(
      `insert into punctual.pauses (tenant_id, paused_at, of_suspension) values (1, now(), true)`,
    )
    await steering().pause(id, null, 1)
    await t.sql.query('delete from punctual.pauses')
    const missed = await ledgerOf(t, id)
    expect(missed.map(({ reason }) => reason)).toEqual([slotReasons.paused])
  })
})

describe('pausing a job that fires after the end of its last run', () => {
  it('pausing and resuming an everyAfterEnd job does not make it run early', async () => {
    const id = await t.job({ everyAfterEnd: '1d' })
    await plan()
    expect(await work()).toHaveLength(1)
    const endedMs = Date.now()
    await plan()
    await steering().pause(id, null, 1)
    await steering().resume(id, 1)
    await plan()
    const { nextMs } = await cursorOf(t, id)
    expect(nextMs).toBeGreaterThan(endedMs + DAY - MINUTE)
    expect(await work()).toEqual([])
  })

  it('an everyAfterEnd job keeps its time through a pause that cancelled its next run', async () => {
    const id = await t.job({ everyAfterEnd: '10s' })
    await plan()
    expect(await work()).toHaveLength(1)
    await plan()
    const planned = await runsOf(id)
    expect(planned).toHaveLength(2)
    await steering().pause(id, null, 1)
    expect(await runsOf(id)).toHaveLength(1)
    await steering().resume(id, 1)
    expect((await cursorOf(t, id)).nextMs).toBe(planned[1]?.slotMs)
  })

  it('a resumed everyAfterEnd job runs at once if its time has passed or it never ran', async () => {
    const id = await t.job({ everyAfterEnd: '1d' })
    await steering().pause(id, null, 1)
    await steering().resume(id, 1)
    await plan()
    expect(await work()).toHaveLength(1)
    await plan()
    await steering().pause(id, null, 1)
    await t.sql.query(
      `update punctual.outcomes set finished_at = finished_at - interval '2 days'
       where run_id in (select run_id from punctual.slots where job_id = $1)`,
      [id],
    )
    await steering().resume(id, 1)
    await plan()
    expect(await work()).toHaveLength(1)
  })
})

describe('skipping a slot', () => {
  it('a skip is refused for a slot before the start or at or after the end of the job', async () => {
    const startMs = Math.ceil(Date.now() / MINUTE) * MINUTE + 10 * MINUTE
    const [startAt, endAt] = [new Date(startMs), new Date(startMs + 10 * MINUTE)]
    const id = await t.job({ cron: '* * * * *', startAt, endAt })
    const skip = (ms: number) => steering().skip(id, startMs + ms, null, 1)
    await expect(skip(-MINUTE)).rejects.toMatchObject({ code: 'slot_not_found' })
    await expect(skip(10 * MINUTE)).rejects.toMatchObject({ code: 'slot_not_found' })
    await skip(0)
    await skip(9 * MINUTE)
    expect(await t.count('slot_skips')).toBe(2)
  })
})

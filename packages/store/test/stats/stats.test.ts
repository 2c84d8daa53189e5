/**
 * Sums of final states: by day from counters, by job from past hours; late ends added, none counted
 * twice.
 */
import { dead, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StatStore } from '../../src/stats/stat-store.ts'
import { endRun, makeRun } from '../kit/history-kit.ts'

let t: TestStore
let stats: StatStore
beforeAll(async () => {
  t = await TestStore.open()
  stats = new StatStore(t.store.database)
})
afterAll(() => t.close())

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const JOB = '019a0000-0000-7000-8000-00000000000a'
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

async function moveBack(name: string, ms: number) {
  await t.sql.query(
    'update punctual.day_sums set through = to_timestamp($2 / 1000.0) where name = $1',
    [name, ms],
  )
}

describe('sums of runs', () => {
  it('recent stats count runs that ended in the last minutes by queue and handler', async () => {
    const session = await t.session()
    const runs = [
      await t.running(session, { queue: 'mail' }),
      await t.running(session, { queue: 'mail' }),
      await t.running(session),
    ] as const
    await t.store.work.settle(session, [succeeded(runs[0]), dead(runs[1]), succeeded(runs[2])])
    expect(await stats.recent(5, 1)).toEqual([
      { queue: 'default', handler: 'test', state: 'succeeded', runs: 1 },
      { queue: 'mail', handler: 'test', state: 'succeeded', runs: 1 },
      { queue: 'mail', handler: 'test', state: 'dead', runs: 1 },
    ])
    expect(await stats.recent(5, 2)).toEqual([])
  })

  it('daily stats are the same before and after the counters of a day are summed', async () => {
    await t.sql.query('delete from punctual.counters')
    const lanes = await t.lanes()
    const lane = lanes[0]?.id
    for (const [back, state, runs] of [
      [2, 1, 10],
      [2, 2, 3],
      [1, 1, 5],
      [0, 1, 1],
    ])
      await t.sql.query(
        `insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
         values (0, to_timestamp($1 / 1000.0), 1, $2, $3, $4)`,
        [today - (back as number) * DAY_MS + 60_000, lane, state, runs],
      )
    await moveBack('lanes', today - 2 * DAY_MS)
    const days = () => stats.days(today - 2 * DAY_MS, today + DAY_MS, 1)
    const before = await days()
    expect(before).toEqual([
      { day: dayOf(today - 2 * DAY_MS), state: 'succeeded', runs: 10 },
      { day: dayOf(today - 2 * DAY_MS), state: 'dead', runs: 3 },
      { day: dayOf(today - DAY_MS), state: 'succeeded', runs: 5 },
      { day: dayOf(today), state: 'succeeded', runs: 1 },
    ])
    const others = [t.store, t.another(), t.another()]
    await Promise.all(others.map((store) => store.upkeep.sweep(90)))
    await t.store.upkeep.sweep(90)
    expect(await t.count('lane_days')).toBeGreaterThanOrEqual(2)
    expect(await days()).toEqual(before)
    expect(await stats.days(today - DAY_MS, today, 1)).toEqual([before[2]])
    expect(await stats.days(today - 2 * DAY_MS, today, 2)).toEqual([])
  })

  it('job stats count an hour after it has passed, and add runs that end later', async () => {
    const dueMs = today - DAY_MS + 90_000
    await makeRun(t, { jobId: JOB, dueMs })
    await makeRun(t, { jobId: JOB, dueMs, state: 'dead' })
    await makeRun(t, { dueMs })
    const late = await makeRun(t, { jobId: JOB, dueMs, state: 'queued' })
    await moveBack('jobs', today - DAY_MS)
    const jobs = async () => (await stats.jobs(today - DAY_MS, today, 1)).jobs
    await Promise.all(
      [t.store, t.another()].map(({ database }) => new StatStore(database).sumJobHours()),
    )
    const counted = [
      { id: JOB, name: null, state: 'succeeded', runs: 1 },
      { id: JOB, name: null, state: 'dead', runs: 1 },
    ]
    expect(await jobs()).toEqual(counted)
    await endRun(t, late, 'succeeded')
    await Promise.all([t.store, t.another()].map((store) => store.upkeep.sweep(90)))
    expect(await jobs()).toEqual([{ ...counted[0], runs: 2 }, counted[1]])
    expect(await t.count('job_days_late')).toBe(0)
  })

  it('job stats exclude the current hour', async () => {
    await stats.sumJobHours()
    const { throughMs } = await stats.jobs(today, today + DAY_MS, 1)
    expect(throughMs).toBeLessThanOrEqual(Date.now() - 600_000)
    expect(throughMs % HOUR_MS).toBe(0)
  })
})

/** Steering jobs: no slot is planned twice or lost, and runs that a worker has claimed stay. */
import { compileJob, slotReasons } from '@punctual/core/job'
import type { ClaimedRun } from '@punctual/core/ports'
import { succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cursorOf, holesOf, ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

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
const queued = async (jobId: string): Promise<number> =>
  Number(
    (await t.sql.query('select count(*) from punctual.queue where job_id = $1', [jobId])).rows[0]
      .count,
  )
const superseded = async (jobId: string): Promise<number> => {
  const { rows } = await t.sql.query(
    `select count(*) from punctual.outcomes o join punctual.runs r on r.id = o.run_id
     where r.job_id = $1 and o.state = 3 and o.reason = 'superseded'`,
    [jobId],
  )
  return Number(rows[0].count)
}

describe('editing a job', () => {
  it('an edit cancels planned runs and plans those of the new rules (case 107)', async () => {
    const id = await t.job({ payload: 'old' })
    await plan()
    const before = await queued(id)
    expect(before).toBeGreaterThan(15)
    await t.job({ payload: 'new' })
    expect(await superseded(id)).toBeGreaterThan(15)
    await plan()
    expect(await holesOf(t, id)).toEqual([])
    const { rows } = await t.sql.query(
      `select distinct r.payload from punctual.queue q join punctual.runs r on r.id = q.run_id
       where q.job_id = $1 and r.slot_at > clock_timestamp()`,
      [id],
    )
    expect(rows).toEqual([{ payload: '"new"' }])
  })

  it('an edit without changes keeps the planned runs', async () => {
    const id = await t.job({ description: 'a' })
    await plan()
    const before = await ledgerOf(t, id)
    await t.job({ description: 'a' })
    expect(await ledgerOf(t, id)).toEqual(before)
    expect(await superseded(id)).toBe(0)
  })

  it('an edit of other rules keeps the phase of a fixed rate', async () => {
    const id = await t.job({ every: '1h', overlap: 'skip' })
    await plan()
    const { nextMs } = await cursorOf(t, id)
    await t.job({ every: '1h', overlap: 'allow', misfire: 'none', description: 'x' })
    expect((await cursorOf(t, id)).nextMs).toBe(nextMs)
  })

  it('an edit after an outage catches up on missed slots by the old rules', async () => {
    const id = await t.job({ every: '1m', payload: 'old' })
    await t.age(id, 10 * 60_000)
    await t.job({ every: '5m', payload: 'new' })
    const late = await ledgerOf(t, id)
    expect(late.length).toBeGreaterThanOrEqual(10)
    expect(late.every(({ decision }) => decision === 'run')).toBe(true)
    await plan()
    expect(await holesOf(t, id)).toEqual([])
  })

  it('an edit of a job that ran once runs it again only if its time changed', async () => {
    const at = new Date(Date.now() - 5_000)
    const id = await t.job({ at })
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(1)
    await t.job({ at, description: 'changed' })
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(1)
    expect(await holesOf(t, id)).toEqual([])
    await t.job({ at: new Date(Date.now() + 5_000) })
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(2)
  })

  it('an edit between skipped and planned slots leaves no slot undecided', async () => {
    const id = await t.job()
    await plan()
    const [, , third] = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs > Date.now() + 2_000)
    const slotMs = (third as { slotMs: number }).slotMs
    await steering().skip(id, slotMs, 'ann', 1)
    await t.job({ description: 'changed' })
    await plan()
    expect(await holesOf(t, id)).toEqual([])
    const kept = (await ledgerOf(t, id)).find((row) => row.slotMs === slotMs)
    expect(kept).toMatchObject({ decision: 'skip', reason: slotReasons.asked })
  })

  it('an edit that removes a calendar withdraws its future skips', async () => {
    const days = [0, 1].map((day) => new Date(Date.now() + day * 86_400_000))
    const exclude = days.map((day) => day.toISOString().slice(0, 10))
    await t.store.schedules.calendars.set('off', { exclude }, 1)
    // All slots are in the future: a range of skips whose first slot has passed stays unchanged.
    const startAt = new Date(Date.now() + 5_000)
    const id = await t.job({ calendars: ['off'], startAt })
    await plan()
    const skipped = await ledgerOf(t, id)
    expect(skipped.map(({ decision }) => decision)).toContain('skip')
    expect(skipped.every(({ decision }) => decision === 'skip')).toBe(true)
    await t.job({ description: 'free', startAt })
    await plan()
    expect(await holesOf(t, id)).toEqual([])
    const last = (await ledgerOf(t, id)).at(-1)
    expect(last).toMatchObject({ decision: 'run' })
  })

  it('an edit of a paused job decides slots since the pause by the rules of their time', async () => {
    // No slot has passed at the pause: a decided slot would not age with the job.
    const id = await t.job({ every: '10s', startAt: new Date(Date.now() + 5_000) })
    await steering().pause(id, null, 1)
    await t.age(id, 3_600_000)
    await t.job({ every: '1m' })
    await steering().resume(id, 1)
    await plan()
    expect(await holesOf(t, id)).toEqual([])
  })

  it('edits that race claims cancel a run or let it run, and lose no slot (case 107)', async () => {
    const startMs = Date.now()
    const ids: string[] = []
    for (let i = 0; i < 30; i++) {
      const startAt = new Date(startMs + i * 33)
      ids.push(await t.job({ name: `raced ${i}`, every: '1s', startAt, overlap: 'allow' }))
    }
    const session = await t.session(600_000)
    const claimed: ClaimedRun[] = []
    let claiming = true
    const claims = (async () => {
      while (claiming) {
        const { runs } = await t.claim(session, 50)
        claimed.push(...runs)
        await t.store.work.settle(
          session,
          runs.map((run) => succeeded(run)),
        )
      }
    })()
    const planner = plannerOf({ store: t.another(), alone: true })
    for (let round = 0; round < 150; round++) {
      await planAll(planner)
      const n = round % ids.length
      const startAt = new Date(startMs + n * 33)
      const job = { name: `raced ${n}`, every: '1s', startAt, overlap: 'allow' } as const
      await t.job({ ...job, description: `round ${round}` })
    }
    await planAll(planner)
    claiming = false
    await claims
    expect(claimed.length).toBeGreaterThan(20)
    const { rows } = await t.sql.query(
      `select o.run_id from punctual.outcomes o where o.run_id = any ($1) and o.state <> 1`,
      [claimed.map(({ id }) => id)],
    )
    expect(rows).toEqual([])
    for (const id of ids) {
      expect(await holesOf(t, id)).toEqual([])
      const ledger = await ledgerOf(t, id)
      expect(new Set(ledger.map(({ slotMs }) => slotMs)).size).toBe(ledger.length)
    }
  })
})

describe('pausing and resuming a job', () => {
  it('pause cancels future runs, and resume records all passed slots in one row', async () => {
    const id = await t.job({ every: '1s' })
    await plan()
    expect(await steering().pause('job', 'holiday', 1)).toBe(true)
    expect(await steering().pause('job', 'again', 1)).toBe(false)
    expect((await cursorOf(t, id)).nextMs).toBeNull()
    await t.age(id, 60_000)
    await t.sql.query('delete from punctual.slots where job_id = $1', [id])
    await plan()
    expect(await ledgerOf(t, id)).toEqual([])
    expect(await steering().resume('job', 1)).toBe(true)
    expect(await steering().resume('job', 1)).toBe(false)
    const ledger = await ledgerOf(t, id)
    expect(ledger).toHaveLength(1)
    expect(ledger[0]).toMatchObject({ decision: 'skip', reason: slotReasons.paused })
    expect(ledger[0]?.slots).toBeGreaterThanOrEqual(58)
    await plan()
    const { slotMs } = ledger[0] as { slotMs: number }
    expect((await ledgerOf(t, id))[1]?.slotMs).toBe(slotMs + 1_000)
  })

  it('a job that runs once is planned again when it is resumed before its time', async () => {
    const id = await t.job({ at: new Date(Date.now() + 5_000) })
    await plan()
    await steering().pause(id, null, 1)
    expect(await queued(id)).toBe(0)
    await steering().resume(id, 1)
    await plan()
    expect(await queued(id)).toBe(1)
  })

  it('resuming a job resets its failure count', async () => {
    const id = await t.job({ pauseAfterFailures: 2 })
    await t.sql.query('update punctual.cursors set failures = 2 where job_id = $1', [id])
    await plan()
    expect(await cursorOf(t, id)).toMatchObject({ paused: true, nextMs: null })
    await steering().resume(id, 1)
    expect(await cursorOf(t, id)).toMatchObject({ paused: false, failures: 0 })
  })
})

describe('maxRuns', () => {
  it('maxRuns is exact through an edit, a pause and a skip (case 107)', async () => {
    const id = await t.job({ every: '1s', maxRuns: 5 })
    await plan()
    expect(await queued(id)).toBe(5)
    expect(await cursorOf(t, id)).toMatchObject({ runsLeft: 0, nextMs: null })
    const made = async () => {
      const ledger = await ledgerOf(t, id)
      return ledger.filter(({ decision }) => decision === 'run').length
    }
    await t.job({ every: '1s', maxRuns: 5, description: 'x' })
    await plan()
    expect(await made()).toBe(5)
    await steering().pause(id, null, 1)
    await steering().resume(id, 1)
    await plan()
    expect(await made()).toBe(5)
    const last = (await ledgerOf(t, id)).at(-1) as { slotMs: number }
    await steering().skip(id, last.slotMs, null, 1)
    await plan()
    expect(await made()).toBe(5)
    expect(await holesOf(t, id)).toEqual([])
    expect(await cursorOf(t, id)).toMatchObject({ runsLeft: 0, nextMs: null })
  })
})

describe('skipping a future slot', () => {
  it.each(['before', 'after'])(
    'a slot skipped %s planning does not run and records why',
    async (order) => {
      const id = await t.job({ every: '1s' })
      if (order === 'after') await plan()
      const slotMs =
        ((await cursorOf(t, id)).nextMs as number) + (order === 'after' ? -5_000 : 9_000)
      await steering().skip('job', slotMs, 'ann', 1)
      await steering().skip('job', slotMs, 'ann', 1)
      await plan()
      const row = (await ledgerOf(t, id)).find((decided) => decided.slotMs === slotMs)
      expect(row).toMatchObject({ decision: 'skip', reason: slotReasons.asked, runId: null })
      expect(await holesOf(t, id)).toEqual([])
    },
  )

  it('only a future slot of the job can be skipped', async () => {
    const id = await t.job({ every: '1s' })
    const { nextMs } = await cursorOf(t, id)
    const at = (ms: number) => steering().skip(id, (nextMs as number) + ms, null, 1)
    await expect(at(5_500)).rejects.toMatchObject({ code: 'slot_not_found' })
    await expect(at(-5_000)).rejects.toMatchObject({ code: 'slot_not_found' })
    await expect(steering().skip('nobody', 1, null, 1)).rejects.toMatchObject({
      code: 'job_not_found',
    })
  })
})

describe('deleting', () => {
  it('deleting a job cancels its future runs and keeps the ledger of past slots', async () => {
    const id = await t.job({ every: '1s' })
    await plan()
    expect(await steering().delete('job', 1)).toBe(true)
    expect(await steering().delete('job', 1)).toBe(false)
    expect(await superseded(id)).toBeGreaterThan(15)
    const ahead = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs > Date.now())
    expect(ahead).toEqual([])
    await t.job({ every: '1s' })
    await plan()
  })
})

describe('a backfill', () => {
  it('concurrent backfills of the same range run each slot once', async () => {
    const id = await t.job({ cron: '* * * * *' })
    await t.age(id, 3_600_000)
    const { jobs, slots } = t.store.schedules
    const job = await jobs.find(id, 1)
    if (!job) throw new Error('gone')
    const nowMs = Date.now()
    const wanted = slots.backfillable(job, nowMs - 1_800_000, nowMs, 1_000)
    expect(wanted.length).toBeGreaterThanOrEqual(29)
    const stores = [t.store, t.another(), t.another()]
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (stores[i % 3] as typeof t.store).schedules.steering.backfill(id, wanted, new Set(), 10, 1),
      ),
    )
    expect(results.reduce((sum, { runs }) => sum + runs, 0)).toBe(wanted.length)
    for (const { runs, already } of results) expect(runs + already).toBe(wanted.length)
    const { rows } = await t.sql.query(
      'select count(*)::int as n, count(distinct slot_at)::int as slots from punctual.runs where job_id = $1',
      [id],
    )
    expect(rows[0]).toEqual({ n: wanted.length, slots: wanted.length })
  })
})

describe('a trigger', () => {
  it('a trigger runs the job now with the given payload, and does not affect its slots', async () => {
    const id = await t.job({ everyAfterEnd: '1h', payload: 'own' })
    const run = await steering().trigger('job', '"other"', 1)
    const { rows } = await t.sql.query(
      'select payload, slot_at, traits & 4 as rearms from punctual.runs where id = $1',
      [run],
    )
    expect(rows[0]).toEqual({ payload: '"other"', slot_at: null, rearms: 0 })
    expect(await ledgerOf(t, id)).toEqual([])
    await expect(steering().trigger('nobody', null, 1)).rejects.toMatchObject({
      code: 'job_not_found',
    })
  })
})

it('more jobs than connections can be resumed and edited concurrently', async () => {
  const ids: string[] = []
  for (let i = 0; i < 24; i++) ids.push(await t.job({ name: `many ${i}`, every: '1s' }))
  for (const id of ids.slice(0, 12)) await steering().pause(id, null, 1)
  for (const id of ids) await t.age(id, 60 * 24 * 3_600_000)
  await Promise.all([
    ...ids.slice(0, 12).map((id) => steering().resume(id, 1)),
    ...ids.slice(12).map((_, i) => t.job({ name: `many ${i + 12}`, every: '2s' })),
  ])
  await plan()
  for (const id of ids) expect(await ledgerOf(t, id)).not.toEqual([])
})

it('1,500 jobs can be created in one call, and a second call leaves them unchanged', async () => {
  const jobs = Array.from({ length: 1_500 }, (_, i) =>
    compileJob(
      { name: `bulk ${i}`, handler: 'test', cron: `${i % 60} * * * *` },
      { timezone: 'UTC', jitterMs: 0, payloadBytes: 1_048_576 },
    ),
  )
  const made = await t.store.schedules.jobs.upsert(jobs, 1)
  expect(new Set(made.map(({ change }) => change))).toEqual(new Set(['created']))
  const again = await t.store.schedules.jobs.upsert(jobs, 1)
  expect(new Set(again.map(({ change }) => change))).toEqual(new Set(['unchanged']))
})

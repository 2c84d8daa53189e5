/**
 * Planning slots with the real store: missed slots, ends, run counts, jobs that cannot be planned.
 */
import { slotReasons } from '@punctual/core/job'
import { dead, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  cursorOf,
  faultsOf,
  holesOf,
  ledgerOf,
  planAll,
  plannerOf,
  skewedClock,
} from '../kit/planning-kit.ts'

const HOUR = 3_600_000

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query(
    'truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.leases, punctual.parked, punctual.job_holds, punctual.sessions',
  )
})

const plan = () => planAll(plannerOf({ store: t.store, alone: true }))
const reasons = async (id: string) => {
  const names = Object.fromEntries(Object.entries(slotReasons).map(([name, code]) => [code, name]))
  return (await ledgerOf(t, id)).map(({ decision, reason }) => `${decision} ${names[reason]}`)
}

describe('planning a slot', () => {
  it('a slot is planned as a run ahead of its time, and is due exactly then', async () => {
    const id = await t.job({ every: '10s', startAt: new Date(Date.now() + 3_000) })
    await plan()
    const session = await t.session()
    expect((await t.claim(session, 10)).runs).toEqual([])
    const { rows } = await t.sql.query(
      `select r.due_at = r.slot_at as exact, (q.pos >> 20) = (extract(epoch from r.due_at) * 1000)::bigint as placed
       from punctual.runs r join punctual.queue q on q.run_id = r.id where r.job_id = $1`,
      [id],
    )
    expect(rows).toEqual([
      { exact: true, placed: true },
      { exact: true, placed: true },
    ])
  })

  it('a slot is due by the database clock, with any planner clock (cases 31-34)', async () => {
    const id = await t.job({ every: '10s', startAt: new Date(Date.now() + 8_000) })
    for (const byMs of [300_000, -300_000, 86_400_000]) {
      const clock = skewedClock(byMs)
      await planAll(plannerOf({ store: t.another(clock), clock, alone: true }))
    }
    const session = await t.session()
    expect((await t.claim(session, 10)).runs).toEqual([])
    expect(await reasons(id)).toEqual(['run on-time', 'run on-time'])
  })

  it('jitter delays every slot of a job by the same time and keeps the slot instant', async () => {
    const id = await t.job({ every: '5s', jitterMs: 60_000 })
    await plan()
    const { rows } = await t.sql.query(
      'select distinct extract(epoch from due_at - slot_at)::float8 as by from punctual.runs where job_id = $1',
      [id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].by).toBeGreaterThan(0)
    expect(rows[0].by).toBeLessThan(60)
  })

  it('a slot in the year 2150 waits in the cursor without being planned (cases 40, 41)', async () => {
    const id = await t.job({ at: '2150-01-01T00:00:00Z' })
    await plan()
    expect(await ledgerOf(t, id)).toEqual([])
    expect((await cursorOf(t, id)).nextMs).toBe(Date.UTC(2150, 0))
  })
})

describe('planning after an outage', () => {
  const outage = async (misfire: object | string, lengthMs = 2 * HOUR) => {
    const id = await t.job({ cron: '* * * * *', misfire: misfire as never })
    const { nextMs } = await cursorOf(t, id)
    await t.age(id, lengthMs)
    await plan()
    expect(await faultsOf(t, id, (nextMs as number) - lengthMs)).toEqual([])
    return id
  }

  it('misfire all runs slots of the last hour one by one, and older ones as one run (case 13)', async () => {
    const decisions = await reasons(await outage('all'))
    expect(decisions[0]).toBe('run coalesced')
    expect(decisions.filter((decision) => decision === 'run late').length).toBeGreaterThanOrEqual(
      57,
    )
  })

  it('a run that catches up on many slots carries their range', async () => {
    const id = await outage('latest')
    const session = await t.session()
    const { runs } = await t.claim(session, 1_000)
    const [made] = runs.filter((run) => run.jobId === id && run.missedFromMs !== null)
    expect(made?.jobId).toBe(id)
    expect((made?.slotMs as number) - (made?.missedFromMs as number)).toBeGreaterThan(1.9 * HOUR)
    expect((await reasons(id))[0]).toBe('run coalesced')
  })

  it('misfire none records all missed slots as one skip (case 13)', async () => {
    const decisions = await reasons(await outage('none'))
    expect(decisions[0]).toBe('skip misfire')
    expect(decisions.filter((decision) => decision === 'skip misfire')).toHaveLength(1)
  })

  it('catch-up runs drip over days whose partitions do not exist yet', async () => {
    const id = await outage({ policy: 'all', maxAgeMs: 3 * HOUR, dripMs: HOUR }, 2.5 * HOUR)
    const { rows } = await t.sql.query(
      `select count(distinct due_at)::int as dues, max(due_at) - min(due_at) > interval '5 days' as long
       from punctual.runs where job_id = $1 and due_at > slot_at + interval '1 minute'`,
      [id],
    )
    expect(rows[0].dues).toBeGreaterThan(140)
    expect(rows[0].long).toBe(true)
  })

  it('after 40 days, beyond the partitions of the ledger, one row covers all slots (case 13)', async () => {
    const decisions = await reasons(await outage('none', 40 * 24 * HOUR))
    expect(decisions[0]).toBe('skip misfire')
  })

  it('many jobs that fire every second are caught up in bounded batches (case 108)', async () => {
    const firsts = new Map<string, number>()
    for (let i = 0; i < 25; i++) {
      const id = await t.job({ name: `seconds ${i}` })
      firsts.set(id, ((await cursorOf(t, id)).nextMs as number) - HOUR)
      await t.age(id, HOUR)
    }
    let most = 0
    const onPlanned = ({ runs, skips }: { runs: number; skips: number }) => {
      most = Math.max(most, runs + skips)
    }
    await planAll(plannerOf({ store: t.store, alone: true, onPlanned }))
    expect(most).toBeLessThan(31_000)
    for (const [id, firstMs] of firsts) expect(await faultsOf(t, id, firstMs)).toEqual([])
  })

  it('a year of missed seconds is caught up with fewer than 250 rows (case 108)', async () => {
    const id = await t.job({ misfire: { policy: 'all', maxCount: 100 } })
    const { nextMs } = await cursorOf(t, id)
    await t.age(id, 365 * 24 * HOUR)
    await plan()
    const ledger = await ledgerOf(t, id)
    expect(ledger.length).toBeLessThan(250)
    expect(ledger[0]).toMatchObject({ decision: 'run', slots: 100_000 })
    expect(await faultsOf(t, id, (nextMs as number) - 365 * 24 * HOUR)).toEqual([])
  })
})

describe('the end of a job', () => {
  it('the last slot of a job is before its endAt', async () => {
    const endAt = new Date(Date.now() + 4_500)
    const id = await t.job({ every: '1s', endAt })
    await plan()
    const ledger = await ledgerOf(t, id)
    expect(ledger.length).toBeGreaterThanOrEqual(4)
    for (const { slotMs } of ledger) expect(slotMs).toBeLessThan(endAt.getTime())
    expect(await cursorOf(t, id)).toMatchObject({ nextMs: null })
    expect(await holesOf(t, id)).toEqual([])
  })

  it('racing planners create exactly maxRuns runs of a job', async () => {
    const ids: string[] = []
    for (let i = 0; i < 20; i++)
      ids.push(await t.job({ name: `few ${i}`, every: '1s', maxRuns: 7 }))
    const startMs = Date.now()
    let nowMs = startMs
    const planners = [1, 2, 3, 4].map(() =>
      plannerOf({ store: t.another(), alone: true, nowMs: () => nowMs, aheadMs: 1_500 }),
    )
    for (; nowMs < startMs + 15_000; nowMs += 700) await Promise.all(planners.map(planAll))
    for (const id of ids) {
      expect(await ledgerOf(t, id)).toHaveLength(7)
      expect(await cursorOf(t, id)).toMatchObject({ runsLeft: 0, nextMs: null })
      expect(await holesOf(t, id)).toEqual([])
    }
  })
})

describe('an everyAfterEnd job', () => {
  it.each(['succeeded', 'is dead', 'is cancelled'])(
    'an everyAfterEnd job fires again after its period when its run %s',
    async (how) => {
      const id = await t.job({ everyAfterEnd: '5s', overlap: 'allow' })
      await plan()
      const session = await t.session()
      const { runs } = await t.claim(session, 10)
      expect(runs).toHaveLength(1)
      const [run] = runs
      if (!run) return
      expect(await cursorOf(t, id)).toMatchObject({ nextMs: null })
      const beforeMs = Date.now()
      const kind = 'cancelled' as const
      const cancelled = { kind, run, startedAgoMs: 1, failure: null, reason: 'asked' }
      const settlement =
        how === 'is dead' ? dead(run) : how === 'is cancelled' ? cancelled : succeeded(run)
      expect(await t.store.work.settle(session, [settlement])).toEqual([])
      await plan()
      const ledger = await ledgerOf(t, id)
      expect(ledger).toHaveLength(2)
      expect(ledger[1]?.slotMs).toBeGreaterThanOrEqual(beforeMs + 4_900)
      expect(ledger[1]?.slotMs).toBeLessThan(beforeMs + 8_000)
    },
  )

  it('a trigger, resume or edit during the run does not fire an everyAfterEnd job twice', async () => {
    const { steering } = t.store.schedules
    const id = await t.job({ everyAfterEnd: '5s', overlap: 'allow' })
    await plan()
    const session = await t.session()
    const [first] = (await t.claim(session, 10)).runs
    if (!first) throw new Error('nothing to run')
    await steering.trigger(id, null, 1)
    const [triggered] = (await t.claim(session, 10)).runs
    if (triggered) await t.store.work.settle(session, [succeeded(triggered)])
    await steering.pause(id, null, 1)
    await steering.resume(id, 1)
    await t.job({ everyAfterEnd: '5s', overlap: 'allow', description: 'x' })
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(1)
    await t.store.work.settle(session, [succeeded(first)])
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(2)
  })

  it('an everyAfterEnd job fires again when its run is lost with its worker', async () => {
    const id = await t.job({ everyAfterEnd: '1s', maxAttempts: 1, overlap: 'allow' })
    await plan()
    const session = await t.session()
    await t.claim(session, 10)
    await t.expire(session)
    await t.reap([session], 1)
    await plan()
    expect(await ledgerOf(t, id)).toHaveLength(2)
  })
})

describe('pauseAfterFailures', () => {
  it('N dead runs in a row pause a job, and a success between resets the count', async () => {
    const id = await t.job({ every: '1s', pauseAfterFailures: 2, overlap: 'allow' })
    await t.age(id, 10_000)
    await plan()
    const session = await t.session()
    const { runs } = await t.claim(session, 4)
    const [a, b, c, d] = runs
    if (!a || !b || !c || !d) throw new Error('too few runs')
    await t.store.work.settle(session, [dead(a)])
    await t.store.work.settle(session, [succeeded(b)])
    await t.store.work.settle(session, [dead(c)])
    expect(await cursorOf(t, id)).toMatchObject({ paused: false, failures: 1 })
    await t.store.work.settle(session, [dead(d)])
    expect(await cursorOf(t, id)).toMatchObject({ paused: true, failures: 2, nextMs: null })
    const job = await t.store.schedules.jobs.find(id, 1)
    expect(job?.pausedNote).toBe('2 runs in a row are dead')
    const paused = { action: 'job.pause', target: job?.name as string }
    expect(await t.store.auditLog.list({ chain: 1, limit: 10, ...paused })).toMatchObject([
      { actor: { kind: 'system' }, note: '2 runs in a row are dead' },
    ])
  })
})

describe('a job that cannot be planned', () => {
  it('a job that cannot be planned is set aside with the reason, and other jobs continue', async () => {
    await t.store.schedules.calendars.set('gone', { exclude: ['2026-01-01'] }, 1)
    const bad = await t.job({ name: 'bad', calendars: ['gone'] })
    const good = await t.job({ name: 'good' })
    await t.sql.query('delete from punctual.calendars')
    const aside: string[] = []
    const onSetAside = (id: string) => aside.push(id)
    await planAll(plannerOf({ store: t.store, alone: true, onSetAside }))
    expect(aside).toEqual([bad])
    expect((await ledgerOf(t, good)).length).toBeGreaterThan(15)
    const job = await t.store.schedules.jobs.find('bad', 1)
    expect(job).toMatchObject({ nextAt: null })
    expect(job?.planningError).toContain('gone')
    await t.job({ name: 'bad' })
    await plan()
    expect(await t.store.schedules.jobs.find('bad', 1)).toMatchObject({ planningError: null })
    expect((await ledgerOf(t, bad)).length).toBeGreaterThan(15)
    expect(await holesOf(t, bad)).toEqual([])
  })

  it('a job with unreadable rules does not stop other jobs of its batch', async () => {
    const bad = await t.job({ name: 'bad', cron: '*/2 * * * * *' })
    const good = await t.job({ name: 'good' })
    await t.sql.query(
      `update punctual.timings set spec = replace(spec, '*/2 * * * * *', 'not a cron expression')`,
    )
    await plan()
    expect((await cursorOf(t, bad)).nextMs).toBeNull()
    expect((await ledgerOf(t, good)).length).toBeGreaterThan(15)
  })

  it('a job with an already decided slot is isolated from its batch (case 5)', async () => {
    const bad = await t.job({ name: 'bad', every: '1s' })
    const good = await t.job({ name: 'good' })
    await plan()
    await t.sql.query(`update punctual.cursors set next_at = next_at - interval '5 seconds'`)
    await t.sql.query('delete from punctual.slots where job_id = $1', [good])
    await plan()
    expect((await t.store.schedules.jobs.find(bad, 1))?.planningError).toMatch(/duplicate key/)
    expect((await t.store.schedules.jobs.find(good, 1))?.planningError).toBeNull()
  })
})

/** Deleting a job cancels all its runs that have not started, however they were created. */
import type { ClaimedRun } from '@punctual/core/ports'
import { eventually, retry, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ledgerOf, planAll, plannerOf } from '../kit/planning-kit.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const GATE = 4_712

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query(
    `truncate punctual.jobs, punctual.cursors, punctual.queue, punctual.later, punctual.leases, punctual.parked,
       punctual.job_holds`,
  )
})

const steering = () => t.store.schedules.steering
const plan = () => planAll(plannerOf({ store: t.store, alone: true }))

/** Undecided past slots, a minute apart. */
const past = (count: number) => {
  const lastMs = Math.floor(Date.now() / MINUTE) * MINUTE - 48 * HOUR
  return Array.from({ length: count }, (_, n) => lastMs - (count - n) * MINUTE)
}

/** How many runs of a job are in each place, or ended in each way. */
async function whereabouts(jobId: string): Promise<Record<string, number>> {
  const { rows } = await t.sql.query(
    `select coalesce(l.place, o.state || ' ' || o.reason, 'nowhere') as place, count(*)::int as n
     from punctual.runs r
     left join (
       select run_id, 'later' as place from punctual.later
       union all select run_id, 'queue' from punctual.queue
       union all select run_id, 'parked' from punctual.parked
       union all select run_id, 'leases' from punctual.leases) l on l.run_id = r.id
     left join punctual.outcomes o on o.run_id = r.id
     where r.job_id = $1 group by 1`,
    [jobId],
  )
  return Object.fromEntries(rows.map(({ place, n }) => [place, n]))
}
const CANCELLED = '3 superseded'

describe('deleting a job', () => {
  it('deleting a job cancels due and delayed runs of its backfill', async () => {
    const id = await t.job({ cron: '* * * * *' })
    await steering().backfill(id, past(10), new Set(), 20_000, 1)
    expect(await whereabouts(id)).toEqual({ queue: 4, later: 6 })
    expect(await steering().delete(id, 1)).toBe(true)
    expect(await whereabouts(id)).toEqual({ [CANCELLED]: 10 })
  })

  it('deleting a job cancels catch-up runs and runs delayed by jitter', async () => {
    const id = await t.job({ cron: '* * * * *', misfire: { dripMs: HOUR }, jitterMs: HOUR })
    await t.age(id, 20 * MINUTE)
    await plan()
    const ledger = await ledgerOf(t, id)
    expect(ledger.length).toBeGreaterThanOrEqual(19)
    await steering().delete(id, 1)
    expect(await whereabouts(id)).toEqual({ [CANCELLED]: ledger.length })
    // Decisions about past slots stay.
    expect((await ledgerOf(t, id)).length).toBeGreaterThanOrEqual(19)
  })

  it('deleting a job cancels triggered and parked runs, and its running one continues', async () => {
    const id = await t.job({ cron: '0 0 1 1 *', overlap: 'queue-all' })
    for (let i = 0; i < 3; i++) await steering().trigger(id, null, 1)
    const session = await t.session()
    expect((await t.claim(session, 10)).runs).toHaveLength(1)
    await steering().trigger(id, null, 1)
    expect(await whereabouts(id)).toEqual({ leases: 1, parked: 2, queue: 1 })
    await steering().delete(id, 1)
    expect(await whereabouts(id)).toEqual({ leases: 1, [CANCELLED]: 3 })
  })

  it('deleting a job keeps its retrying runs and the runs of other jobs', async () => {
    const other = await t.job({ name: 'other', cron: '0 0 1 1 *' })
    await steering().trigger(other, null, 1)
    const session = await t.session()
    await t.claim(session, 10)
    await steering().trigger(other, null, 1)
    const id = await t.job({ cron: '0 0 1 1 *' })
    await steering().trigger(id, null, 1)
    const { runs } = await t.claim(session, 10)
    const run = runs.find(({ jobId }) => jobId === id) as ClaimedRun
    await t.store.work.settle(session, [retry(run, HOUR)])
    await steering().delete(id, 1)
    expect(await whereabouts(id)).toEqual({ later: 1 })
    expect(await whereabouts(other)).not.toHaveProperty(CANCELLED)
  })

  it('deleting a job cancels 11,000 runs, more than one statement does', async () => {
    const id = await t.job({ cron: '* * * * *' })
    await steering().backfill(id, past(11_000), new Set(), 0, 1)
    await steering().delete(id, 1)
    expect(await whereabouts(id)).toEqual({ [CANCELLED]: 11_000 })
  })

  it('deleting a job cancels runs of a backfill that is committing at the same time', async () => {
    const id = await t.job({ cron: '* * * * *' })
    await t.sql.query(`
      create function public.wait_at_gate() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end';
      create constraint trigger gate after insert on punctual.backfills
        deferrable initially deferred for each row execute function public.wait_at_gate();
      select pg_advisory_lock(${GATE})`)
    const waiting = async () => {
      const { rows } = await t.sql.query('select from pg_locks where not granted')
      return rows.length
    }
    const backfill = steering().backfill(id, past(3), new Set(), 0, 1)
    await eventually('the backfill waits for its commit', async () => (await waiting()) === 1)
    let deleted = false
    const deletion = t
      .another()
      .schedules.steering.delete(id, 1)
      .then(() => {
        deleted = true
      })
    await eventually(
      'the deletion waits, or has ended',
      async () => deleted || (await waiting()) > 1,
    )
    await t.sql.query(`select pg_advisory_unlock(${GATE})`)
    await Promise.all([backfill, deletion])
    await t.sql.query('drop trigger gate on punctual.backfills')
    expect(await whereabouts(id)).toEqual({ [CANCELLED]: 3 })
  })
})

describe('pausing a job', () => {
  it('pausing a job cancels its future runs, and runs of past slots stay', async () => {
    const id = await t.job({ cron: '* * * * * *', misfire: { dripMs: HOUR } })
    await t.age(id, 3 * MINUTE)
    await plan()
    await steering().backfill(id, past(2), new Set(), HOUR, 1)
    const late = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs <= Date.now()).length
    await steering().pause(id, null, 1)
    const { queue = 0, later = 0, [CANCELLED]: back = 0 } = await whereabouts(id)
    expect(queue + later).toBeGreaterThanOrEqual(late + 2)
    expect(back).toBeGreaterThan(10)
    const ahead = (await ledgerOf(t, id)).filter(({ slotMs }) => slotMs > Date.now())
    expect(ahead).toEqual([])
  })
})

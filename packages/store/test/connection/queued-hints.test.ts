/**
 * Workers get hints of runs that steering a job created only after the commit, when they are
 * visible.
 */
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const GATE = 4_711

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
  // Commits that change these tables wait for the gate.
  await t.sql.query(`
    create function public.wait_at_gate() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(${GATE}); return null; end';
    create constraint trigger gate after insert on punctual.backfills
      deferrable initially deferred for each row execute function public.wait_at_gate();
    create constraint trigger gate after update on punctual.jobs
      deferrable initially deferred for each row execute function public.wait_at_gate()`)
})
afterAll(() => t.close())
afterEach(async () => {
  await t.sql.query('truncate punctual.jobs, punctual.cursors, punctual.queue')
})

/** The lanes of hints sent before the commit, and of all hints. */
async function hintsAround(work: () => Promise<unknown>) {
  const hinted: number[] = []
  const stop = t.store.signals.onHint(({ lanes }) => void hinted.push(...(lanes ?? [])))
  await t.sql.query('select pg_advisory_lock($1)', [GATE])
  const done = work()
  await eventually('the commit waits', async () => {
    const { rows } = await t.sql.query(
      `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [GATE],
    )
    return rows.length > 0
  })
  const before = [...hinted]
  await t.sql.query('select pg_advisory_unlock($1)', [GATE])
  await done
  stop()
  return { before, after: hinted }
}

it('the hint of a backfill is sent after its commit', async () => {
  const id = await t.job({ cron: '* * * * *' })
  const { steering } = t.store.schedules
  const slotMs = Math.floor(Date.now() / 60_000) * 60_000 - 600_000
  const lanes = await hintsAround(() => steering.backfill(id, [slotMs], new Set(), 0, 1))
  expect(lanes.before).toEqual([])
  expect(lanes.after).toHaveLength(1)
})

it('the hint of runs that an edit catches up on is sent after its commit', async () => {
  const id = await t.job({ every: '1m' })
  await t.age(id, 300_000)
  const lanes = await hintsAround(() => t.job({ every: '5m' }))
  expect(lanes.before).toEqual([])
  expect(lanes.after).toHaveLength(1)
})

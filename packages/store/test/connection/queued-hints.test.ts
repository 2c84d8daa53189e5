/** Workers are told of runs that steering a job has made once they are committed: before that nobody finds them. */
import { eventually, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const GATE = 4_711

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
  // Commits that changed these tables wait for the gate.
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

/** The lanes that were told of before the commit, and those after it. */
async function toldAround(work: () => Promise<unknown>) {
  const told: number[] = []
  const stop = t.store.signals.onHint(({ lanes }) => void told.push(...(lanes ?? [])))
  await t.sql.query('select pg_advisory_lock($1)', [GATE])
  const done = work()
  await eventually('the commit waits', async () => {
    const { rows } = await t.sql.query(
      `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [GATE],
    )
    return rows.length > 0
  })
  const before = [...told]
  await t.sql.query('select pg_advisory_unlock($1)', [GATE])
  await done
  stop()
  return { before, after: told }
}

it('those of a backfill', async () => {
  const id = await t.job({ cron: '* * * * *' })
  const { steering } = t.store.schedules
  const slotMs = Math.floor(Date.now() / 60_000) * 60_000 - 600_000
  const told = await toldAround(() => steering.backfill(id, [slotMs], new Set(), 0, 1))
  expect(told.before).toEqual([])
  expect(told.after).toHaveLength(1)
})

it('those that an edit makes up for', async () => {
  const id = await t.job({ every: '1m' })
  await t.age(id, 300_000)
  const told = await toldAround(() => t.job({ every: '5m' }))
  expect(told.before).toEqual([])
  expect(told.after).toHaveLength(1)
})

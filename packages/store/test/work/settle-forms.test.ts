/** Both statements that settle successes leave the same rows: outcomes, freed keys, counters. */
import type { ClaimedRun } from '@punctual/core/ports'
import { compileOptions } from '@punctual/core/submit'
import { dead, retry, succeeded, systemRandomToken, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

/**
 * Settles two handlers, a keyed run, a retry and outputs; returns the rows without ids and times.
 */
async function settleMix(alsoStale: boolean) {
  const session = await t.session()
  const submissions = ['test', 'other', 'test', 'other'].map((handler, i) => ({
    options: compileOptions(handler, i === 0 ? { key: `key ${alsoStale}` } : {}),
    payload: JSON.stringify({ i, alsoStale }),
  }))
  const accepted = await t.store.submit(submissions)
  const claim = async () => {
    const lanes = await t.lanes()
    return (
      await t.store.work.claim({ sessionId: session, fence: systemRandomToken(), limit: 10, lanes })
    ).runs
  }
  const first = await claim()
  const again = first.find((run) => run.id === accepted[3]?.id) as ClaimedRun
  await t.store.work.settle(session, [retry(again)])
  const runs = [...first.filter((run) => run !== again), ...(await claim())]
  const settlements = runs.map((run) => succeeded(run, run.payload.includes('1') ? '"out"' : null))
  // A run that has already ended otherwise makes the batch fall back to settling in pairs.
  const other = await t.session()
  const ended = succeeded(await t.running(other))
  await t.store.work.settle(other, [dead(ended.run)])
  const batch = alsoStale ? [...settlements, ended] : settlements
  expect(await t.store.work.settle(session, batch)).toEqual(alsoStale ? [ended.run.id] : [])
  const { rows: outcomes } = await t.sql.query(
    `select r.payload::jsonb ->> 'i' as i, o.lane, o.state, o.attempt, o.crashes, o.attempt_outcome, o.output,
       o.error, o.reason, o.tenant_id, o.session_id = $1 as ours, o.finished_at >= o.started_at as ordered
     from punctual.outcomes o join punctual.runs r on r.id = o.run_id
     where (r.payload::jsonb ->> 'alsoStale')::boolean = $2 order by 1`,
    [session, alsoStale],
  )
  const { rows: counters } = await t.sql.query(
    'select lane, state, tenant_id, sum(runs)::int as runs from punctual.counters where session_id = $1 group by 1, 2, 3 order by 1',
    [session],
  )
  return {
    outcomes,
    counters: counters as { runs: number }[],
    keys: await t.count('live_keys'),
    leases: await t.count('leases'),
  }
}

it('settling successes leaves the same rows in one statement or in pairs', async () => {
  const all = await settleMix(false)
  expect(all).toMatchObject({ keys: 0, leases: 0 })
  expect(all.counters.map((row) => row.runs).toSorted()).toEqual([2, 2])
  expect(await settleMix(true)).toEqual(all)
})

it('a settle does not wait for uncommitted counters of the same session', async () => {
  const session = await t.session()
  const run = await t.running(session)
  await t.sql.query('begin')
  // Counters of an open settle on another connection, for now and for ten seconds later.
  await t.sql.query(
    `insert into punctual.counters (session_id, bucket_at, tenant_id, lane, state, runs)
     select $1, date_bin('10 seconds', clock_timestamp() + later, 'epoch'), 1, $2, 1, 1
     from unnest(array[interval '0', interval '10 s']) as later`,
    [session, run.lane],
  )
  expect(await t.store.work.settle(session, [succeeded(run)])).toEqual([])
  await t.sql.query('commit')
  const { rows } = await t.sql.query(
    'select sum(runs)::int as runs from punctual.counters where session_id = $1',
    [session],
  )
  expect(rows).toEqual([{ runs: 3 }])
})

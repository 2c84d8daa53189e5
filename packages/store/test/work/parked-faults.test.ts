/** Parked runs of which one cannot be released: the others are. */
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
let session: string
beforeEach(async () => {
  t = await TestStore.open()
  session = await t.session(600_000)
})
afterEach(() => t.close())

const trigger = (job: string) => t.store.schedules.steering.trigger(job, null, 1)

/** A job whose first run is running, and whose second one is parked and to be skipped. */
async function parkedRun(name: string): Promise<string> {
  const job = await t.job({ name, every: '1h', startAt: '2100-01-01', overlap: 'skip' })
  await trigger(job)
  await t.claim(session)
  const second = await trigger(job)
  expect((await t.claim(session)).parked).toEqual([second])
  return second
}

/** PostgreSQL refuses the outcome of this run, as it does a value out of range. */
const refuse = (runId: string) =>
  t.sql.query(`
    create function punctual.refuse() returns trigger language plpgsql as $$
    begin
      if new.run_id = '${runId}' then raise 'out of range' using errcode = '22003'; end if;
      return new;
    end $$;
    create trigger refuse before insert on punctual.outcomes
      for each row execute function punctual.refuse()`)

it('a parked run that cannot be resolved stays, is reported, and holds up no other', async () => {
  const faults: string[] = []
  t.store.database.onFault.push((where) => faults.push(where))
  const runs: string[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) runs.push(await parkedRun(name))
  const [culprit, ...others] = runs
  await refuse(culprit as string)
  await t.store.upkeep.resolveParked(0)
  for (const id of others)
    expect(await t.store.runs.find(id)).toMatchObject({ state: 'skipped', reason: 'overlap' })
  expect(await t.places(culprit as string)).toEqual(['parked'])
  expect(faults).toEqual(['resolve parked'])
})

it('runs that stay parked do not hide the runs after them', async () => {
  const job = await t.job({ every: '1h', startAt: '2100-01-01', overlap: 'queue-all' })
  const holder = await trigger(job)
  await t.claim(session)
  await t.sql.query(
    `insert into punctual.parked (run_id, parked_at, job_id, tenant_id, lane, attempt, crashes, traits)
     select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, clock_timestamp(), l.job_id,
       l.tenant_id, l.lane, 0, 0, l.traits
     from punctual.leases l, generate_series(1, 1000) n where l.run_id = $1`,
    [holder],
  )
  const skipped = await parkedRun('behind')
  await t.store.upkeep.resolveParked(0)
  await t.store.upkeep.resolveParked(0)
  expect(await t.store.runs.find(skipped)).toMatchObject({ state: 'skipped' })
})

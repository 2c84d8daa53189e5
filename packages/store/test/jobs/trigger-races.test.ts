/** A trigger of a job and the deletion of the job, at the same time. */
import { eventually, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

const aJob = () => t.job({ every: '1h', startAt: '2100-01-01' })
const trigger = (job: string, store = t.store) => store.schedules.steering.trigger(job, null, 1)

async function waiting(): Promise<number> {
  const { rows } = await t.sql.query('select count(*)::int as n from pg_locks where not granted')
  return rows[0].n
}

it('a job that is being deleted cannot be triggered', async () => {
  const job = await aJob()
  const first = await trigger(job)
  await t.sql.query('begin')
  await t.sql.query('select from punctual.queue where run_id = $1 for update', [first])
  const deleting = t.another().schedules.steering.delete(job, 1)
  await eventually('the deletion waits for the first run', async () => (await waiting()) === 1)
  const triggering = trigger(job).catch((error: { code: string }) => error.code)
  await t.store.runs.find(first)
  await t.sql.query('rollback')
  expect(await deleting).toBe(true)
  expect(await triggering).toBe('job_not_found')
  expect(await t.count('queue')).toBe(0)
})

it('the deletion of a job ends the run of a trigger that commits meanwhile', async () => {
  const job = await aJob()
  await t.sql.query(`
    create function punctual.wait() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(78); return new; end $$;
    create trigger wait before insert on punctual.triggers
      for each row execute function punctual.wait();
    select pg_advisory_lock(78)`)
  const triggering = trigger(job)
  await eventually('the trigger is in progress', async () => (await waiting()) === 1)
  const deleting = t.another().schedules.steering.delete(job, 1)
  await eventually('the deletion waits for it', async () => (await waiting()) === 2)
  await t.sql.query('select pg_advisory_unlock(78)')
  const id = await triggering
  expect(await deleting).toBe(true)
  expect(await t.store.runs.find(id)).toMatchObject({ state: 'cancelled' })
})

/** Ended runs, read in the order of their end times, without missing ends that commit late. */
import { dead, TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { EndsCursor } from '../../src/index.ts'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

const deaths = async (cursor: EndsCursor) =>
  (await t.store.ends.deaths(cursor, 1)).map(({ id }) => id)

async function die(): Promise<string> {
  const session = await t.session()
  const run = await t.running(session)
  await t.store.work.settle(session, [dead(run)])
  return run.id
}

it('each dead letter is read once, also when it was handled before it was read', async () => {
  const cursor = new EndsCursor(0)
  const [first, second] = [await die(), await die()]
  const handled = { note: 'known', by: null }
  await t.store.deadLetterSteering.discard([first], handled, 1, null)
  expect(await deaths(cursor)).toEqual([first, second])
  expect(await deaths(cursor)).toEqual([])
  await t.store.deadLetterSteering.discard([second], handled, 1, null)
  const third = await die()
  expect(await deaths(cursor)).toEqual([third])
})

it('an end that commits long after its time is still read after later ends', async () => {
  const cursor = new EndsCursor(0)
  const id = await die()
  await t.sql.query('begin')
  const late = '00000000-0000-7000-8000-000000000001'
  await t.sql.query(
    `insert into punctual.dead_letters (run_id, died_at, tenant_id, lane, reason, fingerprint)
     select $1, clock_timestamp(), 1, id, 'late', 'late' from punctual.lanes limit 1`,
    [late],
  )
  expect(await deaths(cursor)).toEqual([id])
  const others: string[] = []
  for (let i = 0; i < 5; i++) {
    others.push(await die())
    expect(await deaths(cursor)).toEqual(others.slice(-1))
  }
  await t.sql.query('commit')
  expect(await deaths(cursor)).toEqual([late])
  expect(await deaths(cursor)).toEqual([])
})

it('reading 2,500 ends at once returns all of them in order', async () => {
  const submissions = Array.from({ length: 2_500 }, () => t.submit({ delayMs: 3_600_000 }))
  const ids = await Promise.all(submissions)
  for (let i = 0; i < ids.length; i += 500)
    await t.store.steering.cancel(ids.slice(i, i + 500), 'enough', 1)
  const cursor = new EndsCursor(0)
  const ends = await t.store.ends.ends(cursor, 1)
  expect(new Set(ends.map(({ runId }) => runId))).toEqual(new Set(ids))
  expect(ends.length).toBe(2_500)
  const times = ends.map(({ at }) => at.getTime())
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(ends[0]).toMatchObject({
    state: 'cancelled',
    handler: 'test',
    reason: 'enough',
    jobId: null,
  })
})

it('a death whose dead letter could not be read is returned by the next read', async () => {
  const cursor = new EndsCursor(0)
  const id = await die()
  const { deadLetters: letters } = t.store
  const find = letters.find.bind(letters)
  letters.find = () => Promise.reject(new Error('cut'))
  await expect(deaths(cursor)).rejects.toThrow('cut')
  letters.find = find
  expect(await deaths(cursor)).toEqual([id])
})

it('the end of a run of a job contains the job id', async () => {
  const jobId = await t.job({ cron: '0 3 * * *' })
  const runId = await t.store.schedules.steering.trigger(jobId, null, 1)
  await t.store.steering.cancel([runId], 'enough', 1)
  expect(await t.store.ends.ends(new EndsCursor(0), 1)).toMatchObject([{ runId, jobId }])
})

/** Schedule rules belong to no tenant: the sweep deletes those that nothing refers to. */
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeEach, expect, it } from 'vitest'

let t: TestStore
beforeEach(async () => {
  await t?.close()
  t = await TestStore.open()
})
afterAll(() => t.close())

/** Rules that a refused job, or one that left no trace, has left. */
async function leaveRules(number: number): Promise<void> {
  await t.sql.query(
    `insert into punctual.timings (spec) select 'rule ' || n from generate_series(1, $1) n`,
    [number],
  )
}

/** As if the marked rules had been unused for this many minutes. */
const age = (minutes: number) =>
  t.sql.query(
    `update punctual.timings set unused_at = unused_at - $1::integer * interval '1 minute'`,
    [minutes],
  )

it('rules that no job refers to for an hour are deleted, also beyond one page', async () => {
  await leaveRules(10_500)
  await t.store.upkeep.sweep(90)
  expect(await t.count('timings'), 'marked only').toBe(10_500)
  await age(59)
  await t.store.upkeep.sweep(90)
  expect(await t.count('timings'), 'processes may cache them').toBe(10_500)
  await age(2)
  await t.store.upkeep.sweep(90)
  expect(await t.count('timings')).toBe(0)
})

it('the rules of jobs, and of their earlier versions, stay', async () => {
  await t.job({ name: 'kept', cron: '0 1 * * *' })
  await t.job({ name: 'edited', cron: '0 2 * * *' })
  await t.job({ name: 'edited', cron: '0 3 * * *' })
  for (const minutes of [120, 120]) {
    await t.store.upkeep.sweep(90)
    await age(minutes)
  }
  await t.store.upkeep.sweep(90)
  expect(await t.count('timings')).toBe(3)
})

it('rules that a new job takes up while they are marked stay for another hour', async () => {
  await t.job({ name: 'first', cron: '0 1 * * *' })
  const another = t.another()
  await t.sql.query('delete from punctual.cursors; delete from punctual.jobs')
  await t.store.upkeep.sweep(90)
  await age(120)
  await t.job({ name: 'second', cron: '0 1 * * *' }, another)
  await t.sql.query('delete from punctual.cursors; delete from punctual.jobs')
  await t.store.upkeep.sweep(90)
  expect(await t.count('timings')).toBe(1)
})

it('a job that is created with rules that were deleted gets them again', async () => {
  await leaveRules(1)
  await t.job({ cron: '0 1 * * *' })
  await t.sql.query('delete from punctual.cursors; delete from punctual.jobs')
  await t.store.upkeep.sweep(90)
  await age(120)
  await t.store.upkeep.sweep(90)
  expect(await t.count('timings')).toBe(0)
  await t.job({ cron: '0 1 * * *' }, t.another())
  expect(await t.count('timings')).toBe(1)
})

import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('the sweep of carried-over runs does not read the days that have partitions', async () => {
  const { text } = t.store.database.statements.get('upkeep/sweeps/delete-carried')
  const { rows } = await t.sql.query(`explain (analyze, costs off) ${text}`, [90])
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan.match(/Subplans Removed: [1-9]/g)).toHaveLength(5)
  expect(plan).not.toMatch(/Scan .*_\d{8}/)
})

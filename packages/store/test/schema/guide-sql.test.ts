/** Runs the examples of the SQL guide exactly as they are printed. */
import { readFile } from 'node:fs/promises'
import { TestStore } from '@punctual/testkit'
import { expect, it } from 'vitest'

it('the examples of the SQL guide submit the documented runs, and its trigger one for each order', async () => {
  const guide = await readFile(new URL('../../../../docs/guides/sql.md', import.meta.url), 'utf8')
  const blocks = [...guide.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string)
  const t = await TestStore.open()
  // Rolled back, because a role belongs to the whole server.
  await t.sql.query('begin; create role app')
  for (const block of blocks) await t.sql.query(block)
  const { rows } = await t.sql.query(
    `select handler, queue, priority, payload::jsonb as payload, key, labels,
       due_at - r.created_at > interval '4 minutes' as later
     from punctual.runs r join punctual.lanes l on l.id = r.lane order by r.created_at`,
  )
  expect(rows).toEqual([
    {
      ...{ handler: 'send-email', queue: 'default', priority: 5, key: null, labels: null },
      ...{ payload: { to: 'ada@example.com' }, later: false },
    },
    {
      ...{ handler: 'send-email', queue: 'newsletter', priority: 2, key: 'newsletter 7 bob' },
      ...{ labels: { campaign: '7' }, payload: { to: 'bob@example.com' }, later: true },
    },
    {
      ...{ handler: 'confirm-order', queue: 'default', priority: 5, key: 'confirm 17' },
      ...{ labels: null, payload: { order: '17', email: 'eve@example.com' }, later: false },
    },
  ])
  await t.sql.query('rollback')
  await t.close()
})

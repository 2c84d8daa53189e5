/** Groups in the store: the pass over open groups, its bounds, and the retention of groups. */
import { limits } from '@punctual/core/errors'
import { compileOptions } from '@punctual/core/submit'
import { dead, succeeded, TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { PINNED } from '../../src/connection/pins.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(() => t.sql.query('truncate punctual.groups, punctual.group_members'))
afterEach(() => t.emptyPlaces())

const callback = { call: '{"handler":"done","options":{}}', payload: 'null' }
const runs = (count: number) =>
  Array.from({ length: count }, () => ({ options: compileOptions('test'), payload: '1' }))

async function aGroup(count: number, open = false): Promise<string> {
  const group = { name: null, callback, open, submissions: runs(count) }
  return (await t.store.groups.make(group, 1, {})).id
}

/** A group whose members ended so long ago that their runs are deleted. */
async function aGroupOfRemoved(count: number): Promise<string> {
  const id = await aGroup(0)
  await t.sql.query(
    `insert into punctual.group_members (group_id, run_id, place)
     select $1, gen_random_uuid(), n - 1 from generate_series(1, $2::integer) n`,
    [id, count],
  )
  await t.sql.query('update punctual.groups set total = $2 where id = $1', [id, count])
  return id
}

const found = (id: string) => t.store.groups.reader.find(id, 1)

it('a group whose last member has ended is finished by the next pass of any process', async () => {
  const id = await aGroup(3)
  const session = await t.session()
  const { runs: claimed } = await t.claim(session, 3)
  const [first, ...others] = claimed.map((run) => succeeded(run))
  await t.store.work.settle(session, others)
  expect(await t.store.groups.look()).toMatchObject({ open: 1, moved: 0, done: 0 })
  const run = (first as ReturnType<typeof succeeded>).run
  await t.store.work.settle(session, [dead(run)])
  expect(await t.another().groups.look()).toEqual({ open: 1, moved: 1, done: 1, more: false })
  expect(await t.store.groups.look()).toEqual({ open: 0, moved: 0, done: 0, more: false })
  expect(await found(id)).toMatchObject({ done: true, counts: { succeeded: 2, dead: 1 } })
})

it('a run that is being claimed counts as open before and after the commit of the claim', async () => {
  await aGroup(1)
  const lanes = await t.lanes()
  const session = await t.session()
  // The claim of a worker, not yet committed.
  const { text } = t.store.database.statements.onDay('work/claim-runs', Date.now())
  await t.sql.query(PINNED)
  const ids = lanes.map(({ id }) => id)
  const zeros = lanes.map(() => 0)
  const values = [session, '1', ids, zeros, lanes.map(() => 1), 10, lanes.map(() => 1), null]
  const { rowCount } = await t.sql.query(text, values)
  expect(rowCount).toBeGreaterThan(0)
  expect(await t.store.groups.look()).toMatchObject({ open: 1, moved: 0, done: 0 })
  await t.sql.query('commit')
  expect(await t.count('leases')).toBe(1)
  expect(await t.store.groups.look()).toMatchObject({ open: 1, moved: 0, done: 0 })
})

it('a pass over groups counts a bounded number of members, and the next one continues', async () => {
  const id = await aGroupOfRemoved(4_500)
  const passes = []
  while ((await found(id))?.done === false) passes.push(await t.store.groups.look())
  expect(passes.map(({ more }) => more)).toEqual([true, true, false])
  expect(await found(id)).toMatchObject({ total: 4_500, ended: 4_500, counts: { removed: 4_500 } })
})

it('a group that cannot be finished is reported and does not stop the others', async () => {
  const [broken, sound] = [await aGroup(0), await aGroup(0)]
  await t.sql.query(
    `update punctual.groups set callback = '{"handler":"","options":{}}' where id = $1`,
    [broken],
  )
  await expect(t.store.groups.look()).rejects.toMatchObject({ code: 'invalid_option' })
  expect(await found(sound)).toMatchObject({ done: true })
  expect(await found(broken)).toMatchObject({ done: false, callbackRunId: null })
})

it('a group refuses members beyond its limit', async () => {
  const id = await aGroup(0, true)
  const membersMax = limits.membersPerGroup
  await t.sql.query('update punctual.groups set total = $2 where id = $1', [id, membersMax - 1])
  await expect(t.store.groups.add(id, runs(2), 1, {})).rejects.toMatchObject({ code: 'group_full' })
  expect(await found(id)).toMatchObject({ total: membersMax - 1 })
  await t.store.groups.add(id, runs(1), 1, {})
  expect(await found(id)).toMatchObject({ total: membersMax })
})

it('a finished group is deleted after the retention, and an open one stays', async () => {
  const [old, fresh, open] = [await aGroupOfRemoved(3), await aGroup(0), await aGroup(1)]
  await t.store.groups.look()
  const back = `clock_timestamp() - interval '91 days'`
  await t.sql.query(`update punctual.groups set done_at = ${back} where id = $1`, [old])
  await t.sql.query(`update punctual.groups set created_at = ${back}`)
  await t.store.upkeep.sweep(90)
  expect(await found(old)).toBeNull()
  expect(await t.count('group_members')).toBe(1)
  expect([await found(fresh), await found(open)]).toMatchObject([{ done: true }, { done: false }])
})

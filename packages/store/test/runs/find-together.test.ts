/** Reads of single runs that are asked for at the same time. */
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'

let t: TestStore
let other = 0
beforeAll(async () => {
  t = await TestStore.open()
  other = (await t.store.tenants.create('other', { by: null, note: null }, {})).id
})
afterAll(() => t.close())
afterEach(() => {
  vi.restoreAllMocks()
})

it('callers that ask at the same time share one transaction, and each gets its run', async () => {
  const ids = []
  for (let i = 0; i < 20; i++) ids.push(await t.submit())
  const sent = vi.spyOn(t.store.database.control, 'pinned')
  const runs = await Promise.all([...ids, ...ids].map((id) => t.store.runs.find(id, 1)))
  expect(runs.map((run) => run?.id)).toEqual([...ids, ...ids])
  expect(sent).toHaveBeenCalledTimes(1)
})

it('a caller of another tenant does not get the run, also when both ask at the same time', async () => {
  const id = await t.submit()
  const find = (tenantId: number) =>
    t.store.asTenant(tenantId, () => t.store.runs.find(id, tenantId))
  const [own, foreign] = await Promise.all([find(1), find(other)])
  expect(own?.id).toBe(id)
  expect(foreign).toBeNull()
})

it('a caller in a transaction sees its own changes, and no other caller does', async () => {
  const id = await t.submit()
  const [during, outside] = await t.store.transaction(async () => {
    await t.store.steering.cancel([id], 'test', 1)
    const without = t.store.database.ambient.outside(() => t.store.runs.find(id, 1))
    return Promise.all([t.store.runs.find(id, 1), without])
  })
  expect(during?.state).toBe('cancelled')
  expect(outside?.state).toBe('queued')
})

it('text that is no id, an unknown id and an id in capitals disturb no other caller', async () => {
  const id = await t.submit()
  const names = ['not an id', '00000000-0000-7000-8000-000000000000', id.toUpperCase(), id]
  const runs = await Promise.all(names.map((each) => t.store.runs.find(each, 1)))
  expect(runs.map((run) => run?.id ?? null)).toEqual([null, null, id, id])
})

it('an answer that is lost is asked for again, for every caller', async () => {
  const ids = [await t.submit(), await t.submit()]
  const { control } = t.store.database
  const lost = Object.assign(new Error('the connection ended'), { code: '08006' })
  vi.spyOn(control, 'pinned').mockRejectedValueOnce(lost)
  const runs = await Promise.all(ids.map((id) => t.store.runs.find(id, 1)))
  expect(runs.map((run) => run?.id)).toEqual(ids)
})

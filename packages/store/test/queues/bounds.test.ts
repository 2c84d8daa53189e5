/** What every claim reads of a tenant is bounded, whether the queues that it names exist or not. */
import { limits } from '@punctual/core/errors'
import { TestStore } from '@punctual/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

let t: TestStore
beforeEach(async () => {
  t = await TestStore.open()
})
afterEach(() => t.close())

const by = { note: null, by: 'test' }
const NONE = { concurrency: 1, rate: null, ageingMs: null, weight: null }
const refused = (name: keyof typeof limits) => ({
  code: 'quota_exceeded',
  quota: { name, limit: limits[name] },
})

it('a tenant pauses a bounded number of queues, and others are not affected', async () => {
  await t.sql.query(
    `insert into punctual.pauses (tenant_id, paused_at, queue)
     select 1, now(), 'q' || n from generate_series(1, $1) n`,
    [limits.pausesPerTenant - 1],
  )
  expect(await t.store.queues.pause('last', by)).toBe(true)
  await expect(t.store.queues.pause('more', by)).rejects.toMatchObject(refused('pausesPerTenant'))
  expect(await t.store.queues.pause('last', by)).toBe(false)
  expect(await t.store.queues.pause(null, by)).toBe(true)
  const { id } = await t.store.tenants.create('other', { by: null, note: null }, {})
  expect(await t.store.queues.pause('more', by, id)).toBe(true)
  await t.store.queues.resume('last')
  expect(await t.store.queues.pause('more', by)).toBe(true)
})

it('a tenant limits a bounded number of queues, and changes those that it has', async () => {
  await t.sql.query(
    `insert into punctual.limits (tenant_id, set_at, queue, concurrency)
     select 1, now(), 'q' || n, 5 from generate_series(1, $1) n`,
    [limits.limitsPerTenant],
  )
  const set = (queue: string | null) => t.store.limits.set(queue, NONE, 'test')
  await expect(set('more')).rejects.toMatchObject(refused('limitsPerTenant'))
  await set('q1')
  await set(null)
  expect((await t.store.limits.list()).find(({ queue }) => queue === 'q1')?.concurrency).toBe(1)
  await t.store.limits.remove('q1')
  await set('more')
})

it('a tenant has a bounded number of groups that are not done', async () => {
  await t.sql.query(
    `insert into punctual.groups (id, created_at, tenant_id)
     select gen_random_uuid(), now(), 1 from generate_series(1, $1) n`,
    [limits.openGroupsPerTenant],
  )
  const group = { name: null, callback: null, submissions: [], open: true }
  await expect(t.store.groups.make(group, 1, {})).rejects.toMatchObject(
    refused('openGroupsPerTenant'),
  )
  const { id } = await t.store.tenants.create('other', { by: null, note: null }, {})
  await t.store.groups.make(group, id, {})
  await t.sql.query(
    `update punctual.groups set done_at = now(), closed_at = now()
     where id = (select id from punctual.groups where tenant_id = 1 limit 1)`,
  )
  await t.store.groups.make(group, 1, {})
})

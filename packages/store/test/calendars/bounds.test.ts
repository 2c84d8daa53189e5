/** Calendars are bounded in number and size, and planners read only those that jobs name. */
import { randomBytes } from 'node:crypto'
import { limits } from '@punctual/core/errors'
import { Keyring } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { CalendarCache } from '../../src/plan/calendar-cache.ts'
import { SecretStore } from '../../src/secrets/secret-store.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())
beforeEach(() => t.sql.query('truncate punctual.calendars, punctual.secrets'))

const OPEN = { exclude: ['2001-01-01'] }
const SHUT = { exclude: ['2002-02-02', '2003-03-03'] }
const set = (name: string, calendar: object, tenantId = 1) =>
  t.store.schedules.calendars.set(name, calendar, tenantId)
const named = (...names: string[]) => new Map([[1, new Set(names)]])

it('a tenant has a bounded number of calendars, and may still replace each of them', async () => {
  await t.sql.query(
    `insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
     select 1, 1, now(), 'c' || n, '{}' from generate_series(1, $1::integer) n`,
    [limits.calendarsPerTenant],
  )
  await expect(set('one-more', OPEN)).rejects.toMatchObject({
    code: 'quota_exceeded',
    quota: { name: 'calendars', limit: limits.calendarsPerTenant },
  })
  await set('c1', OPEN)
  expect(await t.store.schedules.calendars.find('c1', 1)).toEqual(OPEN)
})

it('a calendar that is too large is refused', async () => {
  const days = Array.from({ length: 40 }, (_, i) => (i % 7) + 1).join()
  const windows = Array.from({ length: 900 }, () => ({ days, from: '09:00', to: '10:00' }))
  await expect(set('large', { windows })).rejects.toMatchObject({
    code: 'invalid_calendar',
    message: expect.stringContaining('up to 65536 bytes'),
  })
})

it('the list of calendars is read page by page', async () => {
  await t.sql.query(
    `insert into punctual.calendars (tenant_id, version, updated_at, name, spec)
     select 1, 1, now(), 'c' || n, json_build_object('timezone', repeat('x', 1000000))::text
     from generate_series(10, 29) n`,
  )
  const first = await t.store.schedules.calendars.page('', 1)
  expect(first.calendars).toHaveLength(8)
  expect(first.next).toBe('c17')
  const names: string[] = []
  for await (const { name } of t.store.schedules.calendars.all(1)) names.push(name)
  expect(names).toHaveLength(20)
})

it('only named calendars are read, and unchanged ones come from the cache', async () => {
  const cache = new CalendarCache(t.store.database)
  for (const name of ['a', 'b', 'c']) await set(name, OPEN)
  const first = (await cache.read(named('a', 'b', 'missing'))).get(1)
  expect([...(first?.of.keys() ?? [])].sort()).toEqual(['a', 'b'])
  await set('b', SHUT)
  const second = (await cache.read(named('a', 'b'))).get(1)
  expect(second?.of.get('a')).toBe(first?.of.get('a'))
  expect(second?.of.get('b')).not.toBe(first?.of.get('b'))
  expect([second?.versions.get('a'), second?.versions.get('b')]).toEqual([1, 2])
})

it('a calendar that was deleted and created again is not mistaken for its predecessor', async () => {
  const cache = new CalendarCache(t.store.database)
  await set('days', OPEN)
  const before = (await cache.read(named('days'))).get(1)
  await t.store.schedules.calendars.delete('days', 1)
  await set('days', SHUT)
  const after = (await cache.read(named('days'))).get(1)
  expect([before?.of.get('days')?.exclude.size, after?.of.get('days')?.exclude.size]).toEqual([
    1, 2,
  ])
  expect(after?.versions.get('days')).toBe(1)
})

it('the cache forgets the calendars that were used least recently', async () => {
  const cache = new CalendarCache(t.store.database, 2 * JSON.stringify(OPEN).length)
  for (const name of ['a', 'b', 'c']) await set(name, OPEN)
  const a = (await cache.read(named('a'))).get(1)?.of.get('a')
  const b = (await cache.read(named('b'))).get(1)?.of.get('b')
  await cache.read(named('a'))
  await cache.read(named('c'))
  expect((await cache.read(named('a'))).get(1)?.of.get('a')).toBe(a)
  expect((await cache.read(named('b'))).get(1)?.of.get('b')).not.toBe(b)
})

it('a tenant has a bounded number of secrets, and may still replace each of them', async () => {
  await t.sql.query(
    `insert into punctual.secrets (tenant_id, name, version, key_id, nonce, ciphertext, created_at, updated_at)
     select 1, 's' || n, 1, 'k', decode(repeat('00', 12), 'hex'), decode(repeat('00', 32), 'hex'), now(), now() from generate_series(1, $1::integer) n`,
    [limits.secretsPerTenant],
  )
  const secrets = new SecretStore(
    t.store.database,
    new Keyring([randomBytes(32).toString('base64')]),
  )
  await expect(secrets.set(1, 'one-more', 'a long value', null)).rejects.toMatchObject({
    code: 'quota_exceeded',
    quota: { name: 'secrets', limit: limits.secretsPerTenant },
  })
  expect(await secrets.set(1, 's1', 'a long value', null)).toBe(2)
})

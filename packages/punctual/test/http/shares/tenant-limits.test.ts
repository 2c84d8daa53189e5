/** Bounds that all keys of a tenant share at a node: rate, streams, waiting claims, sessions. */
import { OpenStreams } from '@punctual/api'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HttpKit } from '../../kit/http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  const streams = new OpenStreams({ streamsPerTenant: 2 })
  http = await HttpKit.open({ roles: [] }, streams, { ratePerTenant: 40, waitsPerTenant: 2 })
})
afterAll(() => http.close())

const session = (key: string) =>
  http.post(
    '/worker-sessions',
    { host: 'h', handlers: ['x'], capacity: 1, lease_ms: 30_000 },
    { key },
  )

/** Resolves at the beginning of a window of the rate, so that the test starts with a full one. */
const untilAdmitted = (key: string) =>
  expect
    .poll(async () => (await http.get('/me', { key })).status, { interval: 200, timeout: 10_000 })
    .toBe(200)

test('the keys of a tenant share its rate, and those of another tenant have theirs', async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => http.keyFor('acme', 'read')))
  const rival = await http.keyFor('rival', 'read')
  const answers = await Promise.all(
    keys.flatMap((key) => Array.from({ length: 30 }, () => http.get('/me', { key }))),
  )
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.body.code).toBe('too_many_requests')
  expect(refused[0]?.body.detail).toContain('The keys of the tenant')
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect((await http.get('/me', { key: rival })).status).toBe(200)
  await untilAdmitted(http.admin)
})

test('the keys of a tenant share its streams', async () => {
  const keys = await Promise.all(Array.from({ length: 3 }, () => http.keyFor('acme', 'read')))
  const ending = new AbortController()
  const stream = (key: string) =>
    fetch(`${http.url}/v1/activity`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      signal: ending.signal,
    })
  await untilAdmitted(http.admin)
  const open = [await stream(keys[0] ?? ''), await stream(keys[1] ?? '')]
  expect(open.map(({ status }) => status)).toEqual([200, 200])
  const refused = await stream(keys[2] ?? '')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await refused.json()).toMatchObject({ code: 'too_many_streams' })
  const other = await stream(await http.keyFor('rival', 'read'))
  expect(other.status).toBe(200)
  ending.abort()
})

test('the workers of a tenant share its waiting claims, and a claim that ends makes room', async () => {
  const key = await http.keyFor('acme', 'worker')
  await untilAdmitted(key)
  const { body } = await session(key)
  const claim = (wait_ms: number) =>
    http.post(`/worker-sessions/${body.id}/claim`, { limit: 1, wait_ms }, { key })
  const waiting = [claim(1_500), claim(1_500)]
  await expect
    .poll(async () => (await claim(0)).status, { interval: 100, timeout: 5_000 })
    .toBe(429)
  const refused = await claim(0)
  expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['too_many_waits', '1'])
  const other = await http.keyFor('rival', 'worker')
  const { id } = (await session(other)).body
  const free = await http.post(`/worker-sessions/${id}/claim`, { limit: 1 }, { key: other })
  expect(free.status).toBe(200)
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
  expect((await claim(0)).status).toBe(200)
})

test('a tenant opens sessions up to its quota, and can repeat opening one it has', async () => {
  await http.punctual.tenants.update('rival', { quotas: { sessions: 3 } })
  const key = await http.keyFor('rival', 'worker')
  const own = { host: 'h', handlers: ['x'], capacity: 1, lease_ms: 30_000, id: '4711' }
  const opened: number[] = []
  while (opened.length < 5) opened.push((await session(key)).status)
  // The test before opened one session of the tenant.
  expect(opened).toEqual([201, 201, 409, 409, 409])
  const refused = await session(key)
  expect(refused.body).toMatchObject({
    ...{ code: 'quota_exceeded', quota: { name: 'sessions', limit: 3, used: 4 } },
  })
  await http.punctual.tenants.update('rival', { quotas: { sessions: 4 } })
  await expect
    .poll(async () => (await http.post('/worker-sessions', own, { key })).status)
    .toBe(201)
  expect((await http.post('/worker-sessions', own, { key })).status).toBe(201)
  expect((await session(key)).status).toBe(409)
})

test('requests with a key of the installation use the share of such keys, and no others do', async () => {
  const key = await http.keyFor('acme', 'read')
  await untilAdmitted(key)
  const shared = vi.spyOn(http.punctual.store, 'asSystemKey')
  expect((await http.get('/jobs', { key })).status).toBe(200)
  expect(shared).not.toHaveBeenCalled()
  expect((await http.get('/jobs', { key: http.system })).status).toBe(200)
  expect(shared).toHaveBeenCalledTimes(1)
  expect((await http.post('/queues/q/pause', {}, { key: http.system })).status).toBe(200)
  expect(shared).toHaveBeenCalledTimes(2)
})

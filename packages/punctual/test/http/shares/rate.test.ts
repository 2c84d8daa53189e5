/** Rate limits: for each key, and for addresses that keep sending invalid keys. */
import type { AddressInfo } from 'node:net'
import { createApp } from '@punctual/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceOf } from '../../../src/http/service.ts'
import { HttpKit } from '../../kit/http-kit.ts'

let http: HttpKit
let url: string
let close: () => Promise<void>

beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
  const service = serviceOf(http.punctual)
  const app = createApp({
    ...{ health: () => ({ version: 'test', uptimeSeconds: 1 }), metrics: async () => null },
    ...{ ready: async () => ({ ready: true }), service: () => service, ratePerKey: 20 },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v1/me`
  close = () => app.close()
})
afterAll(async () => {
  await close()
  await http.close()
})

const many = (n: number, key: string) =>
  Promise.all(Array.from({ length: n }, () => http.call('GET', url, undefined, { key })))

test('a key over its rate gets 429 and the delay before a retry', async () => {
  const other = await http.keyFor('acme', 'read')
  const answers = await many(120, http.admin)
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.body).toMatchObject({ code: 'too_many_requests', status: 429 })
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect((await http.call('GET', url, undefined, { key: other })).status).toBe(200)
  await expect.poll(async () => (await http.call('GET', url)).status, { timeout: 10_000 }).toBe(200)
})

test('an address that guesses keys is limited, and a valid key from it is admitted (case 156)', async () => {
  const guesses = await many(60, 'punctual_nonsense')
  const statuses = new Set(guesses.map(({ status }) => status))
  expect(statuses).toEqual(new Set([401, 429]))
  const slowed = guesses.find(({ status }) => status === 429)
  expect([slowed?.body.code, slowed?.headers.get('retry-after')]).toEqual([
    'too_many_requests',
    '1',
  ])
  const other = await http.keyFor('acme', 'read')
  expect((await http.call('GET', url, undefined, { key: other })).status).toBe(200)
})

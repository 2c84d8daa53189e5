/** What keys of the installation see and name, which belong to no tenant. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit } from './http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
})
afterAll(() => http.close())

test('a key of the installation reads and verifies all chains, and that of a tenant it names', async () => {
  const key = http.system
  await http.post('/tenants', { name: 'watched' }, { key })
  const { id } = (await http.get('/tenants/watched', { key })).body
  const headers = { 'x-punctual-tenant': 'watched' }
  await http.call('PUT', '/jobs/seen', { schedule: '@daily' }, { key, headers })
  await http.punctual.store.auditLog.sealing.seal(1_000)

  const made = await http.get('/audit?action=tenant.create&target=watched', { key })
  expect(made.body.entries).toMatchObject([{ tenant_id: null, actor: { name: 'root' } }])
  const all = await http.get('/audit?limit=2', { key })
  expect(all.body.entries).toMatchObject([
    { tenant_id: id, action: 'job.create' },
    { tenant_id: null, action: 'tenant.create' },
  ])
  const named = await http.get('/audit', { key, headers })
  expect(named.body.entries).toMatchObject([{ tenant_id: id, action: 'job.create' }])

  const verified = (await http.get('/audit/verify', { key })).body
  const chains = verified.chains.map((it: { tenant_id: number | null }) => it.tenant_id)
  expect(verified.clean).toBe(true)
  expect(chains).toEqual(expect.arrayContaining([null, id]))
  expect((await http.get('/audit/verify', { key, headers })).body.chains).toMatchObject([
    { tenant_id: id, sealed: 1, fault: null },
  ])
})

test('a key of a tenant reads and verifies the chain of that tenant alone', async () => {
  await http.call('PUT', '/jobs/own', { schedule: '@daily' })
  const { entries } = (await http.get('/audit')).body
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) expect(entry.tenant_id).toBe(2)
  expect((await http.get('/audit?action=tenant.create')).body.entries).toEqual([])
  expect((await http.get('/audit/verify')).body.chains).toMatchObject([{ tenant_id: 2 }])
})

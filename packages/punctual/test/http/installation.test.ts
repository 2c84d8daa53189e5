/** Keys of the installation, which belong to no tenant: what they see and name. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { serviceOf } from '../../src/http/service.ts'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
})
afterAll(() => http.close())

test('a system key reads and verifies all chains, or that of a tenant it names', async () => {
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
  const chains = verified.chains.map((chain: { tenant_id: number | null }) => chain.tenant_id)
  expect(verified.clean).toBe(true)
  expect(chains).toEqual(expect.arrayContaining([null, id]))
  expect((await http.get('/audit/verify', { key, headers })).body.chains).toMatchObject([
    { tenant_id: id, sealed: 1, fault: null },
  ])
})

test('a tenant key reads and verifies only the chain of its tenant', async () => {
  await http.call('PUT', '/jobs/own', { schedule: '@daily' })
  const { entries } = (await http.get('/audit')).body
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) expect(entry.tenant_id).toBe(2)
  expect((await http.get('/audit?action=tenant.create')).body.entries).toEqual([])
  expect((await http.get('/audit/verify')).body.chains).toMatchObject([{ tenant_id: 2 }])
})

test('a tenant key gets the verdicts on the guarantees, and no facts of the installation', async () => {
  const whole = await http.get('/guarantees', { key: http.system })
  expect(whole.status).toBe(200)
  expect(whole.body).toMatchObject({
    ...{ weaknesses: expect.any(Array), notes: expect.any(Array) },
    facts: { version: expect.any(String), synchronous_commit: expect.any(String) },
  })
  const { status, body } = await http.get('/guarantees')
  const verdicts = whole.body.guarantees.map(
    ({ promise, title, verdict }: Record<string, string>) => ({ promise, title, verdict }),
  )
  expect(verdicts.length).toBeGreaterThan(0)
  expect([status, body]).toEqual([200, { verdict: whole.body.verdict, guarantees: verdicts }])
})

test('the guarantees are read once for all callers of some seconds', async () => {
  const read = vi.spyOn(http.punctual.store.database.browse, 'run')
  onTestFinished(() => read.mockRestore())
  await http.punctual.guarantees()
  const statements = read.mock.calls.length
  expect(statements).toBeGreaterThan(0)
  read.mockClear()
  const service = serviceOf(http.punctual)
  const panels = await Promise.all(Array.from({ length: 20 }, () => service.guarantees()))
  expect(new Set([...panels, await service.guarantees()]).size).toBe(1)
  expect(read).toHaveBeenCalledTimes(statements)
})

test('a tenant can be named by its number', async () => {
  const key = http.system
  const { id } = (await http.post('/tenants', { name: 'numbered' }, { key })).body
  expect((await http.get(`/tenants/${id}`, { key })).body).toMatchObject({ id, name: 'numbered' })
  const changed = await http.call('PATCH', `/tenants/${id}`, { note: 'by number' }, { key })
  expect([changed.status, changed.body.note]).toEqual([200, 'by number'])
  const headers = { 'x-punctual-tenant': String(id) }
  await http.call('PUT', '/jobs/by_number', { schedule: '@daily' }, { key, headers })
  const own = await http.keyFor('numbered', 'read')
  expect((await http.get('/jobs/by_number', { key: own, headers })).status).toBe(200)

  const rival = await http.get('/jobs', { key: await http.keyFor('rival', 'read'), headers })
  expect([rival.status, rival.body.code]).toEqual([403, 'forbidden'])
  for (const none of ['0', '99', '2147483648', '99999999999', '1e0']) {
    const reply = await http.get(`/tenants/${none}`, { key })
    expect([none, reply.status, reply.body.code]).toEqual([none, 404, 'tenant_not_found'])
  }
})

/**
 * Workers for tenants: full access to their own, and only ids of workers that serve all tenants.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
})
afterAll(() => http.close())

async function open(key: string, handlers = ['x']): Promise<string> {
  const announced = { host: 'secret-host', handlers, capacity: 1, lease_ms: 30_000 }
  return (await http.post('/worker-sessions', announced, { key })).body.id as string
}

async function submit(handler: string, key?: string): Promise<string> {
  return (await http.post('/runs', { handler }, key === undefined ? {} : { key })).body.id as string
}

test('a tenant drains its own workers, and no others', async () => {
  const own = await open(await http.keyFor('acme', 'worker'))
  const shared = await open(http.system)
  const drain = (id: string, key?: string) =>
    http.post(`/workers/${id}/drain`, undefined, key === undefined ? {} : { key })
  const operator = await http.keyFor('acme', 'operate')
  expect((await drain(own, operator)).body).toEqual({ id: own, changed: true })
  expect((await http.get('/workers')).body.workers).toContainEqual(
    expect.objectContaining({ id: own, state: 'draining' }),
  )
  const entries = (await http.get(`/audit?target=${own}`)).body.entries
  expect(entries).toMatchObject([{ action: 'worker.drain', after: { drains: true } }])
  expect((await http.post(`/workers/${own}/activate`)).body).toEqual({ id: own, changed: true })

  const rival = await http.keyFor('rival', 'admin')
  const refused = [await drain(shared), await drain(own, rival), await drain('123', rival)]
  for (const { status, body } of refused)
    expect([status, body.code]).toEqual([404, 'worker_not_found'])
  expect((await drain(own, await http.keyFor('acme', 'read'))).status).toBe(403)
  expect((await drain(shared, http.system)).body).toEqual({ id: shared, changed: true })
  expect((await http.get(`/audit?target=${shared}`)).body.entries).toEqual([])
})

test('a tenant sees how the runs of its workers ended', async () => {
  const key = await http.keyFor('acme', 'worker')
  const id = await open(key, ['fails'])
  await http.post('/runs', { handler: 'fails', max_retries: 0 })
  const claimed = await http.post(`/worker-sessions/${id}/claim`, { limit: 1 }, { key })
  const { run_id, fence } = claimed.body.runs[0]
  const outcomes = [{ run_id, fence, outcome: 'failed', error: { message: 'no' } }]
  await http.post(`/worker-sessions/${id}/settle`, { outcomes }, { key })
  const { workers } = (await http.get('/workers')).body
  expect(workers.find((worker: { id: string }) => worker.id === id)).toMatchObject({
    ...{ failure_rate: 1, ended_last_hour: { dead: 1, succeeded: 0 } },
  })
})

test('a tenant sees the id of a shared worker, but neither its host nor its runs', async () => {
  const shared = await open(http.system, ['busy'])
  await submit('busy', await http.keyFor('rival', 'submit'))
  const claimed = await http.post(
    `/worker-sessions/${shared}/claim`,
    { limit: 1 },
    { key: http.system },
  )
  expect(claimed.body.runs).toHaveLength(1)
  const id = await submit('busy')
  const { body } = await http.get(`/runs/${id}/explain`)
  const unknown = { id: shared, host: null, held: null, capacity: null }
  expect(body.reasons).toMatchObject([
    { code: 'behind_others', workers: [unknown], detail: expect.not.stringContaining('capacity') },
  ])
  expect(JSON.stringify(body)).not.toContain('secret-host')
  const headers = { 'x-punctual-tenant': 'acme' }
  const all = await http.get(`/runs/${id}/explain`, { key: http.system, headers })
  const known = { id: shared, host: 'secret-host', held: 1, capacity: 1 }
  expect(all.body.reasons).toMatchObject([{ code: 'workers_full', workers: [known] }])
})

test('a tenant sees all of its workers, and none of another tenant', async () => {
  const own = await open(await http.keyFor('acme', 'worker'), ['mine'])
  const { body } = await http.get(`/runs/${await submit('mine')}/explain`)
  const worker = { id: own, host: 'secret-host', held: 0, capacity: 1 }
  expect(body.reasons).toMatchObject([{ code: 'behind_others', workers: [worker] }])
  const rival = await http.keyFor('rival', 'admin')
  const other = await http.get(`/runs/${await submit('mine', rival)}/explain`, { key: rival })
  expect(other.body.reasons).toMatchObject([{ code: 'no_worker' }])
  const strict = { handler: 'mine', strict: true }
  expect((await http.post('/runs', strict)).status).toBe(201)
  expect((await http.post('/runs', strict, { key: rival })).body.code).toBe('handler_unknown')
})

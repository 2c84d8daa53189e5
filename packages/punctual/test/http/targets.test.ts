import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
let n = 0
const name = () => `target_${++n}`

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['planner'] })
})
afterAll(() => http.close())

const target = {
  kind: 'http',
  url: 'https://example.com/hooks/{{payload.id}}',
  headers: { 'X-Some_Header': '{{run.id}}' },
  success: { body_contains: 'ok' },
  connect_timeout_ms: 500,
}

test('a job answers its target in wire names, and the names that users chose unchanged', async () => {
  const { status, body } = await http.post('/jobs', { name: name(), schedule: 'every 5m', target })
  expect(status).toBe(201)
  const job = await http.get(`/jobs/${body.id}`)
  expect(job.body).toMatchObject({ handler: '@http', target })
  const acme = await http.punctual.tenants.get('acme')
  const stored = await http.punctual.tenant(acme?.id ?? 0).jobs.get(body.name)
  expect(stored?.target).toMatchObject({ success: { bodyContains: 'ok' }, connectTimeoutMs: 500 })
})

test('a run answers its target, and a run of a handler the handler', async () => {
  const { status, body } = await http.post('/runs', { target, payload: { id: 7 } })
  expect(status).toBe(201)
  const run = await http.get(`/runs/${body.id}`)
  expect(run.body).toMatchObject({ handler: '@http', target, payload: { id: 7 } })
  expect(run.body.policy).not.toHaveProperty('target')
  const plain = await http.post('/runs', { handler: 'send' })
  const found = await http.get(`/runs/${plain.body.id}`)
  expect(found.body.target).toEqual({ kind: 'handler', name: 'send' })
})

test('an invalid target is refused with a pointer to the member that is wrong', async () => {
  const refused = async (wrong: object, path = '/runs') =>
    (await http.post(path, { ...(path === '/jobs' && { name: name() }), ...wrong })).body
  expect(await refused({ target: { ...target, url: 'ftp://a' } })).toMatchObject({
    code: 'invalid_option',
    pointer: '/target/url',
  })
  expect(await refused({ target, handler: 'send' })).toMatchObject({ field: 'target' })
  expect(await refused({ target, handler: 'send' }, '/jobs')).toMatchObject({ field: 'target' })
  expect(await refused({ handler: '@http' })).toMatchObject({ field: 'handler' })
  expect(await refused({})).toMatchObject({ field: 'target' })
})

test('a change of the handler replaces the target of a job, and the reverse', async () => {
  const job = name()
  await http.post('/jobs', { name: job, schedule: 'every 5m', target })
  const change = async (changes: object) => {
    const { status } = await http.call('PATCH', `/jobs/${job}`, changes)
    expect(status).toBe(200)
    return (await http.get(`/jobs/${job}`)).body
  }
  expect(await change({ priority: 9 })).toMatchObject({ handler: '@http', target, priority: 9 })
  expect(await change({ handler: 'send' })).toMatchObject({
    handler: 'send',
    target: { kind: 'handler', name: 'send' },
  })
  expect(await change({ target })).toMatchObject({ handler: '@http', target })
})

test('a quota of executors refuses targets of other kinds', async () => {
  await http.punctual.tenants.update('acme', { quotas: { executors: ['http'] } })
  try {
    expect((await http.post('/runs', { target })).status).toBe(201)
    const refused = await http.post('/runs', { handler: 'send' })
    expect(refused.body).toMatchObject({ code: 'quota_exceeded', field: 'handler' })
    const job = { name: name(), schedule: 'every 5m', target: { kind: 'shell', command: ['ls'] } }
    expect((await http.post('/jobs', job)).body).toMatchObject({
      code: 'quota_exceeded',
      field: 'target',
    })
  } finally {
    await http.punctual.tenants.update('acme', { quotas: { executors: null } })
  }
})

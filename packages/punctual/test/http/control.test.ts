import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
let n = 0
const name = (what: string) => `${what}_${++n}`
const ndjson = { 'content-type': 'application/x-ndjson' }

beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
})
afterAll(() => http.close())

describe('submissions', () => {
  test('a submitted run is committed when it is answered, and found by its id', async () => {
    const { status, body } = await http.post('/runs', {
      ...{ handler: 'greet', payload: { to: 'ann' }, delay: '10m', labels: { user: 'u1' } },
      ...{ max_retries: 4, timeout_seconds: 1.5, priority: 9, queue: 'mail' },
    })
    expect([status, body]).toMatchObject([201, { created: true, outcome: 'created' }])
    expect(await http.punctual.tenant(2).runs.get(body.id)).toMatchObject({
      ...{ handler: 'greet', payload: { to: 'ann' }, state: 'scheduled', labels: { user: 'u1' } },
      ...{ maxAttempts: 5, timeoutMs: 1500, priority: 9, queue: 'mail', createdBy: 'acme-admin' },
    })
    expect(await http.punctual.runs.get(body.id)).toBeNull()
  })

  test('a submission with the key of a live run returns that run', async () => {
    const run = { handler: 'greet', key: name('key'), delay: 60 }
    const first = await http.post('/runs', run)
    const again = await http.post('/runs', run)
    expect([again.status, again.body]).toEqual([
      200,
      { id: first.body.id, created: false, outcome: 'existing' },
    ])
    const refused = await http.post('/runs', { ...run, on_conflict: 'error' })
    expect([refused.status, refused.body.code]).toEqual([409, 'key_conflict'])
  })

  test('a bulk submission accepts all lines, or none and names the invalid line', async () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => ({ handler: 'bulk', payload: { i } }))
    const text = (items: unknown[]) => items.map((item) => JSON.stringify(item)).join('\n')
    const good = await http.post('/runs/bulk', undefined, { raw: text(lines), headers: ndjson })
    expect([good.status, good.body.accepted]).toEqual([201, 1_000])
    expect(new Set(good.body.items.map((item: { id: string }) => item.id)).size).toBe(1_000)
    const wrong = [...lines.slice(0, 3), { handler: 'bulk', priority: 99 }, ...lines.slice(0, 3)]
    const none = await http.post('/runs/bulk', undefined, { raw: text(wrong), headers: ndjson })
    expect([none.status, none.body.pointer]).toEqual([400, '/3/priority'])
    const each = await http.post('/runs/bulk?mode=each', undefined, {
      ...{ raw: text(wrong), headers: ndjson },
    })
    expect([each.status, each.body.accepted, each.body.refused]).toEqual([207, 6, 1])
    expect(each.body.items[3].problem).toMatchObject({ status: 400, pointer: '/3/priority' })
  })
})

describe('an idempotency key', () => {
  const send = (key: string, body: unknown, path = '/runs') =>
    http.post(path, body, { headers: { 'idempotency-key': key } })

  test('a repeated request takes effect once and gets the first answer', async () => {
    const key = name('idem')
    const body = { handler: 'once', delay: 600 }
    const first = await send(key, body)
    const again = await send(key, body)
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await send(key, { ...body, priority: 1 })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    const elsewhere = await send(key, { name: name('job') }, '/jobs')
    expect(elsewhere.status).toBe(422)
  })

  test('two tenants can use the same idempotency key', async () => {
    const key = name('idem')
    const first = await send(key, { handler: 'mine', delay: 600 })
    const rival = await http.keyFor('rival', 'submit')
    const theirs = await http.post(
      '/runs',
      { handler: 'theirs', delay: 600 },
      {
        ...{ key: rival, headers: { 'idempotency-key': key } },
      },
    )
    expect([theirs.status, theirs.body.id === first.body.id]).toEqual([201, false])
  })

  test('a hundred concurrent requests under one key have one effect', async () => {
    const key = name('idem')
    const body = { handler: name('hundred'), delay: 600 }
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(key, body)))
    const done = answers.filter(({ status }) => status === 201)
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done.map((answer) => answer.body.id)).size).toBe(1)
    const others = answers.filter(({ status }) => status !== 201)
    expect(
      others.every(({ status, body: b }) => status === 409 && b.code === 'idempotency_key_in_use'),
    ).toBe(true)
    const runs = await http.punctual.tenant(2).runs.list({ handler: body.handler })
    expect(runs).toHaveLength(1)
  })

  test('the key of a failed request may be used again', async () => {
    const key = name('idem')
    expect((await send(key, { handler: 'x', priority: 77 })).status).toBe(400)
    const taken = { name: name('job'), schedule: '@daily' }
    await http.post('/jobs', taken)
    expect((await send(key, taken, '/jobs')).status).toBe(409)
    expect((await send(key, { ...taken, name: name('job') }, '/jobs')).status).toBe(201)
  })
})

describe('keys', () => {
  test('a request without a valid key is refused', async () => {
    const none = await http.get('/jobs', { key: null })
    expect([none.status, none.body.code]).toEqual([401, 'unauthenticated'])
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="punctual"')
    expect((await http.get('/jobs', { key: `${http.admin}x` })).status).toBe(401)
    expect((await http.get('/jobs?api_key=secret', { key: null })).body.field).toBe('api_key')
  })

  test('a key can do what its scopes allow, and no more', async () => {
    const key = await http.keyFor('acme', 'read')
    expect((await http.get('/jobs', { key })).status).toBe(200)
    const refused = await http.post('/runs', { handler: 'x' }, { key })
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect(refused.body.detail).toMatch(/submit/)
    expect((await http.get('/me', { key })).body).toMatchObject({
      tenant: 'acme',
      scopes: ['read'],
    })
  })

  test('a key is created, shown once, rotated and revoked', async () => {
    const made = await http.post('/api-keys', { name: 'ci', scopes: ['read'] })
    expect([made.status, made.body]).toMatchObject([
      201,
      { key: expect.stringMatching(/^punctual_/), tenant_name: 'acme' },
    ])
    const { key } = made.body
    expect((await http.get('/jobs', { key })).status).toBe(200)
    const listed = await http.get('/api-keys?limit=1000')
    expect(JSON.stringify(listed.body)).not.toContain(key)
    const rotated = await http.post(`/api-keys/${made.body.id}/rotate`, { overlap_ms: 60_000 })
    expect((await http.get('/jobs', { key: rotated.body.key })).status).toBe(200)
    expect((await http.get('/jobs', { key })).status).toBe(200)
    await http.call('DELETE', `/api-keys/${rotated.body.id}`)
    await expect
      .poll(async () => (await http.get('/jobs', { key: rotated.body.key })).status)
      .toBe(401)
  })

  test('the stored answer of a creation does not contain the key', async () => {
    const send = () =>
      http.post(
        '/api-keys',
        { name: 'twice', scopes: ['read'] },
        {
          headers: { 'idempotency-key': 'make-a-key' },
        },
      )
    const first = await send()
    const again = await send()
    expect([again.body.id, again.body.key]).toEqual([first.body.id, null])
    const { control: read } = http.punctual.store.database
    const rows = await read.query({ name: '', text: 'select body from punctual.requests' })
    expect(JSON.stringify(rows)).not.toContain(first.body.key)
  })

  test('a tenant key creates no system keys and sees no keys of another tenant', async () => {
    const up = await http.post('/api-keys', { name: 'up', scopes: ['system'] })
    expect([up.status, up.body.code]).toEqual([403, 'forbidden'])
    const rival = await http.keyFor('rival', 'admin')
    const { body } = await http.post(
      '/api-keys',
      { name: 'theirs', scopes: ['read'] },
      { key: rival },
    )
    expect((await http.call('DELETE', `/api-keys/${body.id}`)).status).toBe(404)
    expect((await http.get('/tenants')).status).toBe(403)
  })
})

describe('tenants', () => {
  test('a tenant is exported and erased, and its use is reported', async () => {
    const key = http.system
    await http.post('/tenants', { name: 'leaving' }, { key })
    const own = await http.keyFor('leaving', 'admin')
    await http.post('/jobs', { name: 'last_job', schedule: '@daily' }, { key: own })
    await http.post('/runs', { handler: 'x', payload: { text: 'kept' } }, { key: own })
    const usage = await http.get('/tenants/leaving/usage', { key })
    expect(usage.body.days.at(-1)).toMatchObject({ runs: 1, payload_bytes: 15 })
    const exported = await http.get('/tenants/leaving/export', { key })
    expect(exported.headers.get('content-type')).toMatch(/ndjson/)
    expect(String(exported.body)).toContain('"last_job"')
    const wrong = await http.call('DELETE', '/tenants/leaving?confirm=acme', undefined, { key })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_option'])
    const gone = await http.call('DELETE', '/tenants/leaving?confirm=leaving', undefined, { key })
    expect(gone.status).toBe(200)
    expect((await http.get('/tenants/leaving', { key })).status).toBe(404)
    await expect.poll(async () => (await http.get('/jobs', { key: own })).status).toBe(401)
  })

  test('a system key creates, limits, suspends and resumes a tenant', async () => {
    const key = http.system
    const made = await http.post('/tenants', { name: 'shop', quotas: { jobs: 1 } }, { key })
    expect([made.status, made.body]).toMatchObject([201, { name: 'shop', quotas: { jobs: 1 } }])
    const changed = await http.call(
      ...([
        'PATCH',
        '/tenants/shop',
        { quotas: { jobs: 2, payload_bytes: 100 } },
        { key },
      ] as const),
    )
    expect(changed.body.quotas).toEqual({ jobs: 2, payload_bytes: 100 })
    const own = await http.keyFor('shop', 'admin')
    await http.post('/tenants/shop/suspend', { note: 'unpaid' }, { key })
    await expect
      .poll(async () => (await http.post('/runs', { handler: 'x' }, { key: own })).body.code)
      .toBe('tenant_suspended')
    await http.post('/tenants/shop/resume', undefined, { key })
    await expect
      .poll(async () => (await http.post('/runs', { handler: 'x' }, { key: own })).status)
      .toBe(201)
  })
})

test('queues are listed with depth and pauses, limited and resumed', async () => {
  const queue = name('queue')
  await http.post('/runs', { handler: 'x', queue })
  const paused = await http.post(`/queues/${queue}/pause`, { note: 'slow' })
  expect(paused.body).toEqual({ queue, paused: true, changed: true })
  await http.call('PUT', `/queues/${queue}/limits`, { concurrency: 3, rate: { limit: 10 } })
  const { body } = await http.get('/queues')
  const found = body.queues.find((entry: { queue: string }) => entry.queue === queue)
  expect(found).toMatchObject({
    ...{ due: 1, paused: true, pause: { note: 'slow', paused_by: 'acme-admin' } },
  })
  expect((await http.get('/limits')).body.limits).toMatchObject([{ queue, concurrency: 3 }])
  expect((await http.call('DELETE', `/queues/${queue}/limits`)).body).toEqual({ removed: true })
  expect((await http.post(`/queues/${queue}/resume`)).body.changed).toBe(true)
})

test('a calendar is created, used by a job, and deleted when unused', async () => {
  const calendar = name('calendar')
  const set = await http.call('PUT', `/calendars/${calendar}`, { exclude: ['12-25'] })
  expect([set.status, set.body.calendar]).toEqual([200, { exclude: ['12-25'] }])
  const job = name('job')
  await http.call('PUT', `/jobs/${job}`, { schedule: '@daily', calendars: [calendar] })
  expect((await http.call('DELETE', `/calendars/${calendar}`)).body.code).toBe('calendar_in_use')
  await http.call('DELETE', `/jobs/${job}`)
  expect((await http.call('DELETE', `/calendars/${calendar}`)).body).toEqual({ removed: true })
  const bad = await http.call('PUT', `/calendars/${calendar}`, { exclude: ['13-25'] })
  expect([bad.status, bad.body.code]).toEqual([400, 'invalid_calendar'])
})

test('a group is submitted, read and closed', async () => {
  const made = await http.post('/groups', {
    ...{ name: 'import', open: true, on_done: { handler: 'done' } },
    runs: [
      { handler: 'part', delay: 60 },
      { handler: 'part', delay: 60 },
    ],
  })
  expect([made.status, made.body]).toMatchObject([201, { total: 2, open: true, ended: 0 }])
  const { id } = made.body
  expect((await http.get(`/groups/${id}/runs`)).body.runs).toHaveLength(2)
  expect((await http.post(`/groups/${id}/close`)).body).toEqual({ closed: true })
  expect((await http.get('/groups')).body.groups[0]).toMatchObject({ id, name: 'import' })
})

test("each change is in the tenant's audit log with its actor, and the chain is clean", async () => {
  const job = name('audited')
  await http.call(
    'PUT',
    `/jobs/${job}`,
    { schedule: '@daily' },
    { headers: { 'x-request-id': 'r-77' } },
  )
  const { body } = await http.get(`/audit?target=${job}`)
  expect(body.entries[0]).toMatchObject({
    ...{ target: { kind: 'job', name: job } },
    actor: { kind: 'api_key', name: 'acme-admin', request_id: 'r-77', ip: '127.0.0.1' },
  })
  const rival = await http.keyFor('rival', 'admin')
  expect((await http.get(`/audit?target=${job}`, { key: rival })).body.entries).toEqual([])
  expect((await http.get('/audit/verify')).body.clean).toBe(true)
})

test('the OpenAPI document is valid and lists /v1 routes, and the alias /api answers', async () => {
  const { body } = await http.get(`${http.url}/openapi.json`)
  expect(await new Validator().validate(structuredClone(body))).toEqual({ valid: true })
  expect(body.openapi).toBe('3.1.0')
  expect(Object.keys(body.paths)).toContain('/v1/jobs/{id}')
  expect(Object.keys(body.paths).every((path) => path.startsWith('/v1/'))).toBe(true)
  expect((await http.get(`${http.url}/api/v1/me`)).status).toBe(200)
})

test('a worker is visible to its tenant and the system', async () => {
  const announced = { host: 'h', handlers: ['x'], capacity: 1, lease_ms: 30_000 }
  const worker = await http.keyFor('acme', 'worker')
  const opened = await http.post('/worker-sessions', announced, { key: worker })
  expect(opened.status).toBe(201)
  const { id } = opened.body
  const own = await http.get('/workers')
  expect(own.body.workers).toMatchObject([{ id, host: 'h', handlers: ['x'], state: 'active' }])
  expect((await http.get('/workers', { key: http.system })).body.workers).toHaveLength(1)
  const rival = await http.keyFor('rival', 'admin')
  expect((await http.get('/workers', { key: rival })).body).toEqual({ workers: [] })
})

test('reports count how runs ended, and a refused secret is not repeated', async () => {
  expect((await http.get('/stats?minutes=10')).body).toEqual({ recent: expect.any(Array) })
  expect((await http.get('/stats/report?by=job')).body.rows).toEqual(expect.any(Array))
  const unset = await http.call('PUT', '/secrets/token', { value: 'a-long-secret-value' })
  expect(unset.body.detail).not.toContain('a-long-secret-value')
  const short = await http.call('PUT', '/secrets/token', { value: 'hush' })
  expect([short.status, JSON.stringify(short.body).includes('hush')]).toEqual([400, false])
  expect((await http.get('/secrets')).body).toEqual({ secrets: [] })
})

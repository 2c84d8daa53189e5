import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
let n = 0
const name = (what: string) => `${what}_${++n}`

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['planner'] })
})
afterAll(() => http.close())

describe('POST /jobs', () => {
  test('creates a recurring job whose handler no worker has yet', async () => {
    const answer = await http.post('/jobs', {
      name: 'send_report',
      schedule: '0 9 * * *',
      payload: { to: 'ann@example.com' },
      timeout_seconds: 3600,
      max_attempts: 3,
      priority: 5,
    })
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'scheduled',
      next_run_at: expect.stringMatching(/T09:00:00.000Z$/),
    })
    expect(answer.status).toBe(201)
    const job = await http.get(`/jobs/${answer.body.id}`)
    expect(job.body).toMatchObject({
      ...{ name: 'send_report', handler: 'send_report', schedule: '0 9 * * *' },
      ...{
        payload: { to: 'ann@example.com' },
        timeout_seconds: 3600,
        max_attempts: 3,
        priority: 5,
      },
      ...{ status: 'scheduled', attempt_number: null, execution_time_ms: null, completed_at: null },
    })
    expect(job.headers.get('etag')).toBe('"1"')
  })

  test.for([
    [{ retry_policy: { max_attempts: 4, backoff: 'exponential' } }, 4],
    [{ max_retries: 1 }, 2],
    [{ max_attempts: 7 }, 7],
  ] as const)('accepts attempts as %j', async ([given, attempts]) => {
    const { body } = await http.post('/jobs', {
      name: name('attempts'),
      schedule: 'every 5m',
      ...given,
    })
    const job = await http.get(`/jobs/${body.id}`)
    expect(job.body).toMatchObject({ max_attempts: attempts, schedule: 'every 5m' })
  })

  test.for([
    ['run_at', { run_at: '2035-01-01T00:00:00Z' }, '2035-01-01T00:00:00.000Z'],
    ['delay', { delay: '1h' }, expect.any(String)],
    ['delay', { delay: 3600 }, expect.any(String)],
  ] as const)('accepts a one-time job by %s', async ([, when, next]) => {
    const { status, body } = await http.post('/jobs', { name: name('once'), ...when })
    expect([status, body]).toMatchObject([201, { status: 'scheduled', next_run_at: next }])
  })

  test('accepts both rules for clock changes', async () => {
    const dst = { gap: 'skip', fold: 'both' }
    const { body } = await http.post('/jobs', { name: name('dst'), schedule: '30 2 * * *', dst })
    expect((await http.get(`/jobs/${body.id}`)).body.rules).toMatchObject(dst)
  })

  test('runs a job without a schedule now', async () => {
    const { body } = await http.post('/jobs', { name: name('now'), payload: 1 })
    await expect.poll(async () => (await http.get(`/jobs/${body.id}`)).body.status).toBe('queued')
  })

  test('refuses a name that is in use', async () => {
    const taken = name('taken')
    const { body } = await http.post('/jobs', { name: taken, schedule: '@daily' })
    const again = await http.post('/jobs', { name: taken, schedule: '@daily' })
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ code: 'job_exists', field: 'name', pointer: '/name' })
    expect(body.id).not.toBe('')
  })

  test('creates one job when several requests want the same name', async () => {
    const raced = name('raced')
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => http.post('/jobs', { name: raced, handler: `h${n}` })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
  })

  test('creates concurrent jobs together, and each request has its own answer and audit entry', async () => {
    const used = name('together')
    await http.post('/jobs', { name: used, schedule: '@daily' })
    const names = Array.from({ length: 60 }, (_, n) => (n === 30 ? used : name(`together-${n}`)))
    const key = await http.keyFor('acme', 'operate')
    const answers = await Promise.all(
      names.map((job, n) =>
        http.post(
          '/jobs',
          { name: job, ...(n === 45 ? { schedule: '0 0 31 2 *' } : { delay: 3600 }) },
          { ...(n % 2 === 1 && { key }), headers: { 'x-request-id': `together-${n}` } },
        ),
      ),
    )
    const codes = answers.map(({ status, body }) => (status === 201 ? 'created' : body.code))
    expect(codes[30]).toBe('job_exists')
    expect(codes[45]).toBe('never_fires')
    expect(codes.filter((code) => code === 'created')).toHaveLength(58)
    expect(answers.map(({ body }) => body.name ?? used)).toEqual(
      names.map((job, n) => (n === 45 ? used : job)),
    )
    const { body } = await http.get('/audit?action=job.create&limit=200')
    for (const [n, answer] of answers.entries()) {
      const entries = body.entries.filter(
        (entry: { actor: { request_id?: string } }) => entry.actor.request_id === `together-${n}`,
      )
      expect(entries, names[n]).toHaveLength(answer.status === 201 ? 1 : 0)
      if (answer.status === 201) expect(entries[0].target.name).toBe(names[n])
    }
    const actors = new Set(
      body.entries.map((entry: { actor: { name?: string } }) => entry.actor.name),
    )
    expect(actors.size).toBeGreaterThan(1)
  })

  test.for([
    ['a schedule that cannot be read', { schedule: '61 * * * *' }, 'invalid_schedule', undefined],
    [
      'an unknown time zone',
      { schedule: '@daily', timezone: 'Mars/Base' },
      'invalid_timezone',
      '/timezone',
    ],
    ['two times', { schedule: '@daily', delay: 5 }, 'invalid_option', '/delay'],
    ['an unknown member', { schedule: '@daily', scheduel: 1 }, 'invalid_request', '/scheduel'],
    ['a string for a number', { priority: '5' }, 'invalid_request', '/priority'],
    ['a huge number', { priority: 1e9 }, 'invalid_request', '/priority'],
    ['a tenant in the body', { tenant_id: 1 }, 'invalid_request', '/tenant_id'],
    [
      'attempts that differ',
      { max_attempts: 2, max_retries: 5 },
      'invalid_option',
      '/max_attempts',
    ],
  ] as const)('refuses %s', async ([, given, code, pointer]) => {
    const { status, body, headers } = await http.post('/jobs', { name: name('bad'), ...given })
    expect([status, body.code, body.pointer]).toEqual([400, code, pointer ?? body.pointer])
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(body.detail).not.toMatch(/SQL|stack/i)
  })

  test.for([
    ['a duplicate name', '{"name":"a","name":"b"}', 'invalid_payload'],
    [
      'a number that would change',
      '{"name":"a","payload":12345678901234567890}',
      'invalid_payload',
    ],
    [
      'a payload that is nested too deeply',
      `{"name":"a","payload":${'['.repeat(200)}${']'.repeat(200)}}`,
      'payload_too_deep',
    ],
    ['a NUL character', '{"name":"a","payload":"\\u0000"}', 'invalid_payload'],
    ['half a surrogate', '{"name":"a","payload":"\\ud800"}', 'invalid_payload'],
    ['a body that is not JSON', '{"name":', 'invalid_payload'],
  ] as const)('refuses %s', async ([, raw, code]) => {
    const { status, body } = await http.post('/jobs', undefined, { raw })
    expect([status, body.code]).toEqual([400, code])
  })
})

describe('an existing job', () => {
  test('is created by PUT, unchanged by the same PUT, and updated by another', async () => {
    const path = `/jobs/${name('put')}`
    expect((await http.call('PUT', path, { schedule: '@hourly' })).status).toBe(201)
    const same = await http.call('PUT', path, { schedule: '@hourly' })
    expect([same.status, same.body.change]).toEqual([200, 'unchanged'])
    const other = await http.call('PUT', path, { schedule: '@daily' })
    expect([other.status, other.body.change]).toEqual([200, 'updated'])
  })

  test('cannot have a name that looks like an id', async () => {
    const path = '/jobs/01a1e32c-a376-7000-8015-9ca7d1569426'
    const { status, body } = await http.call('PUT', path, { schedule: '@hourly' })
    expect([status, body.code, body.field]).toEqual([400, 'invalid_option', 'name'])
  })

  test('is changed in part, and only while it has the expected version', async () => {
    const path = `/jobs/${name('patched')}`
    await http.call('PUT', path, {
      ...{ schedule: '0 9 * * *', timezone: 'Europe/Berlin', payload: { a: 1 }, priority: 7 },
      ...{ concurrency: { key: 'k', limit: 2 }, rate: { key: 'r', limit: 5, per: 'minute' } },
    })
    const etag = (await http.get(path)).headers.get('etag') as string
    const headers = { 'if-match': etag }
    const changed = await http.call('PATCH', path, { priority: 2 }, { headers })
    expect([changed.status, changed.body.change]).toEqual([200, 'updated'])
    const stale = await http.call('PATCH', path, { priority: 3 }, { headers })
    expect([stale.status, stale.body.code]).toEqual([412, 'version_changed'])
    expect((await http.get(path)).body).toMatchObject({
      ...{ schedule: '0 9 * * *', timezone: 'Europe/Berlin', payload: { a: 1 }, priority: 2 },
      ...{ concurrency: { key: 'k', limit: 2 }, rate: { key: 'r', limit: 5, per_ms: 60_000 } },
    })
  })

  test('is changed by one of several concurrent changes of one version', async () => {
    const path = `/jobs/${name('raced')}`
    await http.call('PUT', path, { schedule: '@daily' })
    const headers = { 'if-match': '"1"' }
    const answers = await Promise.all(
      [1, 2, 3, 4, 6, 7].map((priority) => http.call('PATCH', path, { priority }, { headers })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
  })

  test('is paused with a reason and resumed', async () => {
    const path = `/jobs/${name('paused')}`
    await http.call('PUT', path, { schedule: '@daily' })
    const paused = await http.post(`${path}/pause`, { note: 'the source is down' })
    expect(paused.body).toMatchObject({ status: 'paused', change: 'updated' })
    expect((await http.get(path)).body.paused_note).toBe('the source is down')
    expect((await http.post(`${path}/pause`)).body.change).toBe('unchanged')
    expect((await http.post(`${path}/resume`)).body).toMatchObject({ status: 'scheduled' })
  })

  test('is triggered, previewed, explained and backfilled, and its slots are listed', async () => {
    const path = `/jobs/${name('looked')}`
    await http.call('PUT', path, { schedule: '0 0 1 1 *' })
    const run = await http.post(`${path}/trigger`, { payload: { by: 'hand' } })
    expect([run.status, run.body]).toMatchObject([201, { run_id: expect.any(String) }])
    const { body } = await http.get(`${path}/preview?count=3`)
    expect(body.slots).toHaveLength(3)
    const [first] = body.slots
    const skipped = await http.post(`${path}/skip`, { slot: first.at })
    expect([skipped.status, skipped.body]).toEqual([200, { skipped: first.at }])
    const slots = await http.get(`${path}/slots?from=${first.at}&to=${body.slots[1].at}`)
    expect(slots.body.slots).toHaveLength(2)
    expect((await http.get(`${path}/explain?at=${first.at}`)).status).toBe(200)
    const past = { from: '2020-01-01T00:00:00Z', to: '2022-01-02T00:00:00Z' }
    expect((await http.post(`${path}/backfill`, past)).body).toEqual({ runs: 3, already: 0 })
    expect((await http.post(`${path}/backfill`, past)).body).toEqual({ runs: 0, already: 3 })
  })

  test('is deleted with its planned runs, and its name is free again', async () => {
    const taken = name('deleted')
    const { body } = await http.post('/jobs', { name: taken, schedule: '@daily' })
    const { body: run } = await http.post(`/jobs/${taken}/trigger`)
    const gone = await http.call('DELETE', `/jobs/${body.id}`)
    const cancelled = { id: body.id, status: 'cancelled', cancelled_runs: 1 }
    expect([gone.status, gone.body]).toMatchObject([200, cancelled])
    expect(await http.punctual.tenant(2).runs.get(run.run_id)).toMatchObject({ state: 'cancelled' })
    expect((await http.get(`/jobs/${taken}`)).status).toBe(404)
    expect((await http.post('/jobs', { name: taken, schedule: '@daily' })).status).toBe(201)
  })
})

describe('POST /jobs/bulk', () => {
  test('writes jobs in the order of their names, so that two requests do not deadlock', async () => {
    const [first, last] = [`a_${name('bulk')}`, `z_${name('bulk')}`]
    for (const job of [first, last])
      await http.call('PUT', `/jobs/${job}`, { schedule: '@daily', priority: 5 })
    const client = await http.punctual.store.database.connect()
    const hold = (job: string) =>
      client.query(
        `select from punctual.cursors c join punctual.jobs j on j.id = c.job_id where j.name = $1
         for update of c nowait`,
        [job],
      )
    await client.query('begin')
    await hold(first)
    const lines = [
      { name: last, schedule: '@daily', priority: 7 },
      { name: name('bad'), schedule: '61 * * * *' },
      { name: first, schedule: '@daily', priority: 7 },
    ]
    const bulk = http.post('/jobs/bulk?mode=each', undefined, {
      raw: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBeGreaterThan(0)
    await hold(last)
    await client.query('commit')
    await client.end()
    const { status, body } = await bulk
    expect([status, body.accepted, body.refused]).toEqual([207, 2, 1])
    expect(body.items).toMatchObject([{ name: last }, { problem: {} }, { name: first }])
  })
})

describe('GET /jobs', () => {
  test('lists matching jobs in pages, with a total', async () => {
    const prefix = name('listed')
    const lines = Array.from({ length: 25 }, (_, i) =>
      JSON.stringify({ name: `${prefix}-${String(i).padStart(2, '0')}`, schedule: '@daily' }),
    ).join('\n')
    const bulk = await http.post('/jobs/bulk', undefined, {
      raw: lines,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect([bulk.status, bulk.body.accepted]).toEqual([200, 25])
    const first = await http.get(`/jobs?status=scheduled&name=${prefix}&limit=10&page=1`)
    expect(first.body).toMatchObject({ total: 25, total_exact: true, page: 1 })
    expect(first.body.jobs).toHaveLength(10)
    const third = await http.get(`/jobs?name=${prefix}&limit=10&page=3`)
    expect(third.body.jobs).toHaveLength(5)
    const names: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await http.get(`/jobs?name=${prefix}&limit=10${at}`)
      names.push(...page.body.jobs.map((job: { name: string }) => job.name))
      cursor = page.body.next_cursor
    }
    expect(names).toEqual([...new Set(names)])
    expect(names).toHaveLength(25)
  })

  test.for([
    ['/jobs?limit=0', '/limit'],
    ['/jobs?limit=x', '/limit'],
    ['/jobs?status=asleep', '/status'],
    ['/jobs?colour=red', '/colour'],
    ['/jobs?limit=5&limit=6', '/limit'],
  ] as const)('refuses %s', async ([path, pointer]) => {
    const { status, body } = await http.get(path)
    expect([status, body.pointer]).toEqual([400, pointer])
  })
})

describe('tenants', () => {
  test('do not see, change or delete jobs of each other, by id or by name', async () => {
    const shared = name('shared')
    const { body } = await http.post('/jobs', { name: shared, schedule: '@daily' })
    const key = await http.keyFor('rival', 'admin')
    for (const id of [body.id, shared]) {
      expect((await http.get(`/jobs/${id}`, { key })).status).toBe(404)
      expect((await http.call('PATCH', `/jobs/${id}`, { priority: 1 }, { key })).status).toBe(404)
      expect((await http.call('DELETE', `/jobs/${id}`, undefined, { key })).status).toBe(404)
    }
    expect((await http.post('/jobs', { name: shared, schedule: '@daily' }, { key })).status).toBe(
      201,
    )
  })

  test('can be named in a header by system keys only', async () => {
    const headers = { 'x-punctual-tenant': 'acme' }
    expect((await http.get('/jobs', { key: http.system, headers })).status).toBe(200)
    const rival = { 'x-punctual-tenant': 'rival' }
    expect((await http.get('/jobs', { headers: rival })).body.code).toBe('forbidden')
    const nobody = { 'x-punctual-tenant': 'nobody' }
    const lost = await http.get('/jobs', { key: http.system, headers: nobody })
    expect([lost.status, lost.body.code]).toEqual([404, 'tenant_not_found'])
  })
})

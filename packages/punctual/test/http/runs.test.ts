/** Runs over HTTP: listing, counting, reading, changing and retrying, with real workers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HttpKit } from '../kit/http-kit.ts'
import { LATER, name, RunsKit } from '../kit/http-runs-kit.ts'

const NOBODY = '01890000-0000-7000-8000-000000000000'
let http: HttpKit
let rival: string
let submit: RunsKit['submit']
let become: RunsKit['become']
let anUnknownRun: RunsKit['anUnknownRun']

beforeAll(async () => {
  const kit = await RunsKit.open()
  ;({ http, rival, submit, become, anUnknownRun } = kit)
})
afterAll(() => http.close())

describe('GET /runs', () => {
  test('lists matching runs in pages, each once', async () => {
    const queue = name('queue')
    const lines = Array.from({ length: 25 }, (_, i) =>
      JSON.stringify({ handler: 'nobody', queue, payload: i, labels: { user: `u${i % 5}` } }),
    )
    await http.post('/runs/bulk', undefined, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { status, body } = await http.get(`/runs?queue=${queue}&limit=10${at}`)
      expect(status).toBe(200)
      ids.push(...body.runs.map((run: { id: string }) => run.id))
      cursor = body.next_cursor
    }
    expect(new Set(ids).size).toBe(25)
    expect(ids).toHaveLength(25)
    const { body } = await http.get(
      `/runs?state=queued&state=running&queue=${queue}&label=user:u3&handler=nobody`,
    )
    expect(body.runs).toHaveLength(5)
    expect(body.runs[0]).toMatchObject({
      ...{ state: 'queued', handler: 'nobody', queue, labels: { user: 'u3' }, attempt: 0 },
      ...{ created_at: expect.any(String), finished_at: null, job: null, error: null },
    })
    expect(body.runs[0]).not.toHaveProperty('tenant_id')
  })

  test('filters by key, instants, running time and dead runs not retried', async () => {
    const queue = name('queue')
    const keyed = await submit({ handler: 'nobody', queue, key: name('key'), run_at: LATER })
    const { body: run } = await http.get(`/runs/${keyed}`)
    const found = async (query: string): Promise<string[]> => {
      const { body } = await http.get(`/runs?queue=${queue}&${query}`)
      return body.runs.map(({ id }: { id: string }) => id)
    }
    expect(await found(`key=${run.key}`)).toEqual([keyed])
    expect(await found('key=other')).toEqual([])
    expect(await found(`due_from=${LATER}`)).toEqual([keyed])
    expect(await found(`due_to=${LATER}`)).toEqual([])
    expect(await found(`created_from=${run.created_at}`)).toEqual([keyed])
    const waits = await submit({ handler: 'waits', queue })
    await become(waits, 'running')
    expect(await found('running_longer_than=0')).toEqual([waits])
    expect(await found('running_longer_than=1h')).toEqual([])
    const dead = await submit({ handler: 'dies', queue })
    await become(dead, 'dead')
    expect(await found('not_retried=true&finished_from=2020-01-01T00:00:00Z')).toEqual([dead])
    const [{ fingerprint }] = (await http.get(`/runs?queue=${queue}&state=dead`)).body.runs
    expect(await found(`fingerprint=${encodeURIComponent(fingerprint)}`)).toEqual([dead])
    await http.post(`/runs/${waits}/cancel`)
    await become(waits, 'cancelled')
  })

  test('counts runs by an attribute', async () => {
    const queue = name('queue')
    for (const user of ['ann', 'ann', 'bob'])
      await submit({ handler: 'nobody', queue, labels: { user } })
    const by = async (what: string) => (await http.get(`/runs/counts?queue=${queue}${what}`)).body
    expect(await by('')).toEqual({ count: 3, exact: true, groups: [{ name: 'queued', count: 3 }] })
    expect((await by('&by=label:user&state=queued')).groups).toEqual([
      { name: 'ann', count: 2 },
      { name: 'bob', count: 1 },
    ])
    expect((await by('&by=handler')).groups).toEqual([{ name: 'nobody', count: 3 }])
    const job = name('job')
    await http.post('/jobs', { name: job, schedule: '@yearly', handler: 'nobody', queue })
    await http.post(`/jobs/${job}/trigger`)
    expect((await by('&by=job')).groups).toContainEqual(
      expect.objectContaining({ name: job, count: 1 }),
    )
  })

  test.for([
    ['/runs?state=asleep', 'invalid_request', '/state/0'],
    ['/runs?limit=1001', 'invalid_request', '/limit'],
    ['/runs?colour=red', 'invalid_request', '/colour'],
    ['/runs?tenant_id=1', 'invalid_request', '/tenant_id'],
    ['/runs?created_from=yesterday', 'invalid_option', '/created_from'],
    ['/runs?running_longer_than=ages', 'invalid_option', '/running_longer_than'],
    ['/runs?running_longer_than=2mo', undefined, undefined],
    ['/runs?label=nothing', 'invalid_option', '/label'],
    ['/runs?cursor=AAAA', 'invalid_cursor', '/cursor'],
    ['/runs/counts?by=colour', 'invalid_option', '/by'],
    ['/runs/counts?by=label:', 'invalid_option', '/by'],
  ] as const)('refuses %s', async ([path, code, pointer]) => {
    const { status, body } = await http.get(path)
    expect([status, body.code]).toEqual([400, code ?? body.code])
    if (pointer) expect(body.pointer).toBe(pointer)
  })

  test('reports an unknown job', async () => {
    const { status, body } = await http.get('/runs?job=none-of-these')
    expect([status, body.code]).toEqual([404, 'job_not_found'])
  })
})

describe('a run', () => {
  test('is returned with its attempts, output and log', async () => {
    const id = await submit({ handler: 'fine', payload: { lines: 3 } })
    await become(id, 'succeeded')
    const { body } = await http.get(`/runs/${id}`)
    expect(body).toMatchObject({
      ...{ id, state: 'succeeded', handler: 'fine', payload: { lines: 3 } },
      ...{ output: { camelCase: 3 }, possible_duplicate: false, created_by: 'acme-admin' },
      attempts: [{ attempt: 1, outcome: 'succeeded', error: null, ended_at: expect.any(String) }],
    })
    expect(body).not.toHaveProperty('tenant_id')
    expect((await http.get(`/runs/${id}/output`)).body).toEqual({
      ...{ id, state: 'succeeded', output: { camelCase: 3 } },
    })
    const log = await http.get(`/runs/${id}/logs`)
    expect(log.body.lines.map(({ message }: { message: string }) => message)).toEqual([
      ...['line 0', 'line 1', 'line 2'],
    ])
    expect(log.body).toMatchObject({ next: null, lines: [{ attempt: 1, data: { i: 0 } }, {}, {}] })
    const first = await http.get(`/runs/${id}/logs?limit=2`)
    expect(first.body.lines).toHaveLength(2)
    const rest = await http.get(`/runs/${id}/logs?limit=2&after=${first.body.next}`)
    expect(rest.body).toMatchObject({ next: null, lines: [{ message: 'line 2' }] })
    const last = await http.get(`/runs/${id}/logs?last=1`)
    expect(last.body.lines).toMatchObject([{ message: 'line 2' }])
  })

  test('is explained while it is not running', async () => {
    const later = await submit({ handler: 'nobody', run_at: LATER })
    expect((await http.get(`/runs/${later}/explain`)).body).toMatchObject({
      ...{ id: later, running: false },
      reasons: [{ code: 'not_due', until: '2035-01-01T00:00:00.000Z' }, {}],
    })
    const now = await submit({ handler: 'nobody' })
    expect((await http.get(`/runs/${now}/explain`)).body).toMatchObject({
      reasons: [{ code: 'no_worker', handler: 'nobody', detail: expect.any(String) }],
    })
    const done = await submit({ handler: 'fine', payload: {} })
    await become(done, 'succeeded')
    expect((await http.get(`/runs/${done}/explain`)).body).toMatchObject({
      ...{ running: false, reasons: [{ code: 'ended', state: 'succeeded' }] },
    })
  })

  test('is rescheduled, edited, promoted and cancelled', async () => {
    const id = await submit({ handler: 'nobody', run_at: LATER, payload: 1 })
    const moved = await http.post(`/runs/${id}/reschedule`, { run_at: '2036-01-01T00:00:00Z' })
    expect([moved.status, moved.body]).toEqual([
      ...[200, { id, result: 'rescheduled', state: 'scheduled' }],
    ])
    expect((await http.post(`/runs/${id}/priority`, { priority: 9 })).status).toBe(200)
    expect((await http.call('PATCH', `/runs/${id}`, { payload: { b: 2 } })).status).toBe(200)
    expect((await http.get(`/runs/${id}`)).body).toMatchObject({
      ...{ next_at: '2036-01-01T00:00:00.000Z', priority: 9, payload: { b: 2 } },
    })
    const promoted = await http.post(`/runs/${id}/promote`)
    expect(promoted.body).toEqual({ id, result: 'promoted', state: 'queued' })
    expect((await http.post(`/runs/${id}/promote`)).body.result).toBe('already_due')
    const cancelled = await http.post(`/runs/${id}/cancel`, { reason: 'not wanted' })
    expect(cancelled.body).toEqual({ id, result: 'cancelled', state: 'cancelled' })
    expect((await http.post(`/runs/${id}/cancel`)).status).toBe(200)
    expect((await http.get(`/runs/${id}`)).body.reason).toBe('not wanted')
  })

  test('cannot be changed once it has ended, and the error names what is possible', async () => {
    const id = await submit({ handler: 'fine', payload: {} })
    await become(id, 'succeeded')
    for (const [path, body] of [
      ['cancel', {}],
      ['reschedule', { run_at: LATER }],
      ['promote', {}],
      ['priority', { priority: 1 }],
    ] as const) {
      const answer = await http.post(`/runs/${id}/${path}`, body)
      expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'already_finished'])
    }
    const edited = await http.call('PATCH', `/runs/${id}`, { payload: 1 })
    expect([edited.status, edited.body.code]).toEqual([409, 'already_finished'])
    const retried = await http.post(`/runs/${id}/retry`)
    expect([retried.status, retried.body.code]).toEqual([409, 'state_conflict'])
    expect(retried.body.detail).toContain('POST /v1/runs')
  })

  test('can only be cancelled while it is running', async () => {
    const id = await submit({ handler: 'waits' })
    await become(id, 'running')
    const late = await http.post(`/runs/${id}/reschedule`, { run_at: LATER })
    expect([late.status, late.body.code]).toEqual([409, 'state_conflict'])
    expect(late.body.detail).toContain('It can be cancelled')
    const edited = await http.call('PATCH', `/runs/${id}`, { payload: 1 })
    expect([edited.status, edited.body.code]).toEqual([409, 'state_conflict'])
    const { body } = await http.post(`/runs/${id}/cancel`)
    expect(['cancelling', 'cancelled']).toContain(body.state)
    await become(id, 'cancelled')
  })

  test('is retried once with another payload when it is dead', async () => {
    const id = await submit({ handler: 'dies', payload: 1 })
    await become(id, 'dead')
    const again = await http.post(`/runs/${id}/retry`, { payload: { fixed: true }, note: 'fixed' })
    expect([again.status, again.body]).toEqual([201, { id, run_id: expect.any(String) }])
    const { body } = await http.get(`/runs/${again.body.run_id}`)
    expect(body).toMatchObject({ replay_of: id, payload: { fixed: true } })
    expect((await http.get(`/runs/${id}`)).body.replayed_as).toBe(again.body.run_id)
    const twice = await http.post(`/runs/${id}/retry`)
    expect([twice.status, twice.body.code]).toEqual([409, 'already_handled'])
    expect(twice.body.detail).toContain(again.body.run_id)
  })

  test('is retried once by concurrent requests', async () => {
    const id = await submit({ handler: 'dies' })
    await become(id, 'dead')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => http.post(`/runs/${id}/retry`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })

  test('is retried or resolved once when it is unknown', async () => {
    const again = await anUnknownRun('fine')
    const retried = await http.post(`/runs/${again}/retry`, { note: 'harmless' })
    expect([retried.status, retried.body]).toEqual([201, { id: again, run_id: expect.any(String) }])
    const id = await anUnknownRun('fine')
    const said = await http.post(`/runs/${id}/resolve`, { as: 'succeeded', note: 'I looked' })
    expect([said.status, said.body]).toEqual([200, { id, as: 'succeeded', run_id: null }])
    expect((await http.get(`/runs/${id}`)).body).toMatchObject({
      ...{ state: 'succeeded', resolved: { as: 'succeeded', by: 'acme-admin', note: 'I looked' } },
    })
    const twice = await http.post(`/runs/${id}/resolve`, { as: 'failed' })
    expect([twice.status, twice.body.code]).toEqual([409, 'already_handled'])
    const never = await submit({ handler: 'nobody' })
    const early = await http.post(`/runs/${never}/resolve`, { as: 'failed' })
    expect([early.status, early.body.code]).toEqual([409, 'state_conflict'])
  })

  test.for([
    ['GET', '', undefined],
    ['GET', '/output', undefined],
    ['GET', '/logs', undefined],
    ['GET', '/explain', undefined],
    ['POST', '/cancel', {}],
    ['POST', '/retry', {}],
    ['POST', '/reschedule', { run_at: LATER }],
    ['POST', '/promote', undefined],
    ['POST', '/priority', { priority: 1 }],
    ['POST', '/resolve', { as: 'succeeded' }],
    ['PATCH', '', { payload: 1 }],
  ] as const)('does not exist for another tenant: %s /runs/:id%s', async ([method, path, body]) => {
    const id = await submit({ handler: 'nobody', run_at: LATER })
    const stranger = await http.call(method, `/runs/${id}${path}`, body, { key: rival })
    const nobody = await http.call(method, `/runs/${NOBODY}${path}`, body, { key: rival })
    expect([stranger.status, stranger.body.code]).toEqual([404, 'run_not_found'])
    expect([nobody.status, nobody.body.code]).toEqual([404, 'run_not_found'])
    expect((await http.get(`/runs/${id}`)).body).toMatchObject({ state: 'scheduled', priority: 5 })
    const odd = await http.call(method, `/runs/${encodeURIComponent("1' or 1=1")}${path}`, body)
    expect([odd.status, odd.body.code]).toEqual([400, 'invalid_option'])
  })

  test.for([
    ['/cancel', { reason: '' }, '/reason'],
    ['/cancel', { reason: 'a\u0007b' }, '/reason'],
    ['/cancel', { why: 'x' }, '/why'],
    ['/reschedule', {}, '/run_at'],
    ['/reschedule', { run_at: 'soon' }, '/run_at'],
    ['/reschedule', { run_at: '9999999-01-01T00:00:00Z' }, '/run_at'],
    ['/priority', { priority: 11 }, '/priority'],
    ['/priority', { priority: '9' }, '/priority'],
    ['/resolve', { as: 'done' }, '/as'],
    ['/retry', { from_checkpoint: 'yes' }, '/from_checkpoint'],
  ] as const)('refuses %s with %j', async ([path, body, pointer]) => {
    const id = await submit({ handler: 'nobody', run_at: LATER })
    const answer = await http.post(`/runs/${id}${path}`, body)
    expect([answer.status, answer.body.pointer]).toEqual([400, pointer])
  })

  test('is changed only by keys with the scope', async () => {
    const id = await submit({ handler: 'nobody', run_at: LATER })
    const reader = await http.keyFor('acme', 'read')
    const submitter = await http.keyFor('acme', 'submit')
    expect((await http.get(`/runs/${id}`, { key: reader })).status).toBe(200)
    expect((await http.get(`/runs/${id}`, { key: submitter })).status).toBe(403)
    expect((await http.post(`/runs/${id}/cancel`, {}, { key: reader })).status).toBe(403)
    expect((await http.post('/runs/cancel', { all: true }, { key: submitter })).status).toBe(403)
  })

  test('is retried once under one idempotency key', async () => {
    const id = await submit({ handler: 'dies' })
    await become(id, 'dead')
    const headers = { 'idempotency-key': name('retry') }
    const first = await http.post(`/runs/${id}/retry`, {}, { headers })
    const again = await http.post(`/runs/${id}/retry`, {}, { headers })
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })
})

/** Problems point to the member that was sent, in the names of the request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit
beforeAll(async () => {
  http = await HttpKit.open({ roles: [] })
})
afterAll(() => http.close())

const debounce = { handler: 'x', key: 'k', on_conflict: 'debounce' }
const daily = { name: 'x', schedule: '0 9 * * *' }

const refused = [
  ['/runs', { ...debounce, window: '99d' }, '/window'],
  ['/runs', { ...debounce, window: '1h', max_wait: '1s' }, '/max_wait'],
  ['/runs', { handler: 'x', labels: { a: 'x'.repeat(5_000) } }, '/labels/a'],
  ['/runs', { handler: 'x', labels: { 'a.b/c~d': 'x'.repeat(5_000) } }, '/labels/a.b~1c~0d'],
  ['/runs', { handler: 'x', delay: '1 fortnight' }, '/delay'],
  ['/runs', { handler: 'x', run_at: 'tomorrow' }, '/run_at'],
  ['/runs', { handler: 'a\tb' }, '/handler'],
  [
    ...[
      '/runs',
      { handler: 'x', run_at: '2035-01-01T00:00:00Z', expires_at: '2034-01-01T00:00:00Z' },
    ],
    '/expires_at',
  ],
  [
    ...['/runs', { handler: 'x', retry_policy: { backoff: { kind: 'exponential', base_ms: -1 } } }],
    '/retry_policy/backoff/base_ms',
  ],
  ['/jobs', { name: 'x', schedule: '61 * * * *' }, '/schedule'],
  ['/jobs', { name: 'x', schedule: 'every 0s' }, '/schedule'],
  ['/jobs', { name: 'x', schedule: '0 0 30 2 *' }, '/schedule'],
  ['/jobs', { name: 'x', every_after_end: '1 fortnight' }, '/every_after_end'],
  ['/jobs', { name: 'x', delay: '1 fortnight' }, '/delay'],
  ['/jobs', { name: 'x', run_at: 'tomorrow' }, '/run_at'],
  ['/jobs', { name: 'a\tb', schedule: '@daily' }, '/name'],
  ['/jobs', { ...daily, handler: 'a\tb' }, '/handler'],
  ['/jobs', { ...daily, timezone: 'Mars/X' }, '/timezone'],
  ['/jobs', { ...daily, misfire: { max_age_ms: -1 } }, '/misfire/max_age_ms'],
] as unknown as readonly (readonly [string, object, string])[]

describe('a problem', () => {
  test.for(refused)('of %s with %j has the pointer %s', async ([path, body, pointer]) => {
    const { status, body: problem } = await http.post(path, body)
    expect([status, problem.pointer]).toEqual([400, pointer])
    const [field] = pointer.slice(1).split('/')
    expect(problem.field.split('.')[0]).toBe(field)
    expect(problem.detail).not.toMatch(/^Item|maxWait|expiresAt/)
  })

  test.for(refused)('of a line of %s/bulk with %j names the line and %s', async (example) => {
    const [path, body, pointer] = example
    const fine = path === '/runs' ? { handler: 'fine' } : { name: 'fine', schedule: '@daily' }
    for (const mode of ['all', 'each']) {
      const answer = await http.post(`${path}/bulk?mode=${mode}`, undefined, {
        raw: [fine, body].map((line) => JSON.stringify(line)).join('\n'),
        headers: { 'content-type': 'application/x-ndjson' },
      })
      const problem = mode === 'all' ? answer.body : answer.body.items[1].problem
      // A job that never fires is only refused when it is written, by its name.
      const place =
        problem.code === 'never_fires' && mode === 'all' ? problem.pointer : `/1${pointer}`
      expect([mode, problem.pointer]).toEqual([mode, place])
    }
  })

  test('of a line that is not JSON names the line', async () => {
    for (const mode of ['all', 'each'])
      for (const path of ['/runs', '/jobs']) {
        const answer = await http.post(`${path}/bulk?mode=${mode}`, undefined, {
          raw: `{"${path === '/runs' ? 'handler' : 'name'}":"x"}\n{"handler":\n`,
          headers: { 'content-type': 'application/x-ndjson' },
        })
        const problem = mode === 'all' ? answer.body : answer.body.items[1].problem
        expect([problem.field, problem.pointer]).toEqual(['[1]', '/1'])
      }
  })

  test('of a change of a job points to the member sent', async () => {
    await http.call('PUT', '/jobs/changed', { schedule: '@daily' })
    for (const method of ['PUT', 'PATCH']) {
      const { body } = await http.call(method, '/jobs/changed', { schedule: '61 * * * *' })
      expect([method, body.pointer]).toEqual([method, '/schedule'])
    }
  })
})

test('an exceeded quota is reported with its name, its limit and its use', async () => {
  await http.punctual.tenants.create({
    ...{ name: 'small', quotas: { payloadBytes: 5, jobs: 0, timeoutMs: 1_000 } },
  })
  const key = await http.keyFor('small', 'admin')
  const large = await http.post('/runs', { handler: 'x', payload: '12345' }, { key })
  expect(large.body).toMatchObject({
    ...{ code: 'quota_exceeded', pointer: '/payload' },
    quota: { name: 'payload_bytes', limit: 5, used: 7 },
  })
  expect(large.body.detail).toContain('The quota payload_bytes of the tenant is 5')
  const slow = await http.post('/runs', { handler: 'x', timeout_seconds: 2 }, { key })
  expect(slow.body).toMatchObject({
    ...{ pointer: '/timeout_seconds', quota: { name: 'timeout_ms', limit: 1_000, used: 2_000 } },
  })
  const job = await http.post('/jobs', { name: 'x', timeout_ms: 500 }, { key })
  expect(job.body.quota).toEqual({ name: 'jobs', limit: 0, used: 1 })
})

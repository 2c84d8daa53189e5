/** Secrets for workers over HTTP: only for runs that they hold. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RemoteWorker } from '../../src/index.ts'
import { HttpKit } from '../kit/http-kit.ts'

const VALUE = 'correct horse battery staple'
let http: HttpKit
let workerKey: string

beforeAll(async () => {
  http = await HttpKit.open({ roles: [], secretsKey: randomBytes(32).toString('base64') })
  workerKey = await http.keyFor('acme', 'worker')
  expect((await http.call('PUT', '/secrets/token', { value: VALUE })).status).toBeLessThan(300)
})
afterAll(() => http.close())

async function open(handler: string, options: object = { key: workerKey }): Promise<string> {
  const announced = { host: 'h', handlers: [handler], capacity: 2, lease_ms: 30_000 }
  return (await http.post('/worker-sessions', announced, options)).body.id as string
}

async function claim(session: string, options: object = { key: workerKey }) {
  const { body } = await http.post(`/worker-sessions/${session}/claim`, { limit: 1 }, options)
  const { run_id, fence } = body.runs[0]
  return { run_id, fence } as { run_id: string; fence: string }
}

function read(session: string, run: object, name = 'token', options: object = { key: workerKey }) {
  return http.post(`/worker-sessions/${session}/secret`, { ...run, name }, options)
}

test('a handler over HTTP reads a secret, which is redacted wherever the run is stored', async () => {
  const worker = RemoteWorker.start({ server: http.url, apiKey: workerKey })
  let seen = ''
  worker.handler('login', async (_, ctx) => {
    seen = await ctx.secret('token')
    ctx.log.info(`logging in with ${seen}`)
    ctx.progress({ seen })
    const missing = await ctx.secret('none').catch((error: { code: string }) => error.code)
    return { used: seen, missing }
  })
  const { id } = (await http.post('/runs', { handler: 'login' })).body
  const { runs } = http.punctual.tenant(2)
  const run = await runs.waitFor(id)
  await worker.stop()
  expect(seen).toBe(VALUE)
  expect(run).toMatchObject({
    ...{ state: 'succeeded', output: { used: '[redacted]', missing: 'secret_not_found' } },
  })
  const lines = await runs.logs(id)
  expect(lines.map(({ message }) => message)).toEqual(['logging in with [redacted]'])
})

test('a secret is returned only for a run that the session holds, and is not cached', async () => {
  const session = await open('mine')
  await http.post('/runs', { handler: 'mine' })
  const run = await claim(session)
  const reply = await read(session, run)
  expect([reply.status, reply.body]).toEqual([200, { name: 'token', value: VALUE }])
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const wrong = await read(session, { ...run, fence: '1' })
  expect([wrong.status, wrong.body.code]).toEqual([409, 'lease_lost'])
  const another = await read(await open('mine'), run)
  expect([another.status, another.body.code]).toEqual([409, 'lease_lost'])
  const rival = await http.keyFor('rival', 'worker')
  expect((await read(session, run, 'token', { key: rival })).body.code).toBe('session_not_found')
  const headers = { 'x-forwarded-for': '10.0.0.7' }
  const overheard = await read(session, run, 'token', { key: workerKey, headers })
  expect([overheard.status, overheard.body.code]).toEqual([403, 'insecure_connection'])
  const outcomes = [{ ...run, outcome: 'succeeded' }]
  await http.post(`/worker-sessions/${session}/settle`, { outcomes }, { key: workerKey })
  expect((await read(session, run)).body.code).toBe('lease_lost')
})

test('a session that serves all tenants gets no secrets', async () => {
  const options = { key: http.system }
  const session = await open('shared', options)
  await http.post('/runs', { handler: 'shared' })
  const run = await claim(session, options)
  const refused = await read(session, run, 'token', options)
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
})

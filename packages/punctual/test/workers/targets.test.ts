/** Runs with HTTP targets: a real worker, a real database and a real server. */
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FinishedRun } from '@punctual/core/run'
import type { HttpTarget } from '@punctual/core/target'
import { migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Punctual, type SubmitCallOptions } from '../../src/index.ts'

let database: TestDatabase
let punctual: Punctual
let server: Server
let url: string
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void
const seen: { headers: IncomingMessage['headers']; body: string }[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push({ headers: request.headers, body })
      answer(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  database = await migratedDatabase()
  punctual = await Punctual.start({
    databaseUrl: database.url,
    secretsKey: randomBytes(32).toString('base64'),
    worker: { targets: ['handler', 'http'], egressAllow: ['localhost:*'] },
    callbackUrl: 'https://punctual.test',
  })
})
afterAll(async () => {
  await punctual?.stop({ drainMs: 0 })
  await database?.drop()
  server?.closeAllConnections()
  server?.close()
})

async function perform(
  target: Partial<HttpTarget>,
  payload: unknown = null,
  options: SubmitCallOptions = {},
): Promise<FinishedRun> {
  seen.length = 0
  const { id } = await punctual.submit({ kind: 'http', url, ...target }, payload, options)
  return punctual.runs.waitFor(id, { timeoutMs: 20_000 })
}
const at = (status: number, headers = {}, body = '') => {
  answer = (_, response) => response.writeHead(status, headers).end(body)
}

test('a run with an http target sends its payload and keeps the answer', async () => {
  at(200, { 'content-type': 'application/json' }, '{"ok":true}')
  const run = await perform({}, { id: 7 })
  expect(run).toMatchObject({
    ...{ state: 'succeeded', handler: '@http', target: { kind: 'http', url } },
    output: { status: 200, body: { ok: true } },
  })
  expect(seen).toMatchObject([{ headers: { 'idempotency-key': run.id }, body: '{"id":7}' }])
})

test('a failure that may pass is retried under the same key, after the time that it named', async () => {
  answer = (_, response) => {
    if (seen.length === 1) response.writeHead(503, { 'retry-after': '0' }).end()
    else response.end()
  }
  const run = await perform({ url: `${url}?try={{run.attempt}}` })
  expect(run.state).toBe('succeeded')
  expect(run.attempts).toMatchObject([{ outcome: 'failed', error: { code: 'http_503' } }, {}])
  expect(await punctual.runs.logs(run.id)).toMatchObject([
    { attempt: 1, level: 'warn', message: expect.stringContaining('answered 503') },
  ])
  expect(new Set(seen.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([run.id]))
  expect(new Set(seen.map(({ headers }) => headers['punctual-fence'])).size).toBe(2)
})

test('a failure that will not pass makes the run dead at once', async () => {
  at(422, {}, 'no such customer')
  expect(await perform({})).toMatchObject({
    ...{ state: 'dead', reason: 'non_retryable' },
    error: { code: 'http_422', message: expect.stringContaining('no such customer') },
  })
  expect(await perform({ url: `${url}{{payload.id}}` }, {})).toMatchObject({
    ...{ state: 'dead', reason: 'non_retryable', error: { code: 'template_field_missing' } },
  })
})

test('a request without an answer is sent once when it is delivered at most once', async () => {
  answer = (request) => request.socket.destroy()
  expect(await perform({}, null, { delivery: 'at-most-once' })).toMatchObject({
    ...{ state: 'unknown', error: { code: 'outcome_unknown' } },
  })
  expect(seen).toHaveLength(1)
})

test('a request is given up at the timeout of the run and when the run is cancelled', async () => {
  answer = () => undefined
  const late = await perform({}, null, { timeoutMs: 100, maxAttempts: 1 })
  expect(late.attempts).toMatchObject([{ outcome: 'timed_out' }])
  seen.length = 0
  const { id } = await punctual.submit({ kind: 'http', url }, null)
  await expect.poll(() => seen.length).toBe(1)
  await punctual.runs.cancel(id)
  expect((await punctual.runs.waitFor(id)).state).toBe('cancelled')
})

test('a signed request is valid for each of two keys, and shows neither', async () => {
  at(200)
  const keys = { new: randomBytes(32).toString('base64'), old: randomBytes(32).toString('base64') }
  await punctual.secrets.set('new', `whsec_${keys.new}`)
  await punctual.secrets.set('old', `whsec_${keys.old}`)
  const run = await perform({ signingSecrets: ['new', 'old'] }, { id: 7 })
  const [{ headers, body } = { headers: {}, body: '' }] = seen
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const signatures = Object.values(keys).map((key) => {
    const hmac = createHmac('sha256', Buffer.from(key, 'base64')).update(signed)
    return `v1,${hmac.digest('base64')}`
  })
  expect(headers['webhook-signature']).toBe(signatures.join(' '))
  expect(JSON.stringify([run, await punctual.runs.logs(run.id)])).not.toContain(keys.new)
})

test('a secret that the target echoes is in no output', async () => {
  await punctual.secrets.set('token', 'correct-horse-battery')
  answer = ({ headers }, response) => response.end(`you sent ${headers.authorization}`)
  const run = await perform({ headers: { Authorization: 'Bearer {{secret.token}}' } })
  expect(seen[0]?.headers.authorization).toBe('Bearer correct-horse-battery')
  expect(JSON.stringify(run.output)).not.toContain('correct-horse-battery')
})

test('a job with a target runs on its slots', async () => {
  at(204)
  seen.length = 0
  const target = { kind: 'http', url, body: { job: '{{job.id}}', slot: '{{run.slot}}' } } as const
  const { id } = await punctual.jobs.upsert({ name: 'ping', every: '1s', target })
  await expect.poll(() => seen.length).toBeGreaterThan(1)
  await punctual.jobs.delete('ping')
  const slots = seen.map(({ body }) => JSON.parse(body))
  expect(slots[0]).toEqual({ job: id, slot: expect.stringMatching(/T.*Z$/) })
  expect(new Set(slots.map(({ slot }) => slot)).size).toBe(slots.length)
})

test('a 202 leaves the run to its target, which gets the address and the token of its report', async () => {
  at(202)
  seen.length = 0
  const { id } = await punctual.submit({ kind: 'http', url, awaitMs: 60_000 }, { rows: 3 })
  await expect.poll(async () => (await punctual.runs.get(id))?.state).toBe('awaiting')
  const headers = seen[0]?.headers ?? {}
  expect(headers['punctual-callback-url']).toBe(`https://punctual.test/v1/runs/${id}`)
  const token = String(headers['punctual-callback-token'])
  expect(await punctual.store.callbackTokens.read(token)).toEqual({
    ...{ tenantId: 1, runId: id, attempt: 1 },
  })
  await punctual.awaiting.complete(id, { done: true })
  expect(await punctual.runs.get(id)).toMatchObject({ state: 'succeeded', output: { done: true } })
  expect(seen).toHaveLength(1)
})

test('a 202 is a success when no report is awaited, and carries no token', async () => {
  at(202)
  expect(await perform({})).toMatchObject({ state: 'succeeded', output: { status: 202 } })
  expect(seen[0]?.headers['punctual-callback-token']).toBeUndefined()
})

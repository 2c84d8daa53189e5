/** What /metrics shows to callers without the token: nothing that names a queue or a handler. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit, METRICS_TOKEN } from '../kit/http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker'] })
  http.punctual.handler('secret_handler', async () => 1)
  const tenant = http.punctual.tenant(2)
  const { id } = await tenant.submit('secret_handler', null, { queue: 'secret_queue' })
  await tenant.runs.waitFor(id)
  await tenant.queues.pause('secret_paused')
})
afterAll(() => http.close())

const scrape = (key: string | null) => http.get(`${http.url}/metrics`, { key })

test('with the token, metrics name queues', async () => {
  const { status, body } = await scrape(METRICS_TOKEN)
  expect(status).toBe(200)
  expect(body).toContain('punctual_attempts_total{queue="secret_queue",outcome="succeeded"} 1')
  expect(body).toMatch(/^punctual_up 1$/m)
})

test('without the token, no label names a queue or a handler', async () => {
  const { status, body } = await scrape(null)
  expect(status).toBe(200)
  expect(body).toMatch(/^punctual_up 1$/m)
  expect(body).toMatch(/^punctual_workers\{state="active"\} \d+$/m)
  expect(body).not.toContain('secret')
  expect(body).not.toMatch(/(queue|handler)="/)
})

test('no API key is a token', async () => {
  for (const key of [http.admin, http.system])
    expect(await scrape(key)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
})

import { gate } from '@punctual/testkit'
import { NonRetryableError } from 'punctual'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

let http: HttpKit

beforeAll(async () => {
  http = await HttpKit.open()
})
afterAll(() => http.close())

const statusOf = async (id: string) => (await http.get(`/jobs/${id}`)).body.status

test('a one-time job that has ended shows its result, and cannot be cancelled', async () => {
  http.punctual.handler('quick', async () => ({ sent: 3 }))
  const { body } = await http.post('/jobs', { name: 'quick_once', handler: 'quick' })
  await expect.poll(() => statusOf(body.id)).toBe('completed')
  expect((await http.get(`/jobs/${body.id}`)).body).toMatchObject({
    attempt_number: 1,
    execution_time_ms: expect.any(Number),
    completed_at: expect.stringMatching(/Z$/),
    latest_run_id: expect.any(String),
  })
  const gone = await http.call('DELETE', `/jobs/${body.id}`)
  expect([gone.status, gone.body.code]).toEqual([409, 'already_finished'])
})

test('a one-time job whose run dies has the status dead_letter', async () => {
  http.punctual.handler('doomed', async () => {
    throw new NonRetryableError('no')
  })
  const { body } = await http.post('/jobs', { name: 'doomed_once', handler: 'doomed' })
  await expect.poll(() => statusOf(body.id)).toBe('dead_letter')
})

test('deleting a job cancels its running run, unless running is finish', async () => {
  const started = { cancelled: gate(), finishing: gate() }
  const ended: string[] = []
  const letFinish = gate()
  http.punctual.handler('slow', async (payload: 'cancelled' | 'finishing', ctx) => {
    started[payload].open()
    if (payload === 'finishing') await letFinish.opened
    else await new Promise<void>((done) => ctx.signal.addEventListener('abort', () => done()))
    ended.push(payload)
  })
  for (const payload of ['cancelled', 'finishing'] as const) {
    const { body } = await http.post('/jobs', { name: `slow_${payload}`, handler: 'slow', payload })
    await started[payload].opened
    expect(await statusOf(body.id)).toBe('running')
    const query = payload === 'finishing' ? '?running=finish' : ''
    const gone = await http.call('DELETE', `/jobs/${body.id}${query}`)
    expect([gone.status, gone.body.status]).toEqual([200, 'cancelled'])
  }
  await expect.poll(() => ended).toEqual(['cancelled'])
  letFinish.open()
  await expect.poll(() => ended).toEqual(['cancelled', 'finishing'])
})

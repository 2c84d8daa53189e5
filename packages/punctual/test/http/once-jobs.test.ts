/** One-time jobs over HTTP: the names of ended ones are free. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HttpKit } from '../kit/http-kit.ts'
import { LATER, name, RunsKit } from '../kit/http-runs-kit.ts'

let http: HttpKit
beforeAll(async () => {
  ;({ http } = await RunsKit.open())
})
afterAll(() => http.close())

/** Creates a one-time job and waits until it has this status. */
async function ran(handler: string, status: string): Promise<{ name: string; id: string }> {
  const job = name('once')
  const { body } = await http.post('/jobs', { name: job, handler, payload: {} })
  await expect
    .poll(async () => (await http.get(`/jobs/${body.id}`)).body.status, { timeout: 20_000 })
    .toBe(status)
  return { name: job, id: body.id }
}

test.for([
  ['fine', 'completed'],
  ['dies', 'dead_letter'],
] as const)(
  'a new job takes the name of an ended one (handler %s, status %s), whose runs are kept',
  async ([handler, status]) => {
    const old = await ran(handler, status)
    const { latest_run_id: run } = (await http.get(`/jobs/${old.id}`)).body
    expect((await http.call('DELETE', `/jobs/${old.name}`)).body.code).toBe('already_finished')
    const next = await http.post('/jobs', { name: old.name, handler: 'fine', run_at: LATER })
    expect([next.status, next.body]).toMatchObject([
      201,
      { change: 'created', status: 'scheduled' },
    ])
    expect(next.body.id).not.toBe(old.id)
    expect((await http.get(`/jobs/${old.id}`)).status).toBe(404)
    expect((await http.get(`/runs?job=${old.id}`)).body.runs).toMatchObject([{ id: run }])
    const log = await http.get(`/audit?target=${encodeURIComponent(old.name)}`)
    const actions = log.body.entries.map(({ action }: { action: string }) => action)
    expect(actions.sort()).toEqual(['job.create', 'job.create', 'job.delete'])
  },
)

test('the name of a running or scheduled one-time job is in use', async () => {
  const running = name('once')
  await http.post('/jobs', { name: running, handler: 'waits' })
  await expect
    .poll(async () => (await http.get(`/jobs/${running}`)).body.status, { timeout: 20_000 })
    .toBe('running')
  const ahead = name('once')
  await http.post('/jobs', { name: ahead, handler: 'fine', run_at: LATER })
  for (const taken of [running, ahead]) {
    const { status, body } = await http.post('/jobs', { name: taken, handler: 'fine' })
    expect([status, body.code]).toEqual([409, 'job_exists'])
  }
  expect((await http.call('DELETE', `/jobs/${running}`)).status).toBe(200)
})

test('one of several requests gets the name of an ended job', async () => {
  const old = await ran('fine', 'completed')
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      http.post('/jobs', { name: old.name, handler: 'fine', run_at: LATER }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
})

test('an ended one-time job does not count against the quota', async () => {
  await http.punctual.tenants.create({ name: 'small', quotas: { jobs: 1 } })
  const key = await http.keyFor('small', 'admin')
  for (const job of ['a', 'b', 'c']) {
    const made = await http.post('/jobs', { name: job, handler: 'nobody' }, { key })
    expect(made.status).toBe(201)
    await expect
      .poll(async () => (await http.get(`/jobs/${job}`, { key })).body.status, { timeout: 20_000 })
      .toBe('queued')
  }
  const ahead = { handler: 'nobody', run_at: LATER }
  expect((await http.post('/jobs', { name: 'd', ...ahead }, { key })).status).toBe(201)
  const beyond = await http.post('/jobs', { name: 'e', ...ahead }, { key })
  expect(beyond.body.code).toBe('quota_exceeded')
})

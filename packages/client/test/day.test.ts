/** A tenant's day through the client only; the library runs only the installation's worker. */
import { type Gate, gate } from '@punctual/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HttpKit } from '../../punctual/test/kit/http-kit.ts'
import { type Client, createClient, PunctualBulkError, PunctualHttpError } from '../src/index.ts'

let kit: HttpKit
let client: Client
let fileExists: boolean
let release: Gate

beforeAll(async () => {
  kit = await HttpKit.open({ planAheadMs: 10_000 })
  client = createClient({ url: kit.url, apiKey: kit.admin, retryDelayMs: 1 })
  fileExists = false
  release = gate()
  const { punctual } = kit
  punctual.handler('send', async (payload, ctx) => {
    ctx.log.info('sending', { payload })
    return { sent: payload }
  })
  punctual.handler('import', async () => {
    if (!fileExists) throw new Error('the file is missing')
    return 'imported'
  })
  punctual.handler('report', async (_, ctx) => {
    ctx.log.info('begun')
    await release.opened
    ctx.log.info('ended')
  })
  punctual.handler(
    'endless',
    (_, ctx) =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      }),
  )
})
afterAll(() => kit.close())

test('jobs are created, changed, previewed, and listed in pages', async () => {
  const made = await client.jobs.create({
    ...{ name: 'nightly', handler: 'send', schedule: '0 2 * * *', timezone: 'Europe/Berlin' },
    labels: { team: 'sales' },
  })
  expect(made).toMatchObject({ name: 'nightly', status: 'scheduled', change: 'created' })
  const again = client.jobs.create({ name: 'nightly', schedule: '0 3 * * *' })
  await expect(again).rejects.toMatchObject({ status: 409, code: 'job_exists', field: 'name' })
  const { version } = await client.jobs.get('nightly')
  await client.jobs.change('nightly', { priority: 8 }, { version })
  const late = client.jobs.change('nightly', { priority: 9 }, { version })
  await expect(late).rejects.toMatchObject({ status: 412, code: 'version_changed' })
  expect(await client.jobs.preview('nightly', { count: 3 })).toHaveLength(3)
  const names = Array.from({ length: 25 }, (_, n) => `tenth-${String(n).padStart(2, '0')}`)
  const many = names.map((name) => ({ name, handler: 'send', schedule: '0 3 * * *' }))
  expect(await client.jobs.upsertMany(many)).toMatchObject({ accepted: 25, refused: 0 })
  const found: string[] = []
  for await (const { name } of client.jobs.list({ name: 'tenth-', limit: 10 })) found.push(name)
  expect(found).toEqual(names)
  expect(await client.jobs.list({ label: 'team:sales' }).all()).toMatchObject([{ name: 'nightly' }])
})

test('an invalid field is reported with a code and a request id', async () => {
  const error = await client.jobs
    .create({ name: 'bad', schedule: '61 * * * *' })
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PunctualHttpError)
  expect(error).toMatchObject({ status: 400, code: 'invalid_schedule' })
  expect((error as PunctualHttpError).requestId).toMatch(/\S/)
})

test('a run is submitted and ends, and its output, log and counts are read', async () => {
  const { id } = await client.runs.submit({ handler: 'send', payload: { to: 'a@b.c' } })
  const run = await client.runs.waitFor(id)
  expect(run).toMatchObject({ state: 'succeeded', attempts: [{ outcome: 'succeeded' }] })
  expect((await client.runs.output(id)).output).toEqual({ sent: { to: 'a@b.c' } })
  const lines = []
  for await (const { message } of client.runs.logs(id)) lines.push(message)
  expect(lines).toEqual(['sending'])
  const { run_id } = await client.jobs.trigger('nightly', { payload: 'now' })
  await client.runs.waitFor(run_id)
  expect((await client.jobs.get('nightly')).latest_run_id).toBe(run_id)
  const items = Array.from({ length: 50 }, (_, n) => ({
    ...{ handler: 'send', queue: 'day', payload: n },
  }))
  const { items: submitted } = await client.runs.submitMany(items, { itemsPerRequest: 20 })
  await Promise.all(submitted.map((item) => client.runs.waitFor(item.id as string)))
  const counted = await client.runs.counts({ queue: 'day', by: 'state' })
  expect(counted.groups).toEqual([expect.objectContaining({ name: 'succeeded', count: 50 })])
  expect(await client.runs.list({ queue: 'day', limit: 7 }).all()).toHaveLength(50)
})

test('a bulk submission reports invalid items, and the answers of its earlier requests', async () => {
  const items = [{ handler: 'send' }, { handler: 'send', priority: 99 }, { handler: 'send' }]
  const each = await client.runs.submitMany(items, { mode: 'each' })
  expect(each).toMatchObject({ accepted: 2, refused: 1, items: [{}, { problem: {} }, {}] })
  const error = await client.runs
    .submitMany(items, { itemsPerRequest: 1 })
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PunctualBulkError)
  expect((error as PunctualBulkError).done).toMatchObject({ accepted: 1, items: [{}] })
})

test('a log is followed from its first line to the end of the run', async () => {
  const { id } = await client.runs.submit({ handler: 'report' })
  const lines = []
  for await (const { message } of client.runs.logs(id, { follow: true })) {
    lines.push(message)
    release.open()
  }
  expect(lines).toEqual(['begun', 'ended'])
})

test('a running run is cancelled, and a scheduled one is rescheduled and cancelled', async () => {
  const { id } = await client.runs.submit({ handler: 'endless' })
  await vi.waitFor(async () => {
    expect((await client.runs.get(id)).state).toBe('running')
  })
  expect(await client.runs.cancel(id, { reason: 'too long' })).toMatchObject({ id })
  expect(await client.runs.waitFor(id)).toMatchObject({ state: 'cancelled' })
  const { id: later } = await client.runs.submit({ handler: 'send', delay: '1h' })
  await client.runs.reschedule(later, { run_at: '2999-01-01T00:00:00Z' })
  expect((await client.runs.explain(later)).reasons).toMatchObject([{ code: 'not_due' }])
  await client.runs.cancelMany({ filter: { handler: 'send', state: ['scheduled'] } })
  expect((await client.runs.get(later)).state).toBe('cancelled')
  const ended = client.runs.cancel(later)
  await expect(ended).resolves.toMatchObject({ state: 'cancelled' })
})

test('a dead run appears in the activity and in dead letters, and is retried', async () => {
  const leaving = new AbortController()
  const stream = client.activity({ types: ['run.dead'], signal: leaving.signal })
  const received = stream.next()
  const dying = await client.runs.submit({ handler: 'import', max_attempts: 1 })
  const { id } = dying
  expect(await client.runs.waitFor(id)).toMatchObject({ state: 'dead' })
  const deadLetters = await client.deadLetters.list({ handler: 'import' }).all()
  expect(deadLetters).toMatchObject([{ id, error: { message: 'the file is missing' } }])
  expect((await client.deadLetters.causes()).at(0)).toMatchObject({ count: 1, sample_id: id })
  let event: unknown
  void received.then(({ value }) => {
    event = value
  })
  // Runs that die before the stream is open do not appear in it.
  await vi.waitFor(
    async () => {
      const { id: other } = await client.runs.submit({ handler: 'import', max_attempts: 1 })
      await client.runs.waitFor(other)
      expect(event).toMatchObject({ type: 'run.dead' })
    },
    { timeout: 30_000 },
  )
  leaving.abort()
  await stream.return()
  fileExists = true
  const { run_id } = await client.runs.retry(id, { note: 'the file has arrived' })
  expect(await client.runs.waitFor(run_id)).toMatchObject({ state: 'succeeded', replay_of: id })
  const second = client.deadLetters.replay(id)
  await expect(second).rejects.toMatchObject({ status: 409, code: 'already_handled' })
  const rest = { filter: { handler: 'import' }, reason: 'no longer needed' }
  expect((await client.deadLetters.discardMany(rest)).discarded).toBeGreaterThan(0)
  expect(await client.deadLetters.list().all()).toEqual([])
})

test('nothing is claimed from a paused queue until it is resumed', async () => {
  await client.queues.pause('mail', { note: 'the provider is down' })
  const { id } = await client.runs.submit({ handler: 'send', queue: 'mail' })
  const mail = (await client.queues.list()).find(({ queue }) => queue === 'mail')
  expect(mail).toMatchObject({ paused: true, pause: { note: 'the provider is down' } })
  expect((await client.runs.explain(id)).reasons).toMatchObject([{ code: 'paused' }])
  await client.queues.resume('mail')
  expect(await client.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
})

test('a job is paused, resumed and deleted, and the audit log has each change', async () => {
  await client.jobs.pause('nightly', { note: 'holiday' })
  expect(await client.jobs.get('nightly')).toMatchObject({ status: 'paused' })
  expect(await client.jobs.resume('nightly')).toMatchObject({ status: 'scheduled' })
  expect(await client.jobs.delete('nightly')).toMatchObject({ status: 'cancelled' })
  const gone = client.jobs.get('nightly')
  await expect(gone).rejects.toMatchObject({ status: 404, code: 'job_not_found' })
  const actions = (await client.audit.list({ limit: 5 }).all()).map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['job.pause', 'job.resume', 'job.delete']))
})

test('another tenant sees none of these jobs and runs', async () => {
  const apiKey = await kit.keyFor('rival', 'admin')
  const rival = createClient({ url: kit.url, apiKey })
  expect(await rival.jobs.list().all()).toEqual([])
  expect(await rival.runs.list().all()).toEqual([])
  const system = createClient({ url: kit.url, apiKey: kit.system, tenant: 'acme' })
  expect((await system.jobs.list().page()).total).toBe(25)
})

/** Listing and draining workers: real workers in this process on a real database. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { both, cli } from '../kit/cli-process.ts'

let database: TestDatabase
let client: Punctual
const open: Punctual[] = []

beforeEach(async () => {
  database = await migratedDatabase()
  client = await start({ roles: [] })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((p) => p.stop({ drainMs: 0 })))
  await database.drop()
})

async function start(options: Parameters<typeof Punctual.start>[0]): Promise<Punctual> {
  const p = await Punctual.start({ databaseUrl: database.url, ...options })
  open.push(p)
  return p
}

async function sql(text: string, values: unknown[] = []) {
  const connection = await client.store.database.connect()
  return connection.query(text, values).finally(() => connection.end())
}

const state = async (id: string) =>
  (await client.workers.list()).find((worker) => worker.id === id)?.state
const onlyWorker = async () => {
  await eventually('the worker is listed', async () => (await client.workers.list()).length === 1)
  return (await client.workers.list())[0]?.id as string
}

/** A worker with a capacity of two whose handler waits at a gate, and ten runs. */
async function busyWorker(leaseMs = 30_000) {
  const worker = await start({ roles: ['worker'], worker: { concurrency: 2, leaseMs } })
  const [started, proceed] = [gate(), gate()]
  let running = 0
  worker.handler('work', async () => {
    if (++running === 2) started.open()
    await proceed.opened
  })
  const payloads = Array.from({ length: 10 }, (_, i) => i)
  const runs = (await client.submitMany('work', payloads)).map(({ id }) => id)
  await started.opened
  const states = async () =>
    (await Promise.all(runs.map((id) => client.runs.get(id)))).map((run) => run?.state)
  const count = async (wanted: string) =>
    (await states()).filter((state) => state === wanted).length
  return { id: await onlyWorker(), proceed, runs, count }
}

describe('a worker that is drained', () => {
  it('a drained worker gives back unstarted runs, finishes running ones, and works again when activated', async () => {
    const { id, proceed, runs, count } = await busyWorker()
    expect(await client.workers.drain(id)).toBe(true)
    expect(await client.workers.drain(id)).toBe(false)
    expect(await state(id)).toBe('draining')
    await eventually('it gave back the others', async () => (await count('queued')) === 8)
    expect(await count('running')).toBe(2)
    const drained = client.workers.waitUntilDrained(id)
    proceed.open()
    expect(await drained).toBe('drained')
    expect([await count('succeeded'), await count('queued')]).toEqual([2, 8])
    expect(await client.workers.activate(id)).toBe(true)
    expect(await client.workers.activate(id)).toBe(false)
    for (const run of runs) expect((await client.runs.waitFor(run)).state).toBe('succeeded')
    expect(await state(id)).toBe('active')
  })

  it('a worker learns of a drain with its next renewal when the hint is lost, and claims nothing', async () => {
    const { id, proceed, runs, count } = await busyWorker(3_000)
    await sql('update punctual.sessions set drain_asked_at = clock_timestamp()')
    proceed.open()
    const reported = async () =>
      (await client.store.workers.sessions()).find((session) => session.id === id)?.state
    await eventually('it reports that it drains', async () => (await reported()) === 'draining')
    await client.workers.waitUntilDrained(id)
    const left = await count('queued')
    await sql('update punctual.sessions set drain_asked_at = null')
    await eventually('it reports that it is active', async () => (await reported()) === 'active')
    for (const run of runs) expect((await client.runs.waitFor(run)).state).toBe('succeeded')
    expect(left).toBeLessThanOrEqual(8)
  })

  it('a drained worker leaves its runs to other workers', async () => {
    const { id, proceed, runs } = await busyWorker()
    await client.workers.drain(id)
    const other = await start({ roles: ['worker'] })
    other.handler('work', () => 'by the other')
    const ended = await Promise.all(runs.slice(2).map((run) => client.runs.waitFor(run)))
    expect(ended.filter(({ output }) => output === 'by the other').length).toBeGreaterThanOrEqual(6)
    proceed.open()
    for (const run of runs) expect((await client.runs.waitFor(run)).state).toBe('succeeded')
  })

  it('a worker that loses its session continues to drain under another id', async () => {
    const { id, proceed, runs, count } = await busyWorker(3_000)
    await client.workers.drain(id)
    proceed.open()
    await client.workers.waitUntilDrained(id)
    await sql('delete from punctual.sessions')
    await eventually(
      'it has registered again',
      async () => (await client.workers.present()).length > 0,
    )
    const [again] = await client.workers.present()
    expect(again).toMatchObject({ state: 'draining', id: expect.not.stringMatching(id) })
    expect(await count('queued')).toBe(8)
    await client.workers.activate(again?.id as string)
    for (const run of runs) expect((await client.runs.waitFor(run)).state).toBe('succeeded')
  })

  it('waiting for a drain takes no longer than requested', async () => {
    const { id, proceed } = await busyWorker()
    await client.workers.drain(id)
    await expect(client.workers.waitUntilDrained(id, { timeoutMs: 50 })).rejects.toMatchObject({
      ...{ code: 'wait_timeout', id },
    })
    const stop = new AbortController()
    const waiting = client.workers.waitUntilDrained(id, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    proceed.open()
  })
})

describe('workers are listed', () => {
  it('a closed worker is listed as offline, for at most a day', async () => {
    const worker = await start({ roles: ['worker'] })
    worker.handler('work', () => null)
    const id = await onlyWorker()
    await worker.stop()
    const [left] = await client.workers.list()
    expect(left).toMatchObject({ id, state: 'offline', fenced: false, handlers: ['work'] })
    await expect(client.workers.drain(id)).rejects.toMatchObject({
      ...{ code: 'worker_not_found', message: expect.stringContaining('ended at') },
    })
    await sql("update punctual.past_sessions set ended_at = ended_at - interval '25 hours'")
    expect(await client.workers.list()).toEqual([])
    await client.store.upkeep.sweep(90)
    const { rows } = await sql('select count(*) as n from punctual.past_sessions')
    expect(rows).toEqual([{ n: '0' }])
  })

  it('a worker with an expired lease is listed as lost, and as offline and fenced once reaped', async () => {
    const { work, upkeep } = client.store
    const session = { id: '7', host: 'h', pid: 1, version: '0', handlers: [], queues: [] }
    await work.openSession({ ...session, labels: {}, capacity: 1, leaseMs: 1_000 })
    expect(await state('7')).toBe('active')
    await sql("update punctual.sessions set expires_at = clock_timestamp() - interval '1 second'")
    expect(await state('7')).toBe('lost')
    await upkeep.reap(['7'], 3)
    expect(await client.workers.list()).toMatchObject([{ id: '7', state: 'offline', fenced: true }])
  })

  it('a worker is listed with the number of its failed runs in the last hour', async () => {
    const worker = await start({ roles: ['worker'] })
    worker.handler('work', (ok: boolean) => {
      if (!ok) throw new Error('no')
    })
    const id = await onlyWorker()
    expect(await client.workers.present()).toMatchObject([{ id, failureRate: null }])
    const runs = await client.submitMany('work', [true, false, true, true], { maxAttempts: 1 })
    for (const run of runs) await client.runs.waitFor(run.id)
    const rated = { id, failureRate: 0.25, endedLastHour: { succeeded: 3, dead: 1, cancelled: 0 } }
    expect(await client.workers.present()).toMatchObject([rated])
    const { table } = await both(['workers'], { env: { DATABASE_URL: database.url } })
    expect(table.stdout).toMatch(/ FAILED .*\n.* 1 of 4 \(25%\) /)
    await worker.stop()
    expect(await client.workers.list()).toMatchObject([{ ...rated, state: 'offline' }])
    await sql("update punctual.counters set bucket_at = bucket_at - interval '61 minutes'")
    expect(await client.workers.list()).toMatchObject([{ id, failureRate: null }])
  })

  it('a worker is listed with its stuck handlers, which are a metric too', async () => {
    const worker = await start({ roles: ['worker'] })
    const release = gate()
    worker.handler('deaf', () => release.opened)
    const { id } = await client.submit('deaf', null, { timeoutMs: 50, maxAttempts: 1 })
    await client.runs.waitFor(id)
    const stuck = async () => (await client.workers.list())[0]?.stuck ?? []
    await eventually('the handler is shown as stuck', async () => (await stuck()).length === 1)
    expect(await stuck()).toMatchObject([{ runId: id, handler: 'deaf', attempt: 1 }])
    const text = await client.metrics.text()
    expect(text).toContain('punctual_stuck_handlers{handler="deaf"} 1')
    expect(text).toContain('punctual_workers{state="active"} 1')
    const { table } = await both(['workers'], { env: { DATABASE_URL: database.url } })
    expect(table.stdout).toMatch(/stuck: handlers .*\nWORKER .*\n\d+ +deaf +1 /)
    release.open()
    await eventually('it is no longer shown', async () => (await stuck()).length === 0)
  })
})

it.each(['', 'x', '-1', '9223372036854775808', 7, null])('%j is not a worker id', async (id) => {
  for (const call of [
    () => client.workers.drain(id as string),
    () => client.workers.activate(id as string),
    () => client.workers.waitUntilDrained(id as string),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'invalid_option', field: 'id' })
})

it('the command line drains, waits and activates', async () => {
  const env = { DATABASE_URL: database.url }
  const { id, proceed } = await busyWorker()
  const drained = await cli(['workers', 'drain', id], { env })
  expect([drained.code, drained.stdout]).toEqual([
    0,
    expect.stringContaining('claims no more runs'),
  ])
  const { table, value } = await both(['workers'], { env })
  expect(table.stdout).toMatch(new RegExp(`${id} +draining .* 2 of 2 `))
  expect(value).toMatchObject([{ id, state: 'draining', running: 2 }])
  const late = await cli(['workers', 'drain', id, '--wait', '--wait-timeout', '10ms'], { env })
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('error[wait_timeout]')])
  proceed.open()
  const waited = await cli(['workers', 'drain', id, '--wait', '--json'], { env })
  expect(JSON.parse(waited.stdout)).toEqual({ id, result: 'drained' })
  const active = await cli(['workers', 'activate', id, '--json'], { env })
  expect(JSON.parse(active.stdout)).toEqual({ id, result: 'active' })
  const unknown = await cli(['workers', 'drain', '12345'], { env })
  expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('worker_not_found')])
})

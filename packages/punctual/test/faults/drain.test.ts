import { gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'

let database: TestDatabase
const open: Punctual[] = []
beforeEach(async () => {
  database = await migratedDatabase()
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((p) => p.stop({ drainMs: 0 })))
  await database.drop()
})

async function start(options: Parameters<typeof Punctual.start>[0] = {}): Promise<Punctual> {
  const p = await Punctual.start({ databaseUrl: database.url, ...options })
  open.push(p)
  return p
}

it('a drain finishes running runs, gives back unstarted ones and leaves no lease or session (case 16)', async () => {
  const client = await start({ roles: [] })
  const worker = await start({ roles: ['worker'], worker: { concurrency: 2 } })
  const [started, proceed] = [gate(), gate()]
  let running = 0
  worker.handler('work', async () => {
    if (++running === 2) started.open()
    await proceed.opened
    return 'finished'
  })
  const runs = await client.submitMany(
    'work',
    Array.from({ length: 10 }, (_, i) => i),
  )
  await started.opened
  const stopping = worker.stop()
  await expect(worker.submit('work', 1)).rejects.toMatchObject({ code: 'stopped' })
  proceed.open()
  await stopping
  const states = await Promise.all(runs.map(async ({ id }) => (await client.runs.get(id))?.state))
  expect(states.filter((s) => s === 'succeeded').length).toBe(2)
  expect(states.filter((s) => s === 'queued').length).toBe(8)
  expect(await client.store.workers.sessions()).toEqual([])
})

it('handlers are aborted at the drain deadline; other workers need not wait for a lease (case 16)', async () => {
  const client = await start({ roles: [] })
  const worker = await start({ roles: ['worker'] })
  const started = gate<AbortSignal>()
  worker.handler('long', (_: null, ctx) => {
    if (ctx.attempt === 1) started.open(ctx.signal)
    return new Promise(() => undefined)
  })
  const { id } = await client.submit('long', null)
  const signal = await started.opened
  await worker.stop({ drainMs: 10 })
  expect(signal.aborted).toBe(true)
  const heir = await start({ roles: ['worker'] })
  heir.handler('long', (_: null, ctx) => ctx.attempt)
  const run = await client.runs.waitFor(id)
  expect(run).toMatchObject({ state: 'succeeded', output: 2 })
  expect(run.attempts.map((a) => a.outcome)).toEqual(['cancelled', 'succeeded'])
})

it('repeatedly starting and stopping at once loses nothing and leaks nothing', async () => {
  const client = await start({ roles: [] })
  const runs = await client.submitMany(
    'churn',
    Array.from({ length: 300 }, (_, i) => i),
  )
  const left = new Set(runs.map((run) => run.id))
  for (let round = 0; round < 8; round++) {
    const worker = await start({ roles: ['worker'], worker: { concurrency: 5 } })
    worker.handler('churn', () => new Promise((resolve) => setImmediate(resolve)))
    await worker.stop()
    await worker.stop()
  }
  const last = await start({ roles: ['worker'] })
  last.handler('churn', () => null)
  for (const id of left) expect((await client.runs.waitFor(id)).state).toBe('succeeded')
  const { rows } = await client.store.database.connect().then(async (c) => {
    const answer = await c.query(
      'select (select count(*) from punctual.leases) + (select count(*) from punctual.queue) as n',
    )
    await c.end()
    return answer
  })
  expect(rows).toEqual([{ n: '0' }])
})

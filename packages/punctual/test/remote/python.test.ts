/** The Python worker follows the guide: real processes, over HTTP, with a real database. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Punctual } from '../../src/index.ts'
import { RemoteNode } from '../kit/remote-kit.ts'

const program = fileURLToPath(
  new URL('../../../../examples/remote-worker-python/worker.py', import.meta.url),
)

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)'])
    return true
  } catch {
    return false
  }
}

// skips: a machine may have no Python 3
describe.skipIf(!hasPython())('the Python worker', () => {
  let database: TestDatabase
  let punctual: Punctual
  let node: RemoteNode
  const workers: ChildProcess[] = []

  beforeAll(async () => {
    database = await migratedDatabase()
    punctual = await Punctual.start({
      databaseUrl: database.url,
      roles: ['reaper'],
      worker: { leaseMs: 3_000 },
    })
    node = await RemoteNode.open(punctual.store)
    startWorker()
  })
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL')
    await node.close()
    await punctual.stop()
    await database.drop()
  })

  function startWorker(): ChildProcess {
    const keys = { PUNCTUAL_SERVER: node.url, PUNCTUAL_API_KEY: 'tenant-1', LEASE_MS: '3000' }
    const env = { ...process.env, ...keys }
    const worker = spawn('python3', [program], { env, stdio: 'inherit' })
    workers.push(worker)
    return worker
  }

  it('executes a submitted run, and its output is stored', async () => {
    const { id } = await punctual.submit('py-greet', { name: 'Ada' })
    const run = await punctual.runs.waitFor(id)
    expect(run).toMatchObject({ state: 'succeeded', output: 'Hello, Ada!' })
  })

  it('fails a run, which the server retries by its policy', async () => {
    const retry = { backoff: { kind: 'fixed', delayMs: 10 } } as const
    const { id } = await punctual.submit('py-flaky', { succeeds_at: 2 }, { retry })
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      state: 'succeeded',
      attempts: { length: 2 },
    })
    const hopeless = { succeeds_at: 9 }
    const dead = await punctual.submit('py-flaky', hopeless, { retry, maxAttempts: 2 })
    expect(await punctual.runs.waitFor(dead.id)).toMatchObject({
      state: 'dead',
      error: { name: 'ConnectionError', message: 'no answer' },
    })
  })

  it('executes an at-most-once run once, marked before it starts', async () => {
    const { id } = await punctual.submit('py-greet', { name: 'Bob' }, { delivery: 'at-most-once' })
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      state: 'succeeded',
      attempts: { length: 1 },
    })
  })

  it('learns of a cancellation with its heartbeat', async () => {
    const { id } = await punctual.submit('py-patient', { seconds: 60 })
    await eventually('it runs', async () => (await punctual.runs.get(id))?.state === 'running')
    await punctual.runs.cancel(id)
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'cancelled' })
  })

  it('is killed, and another worker takes over its runs', async () => {
    const { id } = await punctual.submit('py-patient', { seconds: 1 })
    await eventually('it runs', async () => (await punctual.runs.get(id))?.state === 'running')
    for (const worker of workers.splice(0)) worker.kill('SIGKILL')
    startWorker()
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      state: 'succeeded',
      attempts: { length: 2 },
    })
  })
})

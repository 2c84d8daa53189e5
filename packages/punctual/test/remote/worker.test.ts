/** The TypeScript worker over HTTP: the same handlers, no database, and nodes that fail. */
import { eventually, gate, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { NonRetryableError, Punctual, RemoteWorker } from '../../src/index.ts'
import { RemoteNode } from '../kit/remote-kit.ts'

let database: TestDatabase
let punctual: Punctual
let node: RemoteNode
let other: RemoteNode
let worker: RemoteWorker
let sql: pg.Client

beforeAll(async () => {
  database = await migratedDatabase()
  const options = { databaseUrl: database.url }
  punctual = await Punctual.start({ ...options, roles: ['reaper'] })
  const second = await Punctual.start({ ...options, roles: [] })
  node = await RemoteNode.open(punctual.store)
  other = await RemoteNode.open(second.store)
  worker = remoteWorker()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  return async () => {
    await worker.stop()
    await sql.end()
    await Promise.all([node.close(), other.close()])
    await Promise.all([second.stop(), punctual.stop()])
    await database.drop()
  }
})

function remoteWorker(server = [node.url, other.url], leaseMs = 30_000): RemoteWorker {
  return RemoteWorker.start({ server, apiKey: 'tenant-1', worker: { leaseMs } })
}

describe('a worker over HTTP', () => {
  it('executes handlers with their full context except the database', async () => {
    worker.handler('full', async ({ n }: { n: number }, ctx) => {
      ctx.log.info('begun', { n })
      ctx.progress({ at: n })
      if (ctx.attempt === 1) {
        await ctx.checkpoint({ seen: n })
        throw new Error('once')
      }
      return { kept: ctx.lastCheckpoint, attempt: ctx.attempt }
    })
    const retry = { backoff: { kind: 'fixed', delayMs: 1 } } as const
    const { id } = await punctual.submit('full', { n: 7 }, { retry })
    const run = await punctual.runs.waitFor(id)
    expect(run).toMatchObject({ state: 'succeeded', output: { kept: { seen: 7 }, attempt: 2 } })
    const lines = await punctual.runs.logs(id)
    expect(lines.map(({ attempt, message }) => [attempt, message])).toEqual([
      [1, 'begun'],
      [2, 'begun'],
    ])
  })

  it('ends a run with a non-retryable error at once, and stores the error', async () => {
    worker.handler('hopeless', () => {
      throw new NonRetryableError('never')
    })
    const { id } = await punctual.submit('hopeless')
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      ...{ state: 'dead', attempts: { length: 1 }, error: { message: 'never' } },
    })
  })

  it('learns of a cancellation at once', async () => {
    const begun = gate()
    worker.handler('endless', async (_, { signal }) => {
      begun.open()
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
    })
    const { id } = await punctual.submit('endless')
    await begun.opened
    await punctual.runs.cancel(id, 'not wanted')
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      ...{ state: 'cancelled', reason: 'not wanted' },
    })
  })

  it('fails a transactional run with the code not_remote', async () => {
    worker.handler('banking', () => 'done')
    const { id } = await punctual.submit(
      'banking',
      {},
      { delivery: 'transactional', maxAttempts: 1 },
    )
    expect(await punctual.runs.waitFor(id)).toMatchObject({
      ...{ state: 'dead', error: { code: 'not_remote' } },
    })
    worker.handler('saving', async (_, ctx) => ctx.transaction(async () => 'done'))
    const saving = await punctual.submit('saving', {}, { maxAttempts: 1 })
    expect(await punctual.runs.waitFor(saving.id)).toMatchObject({
      ...{ state: 'dead', error: { code: 'not_remote' } },
    })
  })

  it('drains when asked to, and claims again when activated', async () => {
    worker.handler('later', () => 'done')
    await punctual.runs.waitFor((await punctual.submit('later')).id)
    const [session] = await punctual.store.workers.sessions()
    await punctual.workers.drain(session?.id as string)
    await eventually('the worker reports that it drains', async () => {
      const [now] = await punctual.store.workers.sessions()
      return now?.state === 'draining'
    })
    const { id } = await punctual.submit('later')
    await punctual.workers.activate(session?.id as string)
    expect(await punctual.runs.waitFor(id)).toMatchObject({ state: 'succeeded' })
  })

  it('executes thousands of runs, each once', async () => {
    const calls = new Map<number, number>()
    worker.handler('many', (n: number) => void calls.set(n, (calls.get(n) ?? 0) + 1))
    const numbers = Array.from({ length: 2_000 }, (_, n) => n)
    await punctual.submitMany('many', numbers)
    await eventually('all runs are settled', async () => {
      const { rows } = await sql.query('select count(*)::int as n from punctual.outcomes')
      return rows[0].n >= 2_000
    })
    expect([calls.size, new Set(calls.values())]).toEqual([2_000, new Set([1])])
  })

  it('keeps its leases when its node is killed, and continues with another node', async () => {
    const begun = gate()
    const end = gate()
    const mine = await RemoteNode.open(punctual.store)
    const own = remoteWorker([mine.url, other.url], 3_000)
    onTestFinished(() => own.stop())
    own.handler('through', async () => {
      begun.open()
      await end.opened
    })
    const { id } = await punctual.submit('through')
    await begun.opened
    mine.kill()
    // waits: longer than the lease, which only the other node can have renewed
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    const { rows } = await sql.query(
      'select expires_at > clock_timestamp() as alive from punctual.sessions where lease_ms = 3000',
    )
    expect(rows).toEqual([{ alive: true }])
    end.open()
    const run = await punctual.runs.waitFor(id)
    expect(run).toMatchObject({ state: 'succeeded', attempts: { length: 1 } })
    const next = await punctual.submit('through')
    expect(await punctual.runs.waitFor(next.id)).toMatchObject({ state: 'succeeded' })
  })
})

/** Claiming without a handler: real sessions and leases on a real database. */
import { eventually, migratedDatabase, type TestDatabase } from '@punctual/testkit'
import { type HeldRun, Punctual } from 'punctual'
import { afterAll, afterEach, beforeAll, beforeEach, expect, expectTypeOf, it } from 'vitest'

let database: TestDatabase
let punctual: Punctual
beforeAll(async () => {
  database = await migratedDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  punctual = await Punctual.start({ databaseUrl: database.url, roles: [] })
})
afterEach(() => punctual.stop({ drainMs: 0 }))

async function one(handler: string, options?: Parameters<Punctual['submit']>[2]): Promise<HeldRun> {
  await punctual.submit(handler, { name: handler }, options)
  const [run] = await punctual.claim({ handlers: [handler] })
  return run as HeldRun
}
/** Simulates a process that was silent for a lease; repeated if a heartbeat comes in between. */
async function loseSession(): Promise<void> {
  const sql = await punctual.store.database.connect()
  await eventually('the reaper reclaims what it held', async () => {
    await sql.query("update punctual.sessions set expires_at = clock_timestamp() - interval '1 s'")
    const sessions = (await punctual.store.workers.sessions()).map(({ id }) => id)
    return (await punctual.store.upkeep.reap(sessions, 3)).returned > 0
  })
  await sql.end()
}
const found = async (id: string) => punctual.runs.get(id)
const soon = { backoff: { kind: 'fixed', delayMs: 1 } } as const

it('a claim returns due runs up to the limit, and completing stores the output', async () => {
  await punctual.submitMany('batch', [1, 2, 3, 4, 5])
  const first = await punctual.claim<number>({ handlers: ['batch'], limit: 3, waitMs: 0 })
  expectTypeOf(first).toEqualTypeOf<readonly HeldRun<number>[]>()
  const rest = await punctual.claim<number>({ handlers: ['batch'], limit: 100, waitMs: 0 })
  expect([first.length, rest.length, punctual.running]).toEqual([3, 2, 5])
  for (const run of [...first, ...rest]) {
    expect([run.attempt, run.handler, run.queue]).toEqual([1, 'batch', 'default'])
    expect(await run.complete({ doubled: run.payload * 2 })).toBe('succeeded')
    const expected = { state: 'succeeded', output: { doubled: run.payload * 2 } }
    expect(await found(run.id)).toMatchObject(expected)
  }
  expect(punctual.running).toBe(0)
  expect(await punctual.claim({ handlers: ['batch'], waitMs: 0 })).toEqual([])
})

it('a claim waits for the first run, and no longer than requested', async () => {
  const waiting = punctual.claim({ handlers: ['awaited', 'other'], limit: 10, waitMs: 60_000 })
  const { id } = await punctual.submit('awaited')
  const [run] = await waiting
  expect(run?.id).toBe(id)
  await run?.complete()
  expect(await punctual.claim({ handlers: ['awaited'], waitMs: 20 })).toEqual([])
  const stop = new AbortController()
  const ended = punctual.claim({ handlers: ['awaited'], waitMs: 60_000, signal: stop.signal })
  stop.abort()
  expect(await ended).toEqual([])
})

it('a failed run is retried by its policy, and the last failure is dead', async () => {
  const run = await one('failing', { maxAttempts: 2, retry: soon })
  expect(await run.fail(new Error('no'))).toBe('retrying')
  const [again] = await punctual.claim({ handlers: ['failing'] })
  expect(again).toMatchObject({ id: run.id, attempt: 2, payload: { name: 'failing' } })
  expect(await again?.fail(new Error('never'))).toBe('dead')
  expect(await found(run.id)).toMatchObject({ state: 'dead', error: { message: 'never' } })
})

it('a retry with a delay waits for that delay', async () => {
  const run = await one('later')
  expect(await run.retryLater(3_600_000)).toBe('retrying')
  const waiting = await found(run.id)
  expect(waiting).toMatchObject({ state: 'scheduled', attempts: [{ outcome: 'failed' }] })
})

it('a run that is given back is unchanged, and its attempt does not count', async () => {
  for (const delivery of ['at-least-once', 'at-most-once', 'transactional'] as const) {
    const run = await one(delivery, { delivery })
    expect(await run.giveBack()).toBe('given_back')
    expect(await found(run.id)).toMatchObject({ state: 'queued', attempts: [] })
    const [again] = await punctual.claim({ handlers: [delivery] })
    expect(again).toMatchObject({ id: run.id, attempt: 1 })
    expect(await again?.complete()).toBe('succeeded')
  }
})

it('only the first outcome of a claimed run counts', async () => {
  const run = await one('twice')
  expect(await Promise.all([run.complete(1), run.fail(new Error('no')), run.giveBack()])).toEqual([
    ...['succeeded', 'succeeded', 'succeeded'],
  ])
})

it('cancelling aborts the signal, and the run is cancelled when its holder confirms it', async () => {
  const run = await one('cancelled')
  await punctual.runs.cancel(run.id, 'enough')
  await eventually('the signal is aborted', () => run.signal.aborted)
  expect(await run.fail(run.signal.reason)).toBe('cancelled')
  expect(await found(run.id)).toMatchObject({ state: 'cancelled', reason: 'enough' })
})

it('a run that exceeds its timeout is settled without its holder', async () => {
  const run = await one('slow', { timeoutMs: 50, maxAttempts: 1 })
  await eventually('the run is dead', async () => (await found(run.id))?.state === 'dead')
  expect(run.signal.aborted).toBe(true)
  expect(await run.complete()).toBe('dead')
  expect(punctual.running).toBe(0)
})

it('the signal of a holder that lost its lease is aborted, and its outcome is refused', async () => {
  const run = await one('lost', { retry: soon })
  await loseSession()
  const [again] = await punctual.claim({ handlers: ['lost'], waitMs: 20_000 })
  expect(again).toMatchObject({ id: run.id, attempt: 2 })
  expect(run.signal.aborted).toBe(true)
  expect(await run.complete('too late')).toBe('refused')
  expect(await again?.complete('in time')).toBe('succeeded')
  expect(await found(run.id)).toMatchObject({ output: 'in time' })
})

it('a run that crashed before is claimed with the others', async () => {
  const run = await one('crashed', { retry: soon })
  await loseSession()
  const { id } = await punctual.submit('crashed')
  const batch: HeldRun[] = []
  while (batch.length < 2)
    batch.push(...(await punctual.claim({ handlers: ['crashed'], limit: 10 })))
  expect(new Set(batch.map((held) => held.id))).toEqual(new Set([run.id, id]))
  for (const held of batch) expect(await held.complete()).toBe('succeeded')
})

it('stopping gives back unsettled runs and ends waiting claims', async () => {
  const node = await Punctual.start({ databaseUrl: database.url, roles: [] })
  const { id } = await punctual.submit('left')
  const [held] = await node.claim({ handlers: ['left'] })
  expect(held?.id).toBe(id)
  const waiting = node.claim({ handlers: ['left'], waitMs: 60_000 })
  await node.stop({ drainMs: 0 })
  expect(await waiting).toEqual([])
  expect(held?.signal.aborted).toBe(true)
  expect(await held?.complete()).toBe('retrying')
  await expect(node.claim({ handlers: ['left'] })).rejects.toMatchObject({ code: 'stopped' })
  expect(await found(id)).toMatchObject({ state: 'queued', attempts: [{ outcome: 'cancelled' }] })
})

it('a claim takes runs only from the requested queues, and no more than the limit', async () => {
  const runs = await Promise.all(
    ['a', 'b'].map((queue) => punctual.submit('queued', queue, { queue })),
  )
  const claim = { handlers: ['queued'], limit: 10, waitMs: 0 }
  const batch = await punctual.claim({ ...claim, queues: ['b'] })
  expect(batch.map((run) => run.id)).toEqual([runs[1]?.id])
  expect(await found(runs[0]?.id as string)).toMatchObject({ state: 'queued' })
  await batch[0]?.complete()
})

it.each([
  [{}, 'handlers'],
  [{ handlers: [] }, 'handlers'],
  [{ handlers: ['a'], queues: 'b' }, 'queues'],
  [{ handlers: ['a'], limit: 0 }, 'limit'],
  [{ handlers: ['a'], waitMs: -1 }, 'waitMs'],
  [{ handlers: ['a'], waitms: 1 }, 'options'],
  [{ handlers: ['a'], signal: {} }, 'signal'],
])('%j is refused', async (options, field) => {
  const refused = { code: 'invalid_option', field }
  await expect(punctual.claim(options as never)).rejects.toMatchObject(refused)
})

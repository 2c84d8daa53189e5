/**
 * Concurrency keys end to end: a bounded number of runs of a key at once, in order, through
 * crashes.
 */
import { eventually, gate } from '@punctual/testkit'
import { type Punctual, RetryAfterError, type Run } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

/** Counts how many runs of each key are running, and records the order of starts. */
class Watch {
  readonly most = new Map<string, number>()
  readonly order: number[] = []
  readonly #now = new Map<string, number>()

  handleOn(node: Punctual): void {
    node.handler('watched', async ({ key, n }: { key: string; n: number }) => {
      const now = (this.#now.get(key) ?? 0) + 1
      this.#now.set(key, now)
      this.most.set(key, Math.max(this.most.get(key) ?? 0, now))
      this.order.push(n)
      await new Promise((resolve) => setImmediate(resolve))
      this.#now.set(key, (this.#now.get(key) as number) - 1)
    })
  }
}

it('on two workers no more runs of a key are running than its limit, and all of them run', async () => {
  const watch = new Watch()
  for (const node of [await kit.node(), await kit.node()]) watch.handleOn(node)
  const payloads = Array.from({ length: 300 }, (_, n) => ({ key: `k${n % 10}`, n }))
  const concurrency = { key: { payload: 'key' }, limit: 2 }
  const runs = await kit.punctual.submitMany('watched', payloads, { concurrency })
  await Promise.all(runs.map(({ id }) => ended(id)))
  expect(watch.order).toHaveLength(300)
  expect(watch.most.size).toBe(10)
  for (const most of watch.most.values()) expect(most).toBeLessThanOrEqual(2)
  expect(await kit.sql('select from punctual.gated')).toEqual([])
})

it('runs of a key with limit 1 start in the order in which they were submitted', async () => {
  const watch = new Watch()
  const concurrency = { key: 'one' }
  const payloads = Array.from({ length: 40 }, (_, n) => ({ key: 'one', n }))
  const first = await kit.punctual.submitMany('watched', payloads.slice(0, 20), { concurrency })
  for (const node of [await kit.node(), await kit.node()]) watch.handleOn(node)
  const then = await kit.punctual.submitMany('watched', payloads.slice(20), { concurrency })
  await Promise.all([...first, ...then].map(({ id }) => ended(id)))
  expect(watch.order).toEqual(payloads.map(({ n }) => n))
})

it('runs that wait for their key are parked at once and do not delay the runs behind them', async () => {
  await kit.punctual.submitMany('blocked', Array.from({ length: 50 }), {
    concurrency: { key: 'k' },
  })
  const [row] = await kit.sql(
    'select (select count(*) from punctual.queue) as queue, (select count(*) from punctual.parked) as parked',
  )
  expect(row).toEqual({ queue: '1', parked: '49' })
  const [waiting] = await kit.punctual.runs.list({ states: ['waiting'], limit: 1 })
  const run = await kit.punctual.runs.get(waiting?.id as string)
  expect(run).toMatchObject({ state: 'waiting', concurrency: { key: 'k', limit: 1 } })
  expect((await kit.punctual.runs.explain(run as Run)).reasons[0]).toMatchObject({
    code: 'concurrency',
    detail: expect.stringMatching(
      /concurrency key k .*not started: \S+ \(no live worker has the handler blocked/,
    ),
  })
})

it("a killed worker's key is free when its lease is over", async () => {
  const worker = await kit.worker()
  const concurrency = { key: 'k' }
  const held = await kit.submit([[['effect'], ['hang']], [['effect']]], { concurrency })
  const next = await kit.submit([[['effect']]], { concurrency })
  await kit.happened(held)
  await worker.kill()
  await kit.worker()
  expect(await ended(next)).toMatchObject({ state: 'succeeded' })
  expect(await ended(held)).toMatchObject({ state: 'succeeded', possibleDuplicate: true })
})

it('a run that is cancelled, dies, or waits for its next attempt gives its place to the next', async () => {
  const node = await kit.node()
  const hanging = gate()
  node.handler('hangs', async (_: null, ctx) => {
    hanging.open()
    await new Promise((_, reject) =>
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)),
    )
  })
  node.handler('dies', () => {
    throw new Error('no')
  })
  node.handler('later', () => {
    throw new RetryAfterError(3_600_000, 'not now')
  })
  node.handler('quick', () => 'done')
  const concurrency = { key: 'k' }
  const hangs = await node.submit('hangs', null, { concurrency })
  await node.submit('dies', null, { concurrency, maxAttempts: 1 })
  const later = await node.submit('later', null, { concurrency })
  const quick = await node.submit('quick', null, { concurrency })
  await hanging.opened
  await node.runs.cancel(hangs.id)
  expect(await ended(quick.id)).toMatchObject({ state: 'succeeded' })
  expect(await node.runs.get(later.id)).toMatchObject({ state: 'scheduled' })
})

it('a run that waits for its key can be cancelled, and the others keep their order', async () => {
  const concurrency = { key: 'k' }
  const runs = await kit.punctual.submitMany(
    'watched',
    [0, 1, 2, 3].map((n) => ({ key: 'k', n })),
    {
      concurrency,
    },
  )
  expect(await kit.punctual.runs.cancel(runs[1]?.id as string)).toMatchObject({
    result: 'cancelled',
  })
  const watch = new Watch()
  watch.handleOn(await kit.node())
  await ended(runs[3]?.id as string)
  expect(watch.order).toEqual([0, 2, 3])
})

it('the reaper finds parked runs that were never released', async () => {
  const [first, second] = await kit.punctual.submitMany(
    'watched',
    [0, 1].map((n) => ({ key: 'k', n })),
    {
      concurrency: { key: 'k' },
    },
  )
  // As if the process that ended the first run had died before releasing the next one.
  await kit.sql(`delete from punctual.queue where run_id = '${first?.id}'`)
  await eventually(
    'the second one is released',
    async () =>
      (await kit.sql(`select from punctual.queue where run_id = '${second?.id}'`)).length === 1,
  )
})

it('a job with a key shares it with its own runs, with other jobs and with submissions', async () => {
  const jobs = await kit.node({ roles: ['worker', 'planner'] })
  const concurrency = { key: { payload: 'key' } }
  for (const [n, name] of ['one', 'two'].entries())
    await jobs.jobs.upsert({
      ...{ name, handler: 'watched', payload: { key: 'k', n }, every: 1_000, overlap: 'allow' },
      concurrency,
    })
  expect(await jobs.jobs.get('one')).toMatchObject({ concurrency: { key: 'k', limit: 1 } })
  const { change } = await jobs.jobs.upsert({
    ...{ name: 'one', handler: 'watched', payload: { key: 'k', n: 0 }, every: 1_000 },
    ...{ overlap: 'allow', concurrency: { key: 'k', limit: 1 } },
  })
  expect(change).toBe('unchanged')
  const watch = new Watch()
  watch.handleOn(jobs)
  await jobs.jobs.trigger('one')
  const { id } = await jobs.submit('watched', { key: 'k', n: 2 }, { concurrency })
  await ended(id)
  await eventually('both jobs have fired', () => [0, 1, 2].every((n) => watch.order.includes(n)))
  expect(watch.most.get('k')).toBe(1)
})

it('in an open transaction of the caller nothing waits before the commit, and the limit holds', async () => {
  const watch = new Watch()
  watch.handleOn(await kit.node())
  const client = await kit.punctual.store.database.connect()
  await client.query('begin')
  const concurrency = { key: 'tx' }
  const payloads = Array.from({ length: 20 }, (_, n) => ({ key: 'tx', n }))
  const runs = await kit.punctual.submitMany('watched', payloads, { concurrency, tx: client })
  await client.query('commit')
  await client.end()
  await Promise.all(runs.map(({ id }) => ended(id)))
  expect(watch.most.get('tx')).toBe(1)
  expect(watch.order).toEqual(payloads.map(({ n }) => n))
})

it.for([
  [{ concurrency: 'k' }, /concurrency must be an object/],
  [{ concurrency: { limit: 2 } }, /concurrency.key/],
  [{ concurrency: { key: 'k', limit: 0 } }, /concurrency.limit/],
  [{ concurrency: { key: 'k', most: 1 } }, /concurrency.most/],
  [
    { concurrency: { key: { payload: 'user.id' } } },
    /payload.user.id must hold a flow control key/,
  ],
  [
    { concurrency: { key: { payload: 'tags.length' } } },
    /payload.tags.length must hold a flow control key/,
  ],
] as const)('%j is refused: %s', async ([options, message]) => {
  const payload = { user: {}, tags: ['a'] }
  await expect(kit.punctual.submit('any', payload, options as never)).rejects.toThrow(message)
})

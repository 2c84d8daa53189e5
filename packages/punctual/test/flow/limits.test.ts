/**
 * Limits of queues and of the tenant end to end: concurrency, rates, ageing; on several workers,
 * through crashes.
 */
import { eventually, gate } from '@punctual/testkit'
import type { Punctual } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

/** Counts the running runs by queue and in total. */
class Watch {
  readonly most = new Map<string, number>()
  readonly order: string[] = []
  readonly #now = new Map<string, number>()

  #add(what: string, by: number): void {
    const now = (this.#now.get(what) ?? 0) + by
    this.#now.set(what, now)
    this.most.set(what, Math.max(this.most.get(what) ?? 0, now))
  }

  handleOn(node: Punctual, ...handlers: string[]): void {
    for (const name of handlers)
      node.handler(name, async (payload: unknown, ctx) => {
        this.order.push(String(payload ?? ctx.runId))
        for (const what of [ctx.queue, 'all']) this.#add(what, 1)
        await new Promise((resolve) => setImmediate(resolve))
        for (const what of [ctx.queue, 'all']) this.#add(what, -1)
      })
  }
}

const many = (count: number) => Array.from({ length: count }, () => null)

it('three workers run no more runs of a queue than its limit, for any handler and priority', async () => {
  await kit.punctual.limits.set({ queue: 'narrow', concurrency: 3 })
  const watch = new Watch()
  for (let n = 0; n < 3; n++) watch.handleOn(await kit.node(), 'a', 'b')
  const runs = [
    ...(await kit.punctual.submitMany('a', many(100), { queue: 'narrow' })),
    ...(await kit.punctual.submitMany('b', many(100), { queue: 'narrow', priority: 8 })),
    ...(await kit.punctual.submitMany('a', many(200), { queue: 'wide' })),
  ]
  await Promise.all(runs.map(({ id }) => ended(id)))
  expect(watch.most.get('narrow')).toBeLessThanOrEqual(3)
  expect(watch.most.get('wide'), 'the other queue is not limited').toBeGreaterThan(3)
})

it('the limit over all queues holds together with the limit of each', async () => {
  await kit.punctual.limits.set({ concurrency: 4 })
  await kit.punctual.limits.set({ queue: 'narrow', concurrency: 2 })
  const watch = new Watch()
  for (let n = 0; n < 2; n++) watch.handleOn(await kit.node(), 'a')
  const runs = [
    ...(await kit.punctual.submitMany('a', many(60), { queue: 'narrow' })),
    ...(await kit.punctual.submitMany('a', many(60), { queue: 'wide' })),
  ]
  await Promise.all(runs.map(({ id }) => ended(id)))
  expect(watch.most.get('narrow')).toBeLessThanOrEqual(2)
  expect(watch.most.get('all')).toBeLessThanOrEqual(4)
})

it('a waiting run shows its reason and starts when the holder ends, without a poll', async () => {
  await kit.punctual.limits.set({ queue: 'narrow', concurrency: 1, by: 'ada' })
  const opened = gate()
  const node = await kit.node()
  node.handler('block', () => opened.opened)
  const first = await kit.punctual.submit('block', null, { queue: 'narrow' })
  await eventually(
    'it runs',
    async () => (await kit.punctual.runs.get(first.id))?.state === 'running',
  )
  const second = await kit.punctual.submit('block', null, { queue: 'narrow' })
  const { reasons } = await kit.punctual.runs.explain(second.id)
  expect(reasons).toMatchObject([{ code: 'limit_concurrency', queue: 'narrow', limit: 1 }])
  expect(await kit.punctual.limits.list()).toMatchObject([
    { queue: 'narrow', concurrency: 1, running: 1, setBy: 'ada' },
  ])
  opened.open()
  expect((await ended(second.id)).state).toBe('succeeded')
})

it('a killed worker leaves no place occupied', async () => {
  await kit.punctual.limits.set({ queue: 'default', concurrency: 1 })
  const worker = await kit.worker()
  const held = await kit.submit([[['hang']], []])
  await worker.started(held)
  const next = await kit.submit([[]])
  await worker.kill()
  await kit.worker()
  expect((await ended(held)).state).toBe('succeeded')
  expect((await ended(next)).state).toBe('succeeded')
})

it('a new limit counts runs that are already running, and a removed limit holds none back', async () => {
  const opened = gate()
  const watch = new Watch()
  const node = await kit.node()
  node.handler('block', () => opened.opened)
  watch.handleOn(node, 'a')
  const runs = await kit.punctual.submitMany('block', many(3))
  for (const { id } of runs)
    await eventually('it runs', async () => (await kit.punctual.runs.get(id))?.state === 'running')
  await kit.punctual.limits.set({ concurrency: 3 })
  const next = await kit.punctual.submit('a', null)
  expect(await kit.punctual.limits.list()).toMatchObject([{ queue: null, running: 3 }])
  await kit.punctual.runs.promote(next.id)
  expect((await kit.punctual.runs.get(next.id))?.state).toBe('queued')
  expect(await kit.punctual.limits.remove()).toBe(true)
  expect(await kit.punctual.limits.remove(), 'twice').toBe(false)
  expect((await ended(next.id)).state).toBe('succeeded')
  opened.open()
})

it('with a rate on a queue its burst starts at once, and the others at the rate', async () => {
  await kit.punctual.limits.set({ queue: 'paced', rate: { limit: 100, per: 'second', burst: 5 } })
  const at: number[] = []
  for (let n = 0; n < 2; n++)
    (await kit.node()).handler('note', () => {
      at.push(performance.now())
    })
  const runs = await kit.punctual.submitMany('note', many(65), { queue: 'paced' })
  await Promise.all(runs.map(({ id }) => ended(id)))
  const sorted = at.sort((a, b) => a - b)
  const spanMs = (sorted.at(-1) as number) - (sorted[0] as number)
  expect(spanMs, '60 of them at 10 ms').toBeGreaterThan(550)
})

it('a low-priority run that has waited long enough starts before a higher priority', async () => {
  await kit.punctual.limits.set({ queue: 'aged', ageingMs: 1_000, concurrency: 1 })
  const past = new Date(Date.now() - 60_000)
  await kit.punctual.submitMany('a', ['high', 'high'], { queue: 'aged', priority: 9 })
  await kit.punctual.submitMany('a', ['old'], { queue: 'aged', priority: 0 })
  await kit.punctual.submitMany('a', ['young'], { queue: 'aged', priority: 1 })
  await kit.sql(
    `update punctual.queue set pos = (extract(epoch from timestamptz '${past.toISOString()}') * 1000)::bigint << 20
     where run_id in (select id from punctual.runs where payload like '%old%')`,
  )
  const watch = new Watch()
  watch.handleOn(await kit.node(), 'a')
  await eventually('all have run', () => watch.order.length === 4)
  expect(watch.order).toEqual(['old', 'high', 'high', 'young'])
})

it.for([
  [{}, 'options'],
  [{ queue: 'q' }, 'options'],
  [{ queue: 'q', weight: 2 }, 'weight'],
  [{ concurrency: 0 }, 'concurrency'],
  [{ rate: { limit: 0 } }, 'rate.limit'],
  [{ rate: { limit: 1, key: 'k' } }, 'rate.key'],
  [{ ageingMs: 1 }, 'ageingMs'],
  [{ concurency: 1 }, 'concurency'],
] as const)('%o is refused with the name of its field', async ([options, field]) => {
  await expect(kit.punctual.limits.set(options as never)).rejects.toMatchObject({
    ...{ code: 'invalid_option', field },
  })
})

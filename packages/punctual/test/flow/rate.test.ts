/** Rates end to end: so many runs of a key start in a time, on all workers together. */
import { type Punctual, RetryAfterError, type WaitingRun } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

/** Between the server's clock, which counts, and ours: how they may drift apart in a second. */
const CLOCKS_DIFFER_MS = 5

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

/** When runs start, in order, and which. */
function record(nodes: readonly Punctual[]) {
  const starts: { n: number; atMs: number }[] = []
  for (const node of nodes)
    node.handler('rated', ({ n }: { n: number }) => {
      starts.push({ n, atMs: performance.now() })
    })
  return starts
}

/** The law: counted from before they were submitted, the nth start is not before its turn, whatever is late. */
function expectTurns(
  fromMs: number,
  starts: readonly { atMs: number }[],
  everyMs: number,
  burst: number,
) {
  const times = starts.map(({ atMs }) => atMs - fromMs).sort((a, b) => a - b)
  for (const [n, atMs] of times.entries())
    expect(atMs, `start ${n}`).toBeGreaterThanOrEqual((n - burst + 1) * everyMs - CLOCKS_DIFFER_MS)
}

it('no more start in a time than the rate says, on two workers', async () => {
  const starts = record([await kit.node(), await kit.node()])
  const rate = { limit: 100, per: 'second', burst: 5 } as const
  const payloads = Array.from({ length: 100 }, (_, n) => ({ n }))
  const fromMs = performance.now()
  const runs = await kit.punctual.submitMany('rated', payloads, { rate })
  await Promise.all(runs.map(({ id }) => ended(id)))
  expectTurns(fromMs, starts, 10, 5)
  expect(new Set(starts.map(({ n }) => n)).size).toBe(100)
})

it('what waits for its rate is scheduled for the moment when it may start, and says so', async () => {
  record([await kit.node()])
  const rate = { limit: 2, per: 'hour' } as const
  const runs = await kit.punctual.submitMany('rated', [{ n: 1 }, { n: 2 }, { n: 3 }], { rate })
  await ended(runs[0]?.id as string)
  const third = (await kit.punctual.runs.get(runs[2]?.id as string)) as WaitingRun
  expect(third).toMatchObject({
    state: 'scheduled',
    rate: { key: 'rated', limit: 2, perMs: 3_600_000, burst: 1 },
  })
  const inMs = third.nextAt.getTime() - Date.now()
  expect(inMs).toBeGreaterThan(3_500_000)
  expect(inMs).toBeLessThanOrEqual(3_600_000)
  expect((await kit.punctual.runs.explain(third)).reasons).toMatchObject([
    { code: 'rate_limited', key: 'rated' },
  ])
})

it('each key has a rate of its own', async () => {
  record([await kit.node()])
  const rate = { key: { payload: 'n' }, limit: 1, per: 'hour' } as const
  const runs = await kit.punctual.submitMany('rated', [{ n: 1 }, { n: 2 }, { n: 1 }], { rate })
  await Promise.all(runs.slice(0, 2).map(({ id }) => ended(id)))
  expect(await kit.punctual.runs.get(runs[2]?.id as string)).toMatchObject({ state: 'scheduled' })
})

it('another attempt is another start', async () => {
  const node = await kit.node()
  node.handler('fails', () => {
    throw new RetryAfterError(0, 'again')
  })
  const { id } = await node.submit('fails', null, { rate: { limit: 1, per: 'hour' } })
  await expect
    .poll(async () => (await node.runs.get(id))?.state, { timeout: 10_000 })
    .toBe('scheduled')
  expect(await node.runs.get(id)).toMatchObject({ attempts: [{ outcome: 'failed' }] })
})

it('moments that passed while no worker was there are not all used at once', async () => {
  const rate = { limit: 100, per: 'second', burst: 1 } as const
  const payloads = Array.from({ length: 50 }, (_, n) => ({ n }))
  const runs = await kit.punctual.submitMany('rated', payloads, { rate })
  // As if a worker had booked them a minute ago, and died.
  const booked = Date.now() * 1_000 - 60_000_000
  await kit.sql(`update punctual.gated set booked_us = ${booked}`)
  const fromMs = performance.now()
  const starts = record([await kit.node()])
  await Promise.all(runs.map(({ id }) => ended(id)))
  expectTurns(fromMs, starts, 10, 1)
})

it('a key that has both a rate and a limit keeps both', async () => {
  const starts = record([await kit.node()])
  const both = { rate: { limit: 100, burst: 1 }, concurrency: { key: 'both' } }
  const payloads = Array.from({ length: 20 }, (_, n) => ({ n }))
  const fromMs = performance.now()
  const runs = await kit.punctual.submitMany('rated', payloads, both)
  await Promise.all(runs.map(({ id }) => ended(id)))
  expect(starts).toHaveLength(20)
  expectTurns(fromMs, starts, 10, 1)
})

it('what runs had booked that are cancelled is given to those behind them', async () => {
  record([await kit.node()])
  const rate = { limit: 1, per: 2_000 } as const
  const payloads = Array.from({ length: 100 }, (_, n) => ({ n }))
  const [first, ...others] = await kit.punctual.submitMany('rated', payloads, { rate })
  await ended(first?.id as string)
  for (const { id } of others) await kit.punctual.runs.cancel(id)
  const { id } = await kit.punctual.submit('rated', { n: 100 }, { rate })
  // By its booking it would start in more than three minutes.
  expect(await ended(id)).toMatchObject({ state: 'succeeded' })
})

it.for([
  [{ rate: 5 }, /rate must be an object/],
  [{ rate: { per: 'second' } }, /rate.limit/],
  [{ rate: { limit: 1, per: 'fortnight' } }, /rate.per must be one of second, minute, hour, day/],
  [{ rate: { limit: 1, burst: 0 } }, /rate.burst/],
] as const)('%j is refused: %s', async ([options, message]) => {
  await expect(kit.punctual.submit('any', null, options as never)).rejects.toThrow(message)
})

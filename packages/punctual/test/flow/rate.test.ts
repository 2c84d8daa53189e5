/** Rates end to end: a bounded number of starts of a key per interval, over all workers. */
import { type Punctual, RetryAfterError, type WaitingRun } from 'punctual'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DeliveryKit } from '../kit/delivery-kit.ts'

let kit: DeliveryKit
beforeEach(async () => {
  kit = await DeliveryKit.open()
})
afterEach(() => kit.close())

/** The possible drift in a second between the server's clock, which counts, and this process's. */
const CLOCKS_DIFFER_MS = 5

const ended = (id: string) => kit.punctual.runs.waitFor(id, { timeoutMs: 60_000 })

/** The order and times of the starts. */
function record(nodes: readonly Punctual[]) {
  const starts: { n: number; atMs: number }[] = []
  for (const node of nodes)
    node.handler('rated', ({ n }: { n: number }) => {
      starts.push({ n, atMs: performance.now() })
    })
  return starts
}

/**
 * The rule: counted from before the submission, the nth start is never early, however late others
 * are.
 */
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

it('two workers start no more runs in an interval than the rate allows', async () => {
  const starts = record([await kit.node(), await kit.node()])
  const rate = { limit: 100, per: 'second', burst: 5 } as const
  const payloads = Array.from({ length: 100 }, (_, n) => ({ n }))
  const fromMs = performance.now()
  const runs = await kit.punctual.submitMany('rated', payloads, { rate })
  await Promise.all(runs.map(({ id }) => ended(id)))
  expectTurns(fromMs, starts, 10, 5)
  expect(new Set(starts.map(({ n }) => n)).size).toBe(100)
})

it('a run that waits for its rate is scheduled for its booked start and reports it', async () => {
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

it('each key has a separate rate', async () => {
  record([await kit.node()])
  const rate = { key: { payload: 'n' }, limit: 1, per: 'hour' } as const
  const runs = await kit.punctual.submitMany('rated', [{ n: 1 }, { n: 2 }, { n: 1 }], { rate })
  await Promise.all(runs.slice(0, 2).map(({ id }) => ended(id)))
  expect(await kit.punctual.runs.get(runs[2]?.id as string)).toMatchObject({ state: 'scheduled' })
})

it('a further attempt counts as a further start', async () => {
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

it('starts that were booked while no worker ran are not all used at once', async () => {
  const rate = { limit: 100, per: 'second', burst: 1 } as const
  const payloads = Array.from({ length: 50 }, (_, n) => ({ n }))
  const runs = await kit.punctual.submitMany('rated', payloads, { rate })
  // As if a worker had booked them a minute ago and died.
  const booked = Date.now() * 1_000 - 60_000_000
  await kit.sql(`update punctual.gated set booked_us = ${booked}`)
  const fromMs = performance.now()
  const starts = record([await kit.node()])
  await Promise.all(runs.map(({ id }) => ended(id)))
  expectTurns(fromMs, starts, 10, 1)
})

it('a key with both a rate and a limit respects both', async () => {
  const starts = record([await kit.node()])
  const both = { rate: { limit: 100, burst: 1 }, concurrency: { key: 'both' } }
  const payloads = Array.from({ length: 20 }, (_, n) => ({ n }))
  const fromMs = performance.now()
  const runs = await kit.punctual.submitMany('rated', payloads, both)
  await Promise.all(runs.map(({ id }) => ended(id)))
  expect(starts).toHaveLength(20)
  expectTurns(fromMs, starts, 10, 1)
})

it('bookings of cancelled runs go to the runs behind them', async () => {
  record([await kit.node()])
  const rate = { limit: 1, per: 2_000 } as const
  const payloads = Array.from({ length: 100 }, (_, n) => ({ n }))
  const [first, ...others] = await kit.punctual.submitMany('rated', payloads, { rate })
  await ended(first?.id as string)
  for (const { id } of others) await kit.punctual.runs.cancel(id)
  const { id } = await kit.punctual.submit('rated', { n: 100 }, { rate })
  // According to its booking it would start in more than three minutes.
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

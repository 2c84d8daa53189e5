import { setTimeout as sleep } from 'node:timers/promises'
import { number } from '../lib/cells.mjs'
import { round } from '../lib/quantiles.mjs'
import { drain } from './drain.mjs'
import { progress, submitAndDrain, throughput, untilHandled } from './measuring.mjs'

const RUNS = 100_000
const KEYS = 10_000
const SHARE_OF_DRAIN = 0.7
const RATE = 500
const RATE_WORKERS = 4
const RATE_SECONDS = 10
const RATE_WITHIN = 0.05
const WARM_UP = 10_000

/** @type {import('./index.mjs').Scenario} */
export const keys = {
  name: 'keys',
  what: '100,000 runs over 10,000 keys of limit 1; 100,000 free runs alongside 100,000 behind one key; a rate over four workers',
  systems: ['punctual'],
  figure: (result) => result.freePerSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s',
  columns: (result) => ({
    'free runs, of drain': `${result.ofDrain.toFixed(2)} of ${number(result.drainPerSecond)}/s`,
    'behind the key meanwhile': number(result.behindHandled),
    'over 10,000 keys': `${number(result.keyedPerSecond)}/s`,
    'rate of 500/s': `${result.ratePerSecond.toFixed(1)}/s`,
  }),
  json: ({
    freePerSecond,
    ofDrain,
    drainPerSecond,
    behindHandled,
    keyedPerSecond,
    ratePerSecond,
  }) => ({
    ...{ freePerSecond, ofDrain, drainPerSecond, behindHandled, keyedPerSecond, ratePerSecond },
  }),
  bars: ({ punctual }) => [
    {
      rule: `free runs alongside 100,000 behind one key drain at ${SHARE_OF_DRAIN} x drain or more`,
      value: punctual ? `${punctual.ofDrain} x` : 'not run',
      pass: punctual ? punctual.ofDrain >= SHARE_OF_DRAIN : null,
    },
    {
      rule: `a rate of ${RATE} a second is kept within ${RATE_WITHIN * 100} % over ${RATE_SECONDS} s`,
      value: punctual ? `${punctual.ratePerSecond} /s` : 'not run',
      pass: punctual ? Math.abs(punctual.ratePerSecond / RATE - 1) <= RATE_WITHIN : null,
    },
  ],

  async measure(bench, system) {
    const count = bench.count(RUNS)
    const plain = await drain.measure(bench, system)
    const free = await measureFree(bench, system, count)
    const keyed = await measureKeyed(bench, system, count)
    return {
      freePerSecond: free.perSecond,
      behindHandled: free.behind,
      ofDrain: round(free.perSecond / plain.perSecond),
      drainPerSecond: plain.perSecond,
      keyedPerSecond: keyed.perSecond,
      ratePerSecond: await measureRate(bench, system),
    }
  },
}

/**
 * Submitted alternately, so that free runs are among the waiting ones, not behind or before them.
 */
function measureFree(bench, system, count) {
  return bench.fresh(system, async ({ child, analyze }) => {
    const [producer, worker] = await opened(child)
    const behind = { keys: 1, options: { concurrency: { key: { payload: 'key' } } } }
    const pieces = 10
    for (let i = 0; i < pieces; i++) {
      await producer.call('bulk', { count: count / pieces, ...behind })
      await producer.call('bulk', { count: count / pieces })
    }
    await analyze()
    await worker.call('open', { work: true, profile: 'throughput' })
    const result = await throughput(bench, system, worker, count, () =>
      worker.call('drainFree', { count }),
    )
    const { handled } = await worker.call('progress')
    await worker.call('close')
    return { ...result, behind: handled - count }
  })
}

function measureKeyed(bench, system, count) {
  return bench.fresh(system, async ({ child, analyze }) => {
    const [producer, worker] = await opened(child)
    const bulk = { keys: KEYS, options: { concurrency: { key: { payload: 'key' } } } }
    return submitAndDrain(bench, system, { producer, worker, analyze }, count, bulk)
  })
}

/** Counts the starts in ten seconds, after the burst is used up. */
function measureRate(bench, system) {
  return bench.fresh(system, async ({ child }) => {
    const producer = await child()
    await producer.call('open', { produce: true, profile: 'throughput' })
    const workers = []
    for (let i = 0; i < RATE_WORKERS; i++) {
      const worker = await child()
      await worker.call('open', { work: true, profile: 'timed', processes: RATE_WORKERS })
      await worker.call('start', { handler: 'counting' })
      workers.push(worker)
    }
    const count = RATE * (RATE_SECONDS + 4)
    await producer.call('bulk', { count, options: { rate: { limit: RATE, per: 'second' } } })
    await sleep(1_000)
    const [from, atMs] = [await progress(workers), performance.now()]
    await sleep(RATE_SECONDS * 1_000)
    const [to, untilMs] = [await progress(workers), performance.now()]
    return round(((to.handled - from.handled) / (untilMs - atMs)) * 1_000)
  })
}

/**
 * A producer, and a worker that has already run: neither start-up nor a cold compiler is measured.
 */
async function opened(child) {
  const [producer, worker] = [await child(), await child()]
  await producer.call('open', { produce: true, profile: 'throughput' })
  await producer.call('bulk', { count: WARM_UP })
  await worker.call('open', { work: true, profile: 'throughput' })
  await worker.call('start', { handler: 'counting' })
  await untilHandled([worker], WARM_UP)
  await worker.call('close')
  return [producer, worker]
}

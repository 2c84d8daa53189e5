import { setTimeout as sleep } from 'node:timers/promises'
import { atMostTimes, noWorse } from '../lib/bars.mjs'
import { latencyJson, milliseconds } from '../lib/cells.mjs'
import { quantiles } from '../lib/quantiles.mjs'
import { PEERS, POSTGRES_PEERS } from '../systems/catalogue.mjs'

const WARM_UP = 50
/** A random pause between two runs, so that no run profits from the wake-up of the one before. */
const PAUSE_MAX_MS = 20
const LOST_AFTER_MS = 10_000
/** pg-boss polls twice a second: a full count would take ten minutes and show the same. */
const POLLING = { 'pg-boss': 0.1 }

/** @type {import('./index.mjs').Scenario} */
export const pickup = {
  name: 'pickup',
  what: '1,000 runs one at a time, from submit to handler start; submitter and worker in two processes',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.p50Ms,
  settings: ['latency'],
  better: 'lower',
  unit: ' ms',
  comparedPeers: POSTGRES_PEERS,
  columns: ({ p99Ms, maxMs, samples, oneProcess }) => ({
    'p99 ms': milliseconds(p99Ms),
    'max ms': milliseconds(maxMs),
    'one process p50 / p99 ms': `${milliseconds(oneProcess.p50Ms)} / ${milliseconds(oneProcess.p99Ms)}`,
    samples: String(samples),
  }),
  json: (result) => ({ ...latencyJson(result), oneProcess: latencyJson(result.oneProcess) }),
  bars: (results) => [
    noWorse(results, 'p50Ms', 'p50', POSTGRES_PEERS),
    noWorse(results, 'p99Ms', 'p99', POSTGRES_PEERS),
    atMostTimes(results, 'p50Ms', 1.2, 'the p50 of the floor', ['floor']),
  ],

  async measure(bench, system) {
    const count = bench.count(1000 * (POLLING[system] ?? 1))
    const warmUp = Math.ceil(WARM_UP * (POLLING[system] ?? 1))
    const two = await bench.fresh(system, async ({ child }) => {
      const [producer, worker] = [await child(), await child()]
      await producer.call('open', { produce: true, profile: 'latency' })
      await worker.call('open', { work: true, profile: 'latency' })
      return oneAtATime(producer, worker, warmUp, count)
    })
    const one = await bench.fresh(system, async ({ child }) => {
      const both = await child()
      await both.call('open', { produce: true, work: true, profile: 'latency' })
      return oneAtATime(both, both, warmUp, count)
    })
    return { ...quantiles(two), oneProcess: quantiles(one) }
  },
}

/** @returns {Promise<number[]>} milliseconds from the submit call to the handler's first line */
async function oneAtATime(producer, worker, warmUp, count) {
  await worker.call('start', { handler: 'picked' })
  const latenciesMs = []
  for (let n = 0; n < warmUp + count; n++) {
    const picked = nextPick(worker)
    await producer.call('one', { n })
    const { ms } = await picked
    if (n >= warmUp) latenciesMs.push(ms)
    await sleep(1 + Math.random() * PAUSE_MAX_MS)
  }
  return latenciesMs
}

/** Resolves with the next start of a handler in this worker. */
export function nextPick(worker) {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new Error(`${worker.system}: a run was not picked up within 10 s`))
    const timer = setTimeout(lost, LOST_AFTER_MS)
    worker.once('picked', (event) => {
      clearTimeout(timer)
      resolve(event)
    })
  })
}

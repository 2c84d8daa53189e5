import { atLeast } from '../lib/bars.mjs'
import { milliseconds, number } from '../lib/cells.mjs'
import { PEERS, POSTGRES_PEERS } from '../systems/catalogue.mjs'
import { watchCpu } from './measuring.mjs'

const WARM_UP = 500

/** @type {import('./index.mjs').Scenario} */
export const submitOne = {
  name: 'submit-one',
  what: 'single awaited submissions, 1 and 64 in flight, one process',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.perSecond,
  settings: ['single'],
  better: 'higher',
  unit: '/s',
  comparedPeers: POSTGRES_PEERS,
  columns: ({ inFlight1, inFlight64 }) => ({
    '1 in flight': `${number(inFlight1.perSecond)}/s`,
    'p50 / p99 ms': `${milliseconds(inFlight1.p50Ms)} / ${milliseconds(inFlight1.p99Ms)}`,
    '64 in flight': `${number(inFlight64.perSecond)}/s`,
    'p50 / p99 ms ': `${milliseconds(inFlight64.p50Ms)} / ${milliseconds(inFlight64.p99Ms)}`,
  }),
  json: ({ perSecond, inFlight1, inFlight64 }) => ({ perSecond, inFlight1, inFlight64 }),
  bars: (results) => [
    atLeast(results, 'perSecond', 1, 'the best PostgreSQL peer, 64 in flight', POSTGRES_PEERS),
    atLeast(results, 'perSecondAlone', 1, 'the best PostgreSQL peer, 1 in flight', POSTGRES_PEERS),
  ],

  measure(bench, system) {
    return bench.fresh(system, async ({ child }) => {
      const producer = await child()
      await producer.call('open', { produce: true, profile: 'throughput' })
      await producer.call('each', { count: WARM_UP, inFlight: 64 })
      const cpuUsed = await watchCpu(bench, system, [producer])
      const alone = await producer.call('each', { count: bench.count(5_000), inFlight: 1 })
      const many = await producer.call('each', { count: bench.count(50_000), inFlight: 64 })
      return {
        perSecond: Math.round(many.perSecond),
        perSecondAlone: Math.round(alone.perSecond),
        inFlight1: latencies(alone),
        inFlight64: latencies(many),
        ms: alone.ms + many.ms,
        ...(await cpuUsed()),
      }
    })
  },
}

const latencies = ({ perSecond, p50Ms, p99Ms, maxMs }) => ({
  perSecond: Math.round(perSecond),
  p50Ms,
  p99Ms,
  maxMs,
})

import { atLeast } from '../lib/bars.mjs'
import { cpuColumns, perSecondJson } from '../lib/cells.mjs'
import { PEERS } from '../systems/catalogue.mjs'
import { submitAndDrain } from './measuring.mjs'

const WARM_UP = 100_000

/** @type {import('./index.mjs').Scenario} */
export const drain = {
  name: 'drain',
  what: '200,000 no-op runs through real handlers in one process, until all are settled',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.perSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s',
  columns: cpuColumns,
  json: perSecondJson,
  bars: (results) => [
    atLeast(results, 'perSecond', 2.3, 'the best peer', PEERS),
    atLeast(results, 'perSecond', 0.9, 'the floor', ['floor']),
  ],

  measure(bench, system) {
    const count = bench.count(200_000)
    return bench.fresh(system, async ({ child, analyze }) => {
      const [producer, worker] = [await child(), await child()]
      await producer.call('open', { produce: true, profile: 'throughput' })
      const parts = { producer, worker, analyze }
      await submitAndDrain(bench, system, parts, bench.count(WARM_UP))
      return { ...(await submitAndDrain(bench, system, parts, count)), count }
    })
  },
}

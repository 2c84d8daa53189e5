import { atLeast } from '../lib/bars.mjs'
import { cpuColumns, perSecondJson } from '../lib/cells.mjs'
import { PEERS } from '../systems/catalogue.mjs'
import { throughput } from './measuring.mjs'

const WARM_UP = 50_000

/** @type {import('./index.mjs').Scenario} */
export const submit = {
  name: 'submit',
  what: '200,000 runs submitted in bulk, payloads of about 100 bytes, one process',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.perSecond,
  settings: ['bulk'],
  better: 'higher',
  unit: '/s',
  columns: cpuColumns,
  json: perSecondJson,
  bars: (results) => [
    atLeast(results, 'perSecond', 1.5, 'the best peer', PEERS),
    atLeast(results, 'perSecond', 0.9, 'the floor', ['floor']),
  ],

  measure(bench, system) {
    const count = bench.count(200_000)
    return bench.fresh(system, async ({ child }) => {
      const producer = await child()
      await producer.call('open', { produce: true, profile: 'throughput' })
      await producer.call('bulk', { count: bench.count(WARM_UP) })
      const result = await throughput(bench, system, producer, count, () =>
        producer.call('bulk', { count }),
      )
      return { ...result, count }
    })
  },
}

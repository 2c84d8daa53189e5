import { atLeast, below } from '../lib/bars.mjs'
import { cpuColumns, latencyColumns, perSecondJson } from '../lib/cells.mjs'
import { quantiles } from '../lib/quantiles.mjs'
import { PEERS } from '../systems/catalogue.mjs'
import { untilHandled, watchCpu } from './measuring.mjs'

/**
 * The maximum lead of the submitter in every system: without it the backlog would set the lateness.
 */
const WINDOW = 10_000
const WARM_UP = 100_000

/** @type {import('./index.mjs').Scenario} */
export const steady = {
  name: 'steady',
  what: 'submit on four connections and drain concurrently, a process each; backlog held under 10,000',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.perSecond,
  settings: ['bulk', 'throughput'],
  better: 'higher',
  unit: '/s',
  columns: (result) => ({
    ...latencyColumns(result),
    stranded: String(result.stranded),
    ...cpuColumns(result),
  }),
  json: (result) => ({
    ...perSecondJson(result),
    stranded: result.stranded,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    maxMs: result.maxMs,
  }),
  bars: (results) => [
    atLeast(results, 'perSecond', 1.3, 'the best peer', PEERS),
    atLeast(results, 'perSecond', 0.9, 'the floor', ['floor']),
    below(results, 'stranded', 1, 'runs stranded'),
    below(results, 'maxMs', 1000, 'ms worst lateness'),
  ],

  measure(bench, system) {
    const count = bench.count(200_000)
    return bench.fresh(system, async ({ child, analyze }) => {
      const [producer, worker] = [await child(), await child()]
      await producer.call('open', { produce: true, profile: 'throughput', connections: 4 })
      await worker.call('open', { work: true, profile: 'throughput' })
      await warmUp(bench, producer, worker, analyze)
      const cpuUsed = await watchCpu(bench, system, [producer, worker])
      const streaming = producer.call('stream', { count, window: WINDOW, lanes: 4 })
      const onProgress = ({ handled }) => producer.call('credit', handled)
      const { handled, lastAtMs } = await untilHandled([worker], count, { onProgress })
      await producer.call('credit', count)
      const ms = lastAtMs - (await streaming).startedAtMs
      return {
        perSecond: Math.round((handled / ms) * 1000),
        ms,
        stranded: count - handled,
        clients: 2,
        ...quantiles(await worker.call('lateness')),
        ...(await cpuUsed()),
      }
    })
  },
}

/**
 * Ends with an empty queue, so that counts and lateness start from zero. Statistics are taken while
 * the queue is full: those of an empty queue make graphile-worker ten times slower.
 */
async function warmUp(bench, producer, worker, analyze) {
  await producer.call('bulk', { count: bench.count(WARM_UP) })
  await analyze()
  await worker.call('start', { handler: 'fromSubmit' })
  await untilHandled([worker], bench.count(WARM_UP))
  await worker.call('lateness')
}

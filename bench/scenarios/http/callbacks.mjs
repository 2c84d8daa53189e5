import { number } from '../../lib/cells.mjs'
import { round } from '../../lib/quantiles.mjs'

const RUNS = 40_000
const WARM_UP = 4_000
/** Requests in flight to the origin, as the executor allows. */
const CONCURRENCY = 100
/** The required share of what undici sends alone. */
const SHARE = 0.6

const perSecond = (count, { ms }) => Math.round((count / ms) * 1_000)

/** @type {import('../index.mjs').Scenario} */
export const callbacks = {
  name: 'http',
  what: 'runs with an HTTP target to a server on this machine, compared with undici alone',
  systems: ['punctual'],
  figure: (result) => result.perSecond,
  settings: ['throughput'],
  better: 'higher',
  unit: '/s',
  columns: ({ barePerSecond, ofBare }) => ({
    'undici alone': `${number(barePerSecond)}/s`,
    'share of it': ofBare.toFixed(2),
  }),
  json: ({ perSecond: rate, barePerSecond, ofBare }) => ({
    ...{ perSecond: rate, barePerSecond, ofBare },
  }),
  bars: ({ punctual: result }) => [
    {
      rule: `sends >= ${SHARE} x the requests of undici alone`,
      value: result ? `${result.ofBare.toFixed(2)} x` : 'not run',
      pass: result ? result.ofBare >= SHARE : null,
    },
  ],

  measure(bench, system) {
    return bench.fresh(system, async ({ child, analyze }) => {
      const [receiver, producer, worker, bare] = await Promise.all(
        Array.from({ length: 4 }, () => child()),
      )
      const { url } = await receiver.call('listen')
      const count = bench.count(RUNS)
      await producer.call('open', { produce: true, profile: 'throughput' })
      const drain = async (runs) => {
        await producer.call('submitTargets', { url, count: runs })
        await analyze()
        const result = await worker.call('drainTargets')
        await worker.call('close')
        return perSecond(runs, result)
      }
      const send = async (requests) => {
        const load = { url, count: requests, concurrency: CONCURRENCY }
        return perSecond(requests, await bare.call('requests', load))
      }
      await drain(WARM_UP)
      await send(WARM_UP)
      const rate = await drain(count)
      const barePerSecond = await send(count)
      await receiver.call('unlisten')
      return { perSecond: rate, barePerSecond, ofBare: round(rate / barePerSecond), count }
    })
  },
}

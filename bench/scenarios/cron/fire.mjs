import { setTimeout as sleep } from 'node:timers/promises'
import { below } from '../../lib/bars.mjs'
import { cpuColumns, latencyColumns, latencyJson } from '../../lib/cells.mjs'
import { quantiles } from '../../lib/quantiles.mjs'
import { PEERS } from '../../systems/catalogue.mjs'
import { untilHandled, watchCpu } from '../measuring.mjs'

const PER_SECOND = 1_700
const MINUTE_S = 60

/** @type {import('../index.mjs').Scenario} */
export const fire = {
  name: 'fire',
  what: 'one-time runs due at random milliseconds, 1,700 a second for a minute, submitted in advance',
  systems: ['floor', 'punctual', ...PEERS],
  figure: (result) => result.p99Ms,
  settings: ['timed'],
  better: 'lower',
  unit: ' ms p99',
  columns: (result) => ({
    ...latencyColumns(result),
    early: String(result.early),
    stranded: String(result.stranded),
    ...cpuColumns(result),
  }),
  json: ({ stranded, early, ...result }) => ({ ...latencyJson(result), stranded, early }),
  bars: (results) => [below(results, 'p99Ms', 50, 'ms of lateness at p99')],

  measure(bench, system) {
    const seconds = Math.max(5, Math.round(MINUTE_S * bench.options.scale))
    const count = PER_SECOND * seconds
    const leadMs = 3_000 + count / 10
    return bench.fresh(system, async ({ child }) => {
      const [producer, worker] = [await child(), await child()]
      await producer.call('open', { produce: true, profile: 'throughput' })
      await worker.call('open', { work: true, profile: 'timed' })
      await worker.call('start', { handler: 'fromDue' })
      const dueFromMs = Date.now() + leadMs
      const due = { dueFromMs, dueSpreadMs: seconds * 1000, shuffled: true }
      await producer.call('bulk', { count, ...due })
      const slackMs = dueFromMs - Date.now()
      if (slackMs < 0) throw new Error(`submitting took ${-slackMs} ms too long; use --scale`)
      await sleep(slackMs)
      const cpuUsed = await watchCpu(bench, system, [worker])
      const { handled } = await untilHandled([worker], count, { everyMs: 500 })
      const latenessMs = await worker.call('lateness')
      return {
        ...quantiles(latenessMs),
        early: latenessMs.filter((ms) => ms < -1).length,
        stranded: count - handled,
        ms: seconds * 1000,
        ...(await cpuUsed()),
      }
    })
  },
}
